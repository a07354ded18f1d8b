public import Journaling
import Naming
import Threading

// The exchange of present clients between several daemons.

extension PresenceHub {
    /// The time for which other daemons show a client of this daemon after its last report; the
    /// daemon repeats the report after a third of it. So the clients of a crashed daemon disappear
    /// soon.
    static let sharedMilliseconds = 30_000
    /// The time for which a departure is reported.
    private static let goneMilliseconds = 10_000

    /// The time that daemons compare, in milliseconds since 1970.
    public var time: Int { now() }

    /// The time for which the reports of other daemons are read after a client asked for the
    /// present ones.
    private static let askedMilliseconds = 60_000

    /// Whether a client is here that follows others, or whose state others may follow.
    public var isInUse: Bool {
        let now = now()
        return state.withLock { state in
            !state.rooms.isEmpty || !state.followed.isEmpty
                || state.askedAt.map { now - $0 < PresenceHub.askedMilliseconds } ?? false
        }
    }

    /// The reports for other daemons: clients that changed since the last time, or whose report is
    /// due again.
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

    /// Applies the reports of other daemons.
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
                // The states of clients of other daemons also take memory here.
                let hasRoom = (try? state.checkRoom(for: present, in: one.document)) != nil
                guard isGone || hasRoom else { continue }
                // A document without followers here is evaluated when one begins.
                state.change(one.document) { $0.hear(present, isGone: isGone) }
            }
        }
        wakeUp.yield()
    }
}

extension Present {
    /// The form for other daemons; with `end`, the departure at that time.
    fileprivate func shared(
        in document: DocumentID, goneAt end: Int? = nil, _ milliseconds: Int
    ) -> SharedPresence {
        SharedPresence(
            document: document, client: client, actor: actor, owner: owner,
            state: end == nil ? state : nil, revision: end == nil ? revision : nil,
            stamp: end ?? stamp, milliseconds: milliseconds)
    }
}
