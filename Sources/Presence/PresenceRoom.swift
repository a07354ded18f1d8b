import Journaling
import Naming

/// The clients in one document. A value: events go in with their time.
///
/// Each change has a number; a follower names the last number that it has and gets the newest state
/// of each client changed since. So the room neither waits for a slow follower nor stores anything
/// for it.
struct PresenceRoom: Sendable {
    private struct Entry {
        var present: Present
        /// The number of its last change.
        var number: Int
        /// How many streams keep it here.
        var holders = 0
        /// Whether it is another daemon's.
        var isForeign = false
        /// Whether other daemons need a report, and the time of the last one.
        var isNews = true
        var toldAt = 0

        /// Whether other daemons have heard of it from this one.
        var wasTold: Bool { !isForeign && toldAt > 0 }
    }

    private var entries: [Name: Entry] = [:]
    /// Streams that wait for their client to come, by client and owner.
    private var early: [Name: [Name: Int]] = [:]
    /// The revision that the document's life began with that they are in.
    private var life = -1
    /// The clients that left recently, with the numbers of these changes.
    private var gone: [(client: Name, number: Int)] = []
    /// Clients of this daemon that left after other daemons had a report of them.
    private var left: [Present] = []
    /// Up to here, who has gone is forgotten.
    private var forgotten = 0
    /// The number of the newest change.
    private(set) var number = 0
    /// How many clients each owner has.
    private var counts: [Name: Int] = [:]
    /// Bytes that owners took and let go since it was asked last.
    private var growth: [(owner: Name, bytes: Int)] = []

    /// All together. One owner has a half at most.
    static let clientsMax = 512
    /// The limit on departures that are sent one by one; a follower that lacks more gets all
    /// present clients.
    private static let goneMax = 256
    /// The time for which a client stays after the end of its stream: a reload of a page is not a
    /// departure.
    static let graceMilliseconds = 5_000

    /// The room has no clients, and no reserved places.
    var isEmpty: Bool { entries.isEmpty && early.isEmpty && left.isEmpty }

    var count: Int { entries.count }

    func owner(of client: Name) -> Name? { entries[client]?.present.owner }

    /// A client joins, changes its state, or renews its presence.
    mutating func set(_ present: Present) throws(PresenceError) {
        let known = entries[present.client]
        if let known, known.present.owner != present.owner {
            throw .foreign(client: present.client)
        }
        if known == nil { try checkRoom(for: present.owner) }
        var entry = Entry(present: present, number: number)
        let waiting = known == nil ? early.removeValue(forKey: present.client) : nil
        entry.holders = known?.holders ?? waiting?[present.owner] ?? 0
        if let known { entry.present.since = known.present.since }
        if known.map({ !$0.present.shows(entry.present) }) ?? true {
            number += 1
            entry.number = number
        } else {
            entry.number = known?.number ?? number
            if let known, !known.isForeign {
                (entry.isNews, entry.toldAt) = (known.isNews, known.toldAt)
            }
        }
        if known == nil { counts[present.owner, default: 0] += 1 }
        growth.append((present.owner, present.weight - (known?.present.weight ?? 0)))
        entries[present.client] = entry
    }

    private func checkRoom(for owner: Name) throws(PresenceError) {
        let own = counts[owner] ?? 0
        guard
            PresenceShare.allows(
                own: own + 1, of: entries.count + 1, max: PresenceRoom.clientsMax)
        else { throw .tooManyClients(own: own) }
    }

    /// About how many bytes a client takes in memory.
    func weight(of client: Name) -> Int { entries[client]?.present.weight ?? 0 }

    /// The bytes that owners took and released since the last call.
    mutating func takeGrowth() -> [(owner: Name, bytes: Int)] {
        defer { growth = [] }
        return growth
    }

    /// A client leaves. If it has already left, that is not an error.
    mutating func remove(_ client: Name, of owner: Name) throws(PresenceError) {
        guard let known = entries[client] else { return }
        if known.present.owner != owner { throw .foreign(client: client) }
        leave(client, isTold: known.isForeign || known.wasTold)
    }

    /// `isTold`: others have to hear of it.
    private mutating func leave(_ client: Name, isTold: Bool = false) {
        guard let entry = entries.removeValue(forKey: client) else { return }
        if entry.holders > 0 { early[client] = [entry.present.owner: entry.holders] }
        let left = (counts[entry.present.owner] ?? 1) - 1
        counts[entry.present.owner] = left > 0 ? left : nil
        growth.append((entry.present.owner, -entry.present.weight))
        if isTold { self.left.append(entry.present) }
        number += 1
        gone.append((client, number))
        if gone.count > PresenceRoom.goneMax {
            forgotten = gone.removeFirst().number
        }
    }

    /// All leave: the document's life ended that they are in.
    mutating func end(life: Int) {
        guard life >= self.life else { return }
        for (client, entry) in entries.sorted(by: { $0.key < $1.key }) {
            leave(client, isTold: entry.wasTold)
        }
    }

    /// The document has a life that began with a revision: who was in another one is not there.
    mutating func begin(life: Int) {
        if life > self.life, self.life >= 0 { end(life: self.life) }
        self.life = max(self.life, life)
    }

    /// Whose time is over leaves.
    mutating func expire(at now: Int) {
        for (client, entry) in entries where entry.holders == 0 && entry.present.until <= now {
            leave(client, isTold: entry.wasTold)
        }
    }

    /// The first time at which a client expires.
    var deadline: Int? {
        entries.values.lazy.filter { $0.holders == 0 }.map(\.present.until).min()
    }

    /// The reports for other daemons: clients that are new, changed, or were reported long ago; and
    /// those that left.
    mutating func takeNews(at now: Int, again: Int) -> (here: [Present], gone: [Present]) {
        var here: [Present] = []
        for (client, entry) in entries where !entry.isForeign {
            guard entry.isNews || now - entry.toldAt >= again else { continue }
            here.append(entry.present)
            entries[client]?.isNews = false
            entries[client]?.toldAt = max(1, now)
        }
        defer { left = [] }
        return (here, left.filter { entries[$0.client] == nil })
    }

    /// Applies another daemon's report of a client: if a client is on two daemons, the later report
    /// counts.
    mutating func hear(_ present: Present, isGone: Bool) {
        let known = entries[present.client]
        if let known, !known.isForeign, known.present.stamp >= present.stamp { return }
        if let known, known.present.stamp > present.stamp { return }
        if isGone {
            if known?.present.owner == present.owner { leave(present.client) }
            return
        }
        guard (try? set(present)) != nil else { return }
        entries[present.client]?.isForeign = true
        entries[present.client]?.isNews = false
    }

    /// A stream keeps a client here as long as it lasts.
    mutating func hold(_ client: Name, _ owner: Name) {
        if entries[client] == nil {
            early[client, default: [:]][owner, default: 0] += 1
        } else {
            entries[client]?.holders += 1
        }
    }

    /// The stream has ended.
    mutating func release(_ client: Name, _ owner: Name, at now: Int) {
        guard var entry = entries[client], entry.present.owner == owner else {
            let left = (early[client]?[owner] ?? 1) - 1
            early[client]?[owner] = left > 0 ? left : nil
            if early[client]?.isEmpty ?? false { early[client] = nil }
            return
        }
        entry.holders = max(0, entry.holders - 1)
        if entry.holders == 0 {
            let grace = now + PresenceRoom.graceMilliseconds
            entry.present.until = max(entry.present.until, grace)
        }
        entries[client] = entry
    }

    /// All who are here, in the order of their names.
    var all: [Present] { entries.values.map(\.present).sorted { $0.client < $1.client } }

    /// The changes since a number; `nil` if there are none.
    func change(in document: DocumentID, since known: Int?) -> PresenceChange? {
        guard let known, known >= forgotten else {
            return PresenceChange(document: document, clients: all, gone: [], isAll: true)
        }
        if known == number { return nil }
        let new = entries.values.filter { $0.number > known }.map(\.present)
        let left = Set(gone.filter { $0.number > known }.map(\.client))
        return PresenceChange(
            document: document, clients: new.sorted { $0.client < $1.client },
            gone: left.filter { entries[$0] == nil }.sorted(), isAll: false)
    }
}

extension Present {
    /// Whether others see the same of both.
    fileprivate func shows(_ other: Present) -> Bool {
        state == other.state && revision == other.revision && actor == other.actor
    }
}
