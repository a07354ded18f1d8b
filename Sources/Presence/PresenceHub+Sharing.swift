public import Journaling
import Naming
import Threading

// With several daemons each tells the others who is present on it.

extension PresenceHub {
    /// How long a client of this daemon counts with others without being told again; it is told
    /// again after a third of that. So who was on a daemon that crashed has gone soon.
    static let sharedMilliseconds = 30_000
    /// How long it is told that somebody has gone.
    private static let goneMilliseconds = 10_000

    /// The time that daemons compare, in milliseconds since 1970.
    public var time: Int { now() }

    /// For how long others are heard after somebody asked who is there.
    private static let askedMilliseconds = 60_000

    /// Whether there is somebody for whom others' clients, or whose state for others, matters.
    public var isInUse: Bool {
        let now = now()
        return state.withLock { state in
            !state.rooms.isEmpty || !state.followed.isEmpty
                || state.askedAt.map { now - $0 < PresenceHub.askedMilliseconds } ?? false
        }
    }

    /// What others have to be told: what changed here since the last time, or has to be told again.
    public func takeNews() -> [SharedPresence] {
        let now = now()
        return state.withLock { state in
            var news: [SharedPresence] = []
            for document in state.rooms.keys.sorted() {
                var (here, gone): ([Present], [Present]) = ([], [])
                state.change(document) { room in
                    (here, gone) = room.takeNews(
                        at: now, again: PresenceHub.sharedMilliseconds / 3)
                }
                news += here.map { $0.shared(in: document, PresenceHub.sharedMilliseconds) }
                news += gone.map {
                    $0.shared(in: document, goneAt: now, PresenceHub.goneMilliseconds)
                }
            }
            return news
        }
    }

    /// What others told.
    public func hear(_ others: [SharedPresence]) {
        if others.isEmpty { return }
        let now = now()
        state.withLock { state in
            for one in others {
                let present = Present(
                    client: one.client, actor: one.actor, owner: one.owner,
                    state: one.state ?? [], revision: one.revision, stamp: one.stamp,
                    since: now, until: now + one.milliseconds)
                let isGone = one.state == nil
                // The states of clients of other daemons take memory here, too.
                let hasRoom = (try? state.checkRoom(for: present, in: one.document)) != nil
                guard isGone || hasRoom else { continue }
                // What nobody follows here is looked at when somebody does.
                state.change(one.document) { $0.hear(present, isGone: isGone) }
            }
        }
        wakeUp.yield()
    }
}

extension Present {
    /// As it is told others; with a time at which it has gone, that.
    fileprivate func shared(
        in document: DocumentID, goneAt end: Int? = nil, _ milliseconds: Int
    ) -> SharedPresence {
        SharedPresence(
            document: document, client: client, actor: actor, owner: owner,
            state: end == nil ? state : nil, revision: end == nil ? revision : nil,
            stamp: end ?? stamp, milliseconds: milliseconds)
    }
}
