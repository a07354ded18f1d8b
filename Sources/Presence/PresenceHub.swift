public import Journaling
public import Naming
import Threading

/// The clients present in each document. In no journal: a restart forgets them.
///
/// Followers receive changes at most every 50 ms, the newest state of each client. Any thread may
/// use it; nothing blocks.
public final class PresenceHub: Sendable {
    struct State {
        var rooms: [DocumentID: PresenceRoom] = [:]
        /// About how many bytes all take in memory, and those of each owner.
        var weight = 0
        var weights: [Name: Int] = [:]
        /// Up to which change of each document followers have been woken.
        var told: [DocumentID: Int] = [:]
        /// Documents that have changed since.
        var changed: Set<DocumentID> = []
        var waiting: [DocumentID: [Int: @Sendable () -> Void]] = [:]
        /// How many follow each document, and how many have followed.
        var followed: [DocumentID: Int] = [:]
        var followers = 0
        /// When followers were woken last.
        var wokenAt = 0
        /// The time of the last request for present clients.
        var askedAt: Int?
    }

    let state = Lock(State())
    let now: @Sendable () -> Int
    /// Wakes the senders, which takes a while with many.
    private let waker: WorkQueue
    let (wakeUps, wakeUp) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// The memory that all states may take together. Those of one owner take a half at most.
    public static let bytesMax = 32 << 20
    /// As many clients may be in a document.
    public static let clientsMax = PresenceRoom.clientsMax
    /// Changes of a document within this time are sent together.
    static let pauseMilliseconds = 50
    /// The approximate limit on bytes of a part, which one document may exceed.
    private static let partBytes = 64 << 10

    /// `now` returns milliseconds since 1970.
    public init(hasThread: Bool = true, now: @escaping @Sendable () -> Int) {
        self.now = now
        waker = WorkQueue(name: "presence", threads: hasThread ? 1 : 0, yields: true)
    }

    // MARK: Present clients

    /// A client joins a document, changes its state, or renews its presence for some time.
    public func set(
        _ document: DocumentID, _ client: Name, actor: Name, owner: Name, state shown: [UInt8],
        revision: Int?, milliseconds: Int, life: Int = 0
    ) throws(PresenceError) {
        let now = now()
        let present = Present(
            client: client, actor: actor, owner: owner, state: shown, revision: revision,
            stamp: now, since: now, until: now + milliseconds)
        try state.withLock { state throws(PresenceError) in
            try state.checkRoom(for: present, in: document)
            try state.change(document) { room throws(PresenceError) in
                room.begin(life: life)
                try room.set(present)
            }
        }
        wakeUp.yield()
    }

    /// A client leaves.
    public func remove(
        _ document: DocumentID, _ client: Name, owner: Name
    ) throws(PresenceError) {
        try state.withLock { state throws(PresenceError) in
            try state.change(document) { room throws(PresenceError) in
                try room.remove(client, of: owner)
            }
        }
        wakeUp.yield()
    }

    /// A life of the document ended, which began with a revision, and so did being in it.
    public func end(_ document: DocumentID, life: Int) {
        state.withLock { state in
            if state.rooms[document] != nil { state.change(document) { $0.end(life: life) } }
        }
        wakeUp.yield()
    }

    /// All who are in a document, in the order of their clients.
    public func all(in document: DocumentID, life: Int = 0) -> [Present] {
        let now = now()
        return state.withLock { state in
            state.askedAt = now
            state.change(document) { room in
                if !room.isEmpty { room.begin(life: life) }
                room.expire(at: now)
            }
            return state.rooms[document]?.all ?? []
        }
    }

    /// How many are in all documents, and about how many bytes they take.
    public var figures: (clients: Int, bytes: Int) {
        state.withLock { state in
            (state.rooms.values.reduce(0) { $0 + $1.count }, state.weight)
        }
    }

    /// How many documents something is known of.
    var roomCount: Int { state.withLock { $0.rooms.count } }

    // MARK: Following

    /// Follows documents. `client`: one that stays as long as the subscription does, and 5 s more.
    public func follow(
        _ documents: Set<DocumentID>, keeping client: Name?, owner: Name
    ) throws(PresenceError) -> PresenceSubscription {
        let number = try state.withLock { state throws(PresenceError) in
            if let client {
                for document in documents {
                    let known = state.rooms[document]?.owner(of: client)
                    if let known, known != owner { throw .foreign(client: client) }
                }
                for document in documents { state.change(document) { $0.hold(client, owner) } }
            }
            for document in documents { state.followed[document, default: 0] += 1 }
            state.followers += 1
            return state.followers
        }
        return PresenceSubscription(
            documents, keeping: client, owner: owner, number: number, self)
    }

    /// The changes that a follower does not have, of the documents where some may exist; it is
    /// woken when there are more.
    func changes(
        since known: [DocumentID: Int], _ documents: Set<DocumentID>, of follower: Int,
        _ wake: @escaping @Sendable () -> Void
    ) -> (changes: [PresenceChange], known: [DocumentID: Int]) {
        state.withLock { state in
            var (changes, known) = ([PresenceChange](), known)
            var bytes = 0
            for document in documents {
                state.waiting[document, default: [:]][follower] = wake
                // The rest follows in the next part, so that a sender holds one part at most.
                if bytes > PresenceHub.partBytes { continue }
                let room = state.rooms[document] ?? PresenceRoom()
                // Changes since the last notification are sent with the next one.
                if let last = known[document], state.told[document] ?? 0 <= last { continue }
                if let change = room.change(in: document, since: known[document]) {
                    changes.append(change)
                    bytes += change.clients.reduce(0) { $0 + $1.weight }
                }
                known[document] = room.number
            }
            return (changes, known)
        }
    }

    func leave(
        _ documents: Set<DocumentID>, keeping client: Name?, _ owner: Name, _ follower: Int
    ) {
        let now = now()
        state.withLock { state in
            for document in documents {
                state.waiting[document]?[follower] = nil
                if state.waiting[document]?.isEmpty ?? false { state.waiting[document] = nil }
                let left = (state.followed[document] ?? 1) - 1
                state.followed[document] = left > 0 ? left : nil
                state.change(document) { room in
                    if let client { room.release(client, owner, at: now) }
                }
            }
        }
        wakeUp.yield()
    }

    // MARK: Time

    /// Removes expired clients and wakes the followers of changed documents. Returns the
    /// milliseconds until the next call; `nil`: at the next change.
    package func step() -> Int? {
        let now = now()
        let (woken, next) = state.withLock { $0.step(at: now) }
        if !woken.isEmpty {
            _ = waker.async { for wake in woken { wake() } }
        }
        return next
    }

    /// Runs until its task is cancelled.
    public func run<C: Clock>(on clock: C) async where C.Duration == Duration {
        var wakeUps = wakeUps.makeAsyncIterator()
        while !Task.isCancelled {
            let alarm = step().map { delay in
                Task { [wakeUp] in
                    try await clock.sleep(for: .milliseconds(delay))
                    wakeUp.yield()
                }
            }
            _ = await wakeUps.next()
            alarm?.cancel()
        }
    }

    /// Ends the thread.
    public func close() { waker.stop() }
}

extension PresenceHub.State {
    /// Changes who is in a document.
    fileprivate mutating func change(
        _ document: DocumentID, _ body: (inout PresenceRoom) throws(PresenceError) -> Void
    ) throws(PresenceError) {
        var room = rooms.removeValue(forKey: document) ?? PresenceRoom()
        let number = room.number
        defer {
            for (owner, bytes) in room.takeGrowth() { count(bytes, of: owner) }
            if room.number != number { changed.insert(document) }
            // The numbers that followers know must not restart while there are followers.
            let isNeeded = !room.isEmpty || followed[document] != nil
            if isNeeded { rooms[document] = room } else { forget(document) }
        }
        try body(&room)
    }

    /// The same for changes that cannot fail.
    mutating func change(
        _ document: DocumentID, _ body: (inout PresenceRoom) -> Void
    ) {
        let same: (inout PresenceRoom) throws(PresenceError) -> Void = { body(&$0) }
        try? change(document, same)
    }

    private mutating func count(_ bytes: Int, of owner: Name) {
        weight += bytes
        let own = weights[owner, default: 0] + bytes
        weights[owner] = own > 0 ? own : nil
    }

    /// Throws if the limits leave no room for a client's state.
    func checkRoom(for present: Present, in document: DocumentID) throws(PresenceError) {
        let growth = present.weight - (rooms[document]?.weight(of: present.client) ?? 0)
        let own = weights[present.owner] ?? 0
        guard
            growth <= 0
                || PresenceShare.allows(
                    own: own + growth, of: weight + growth, max: PresenceHub.bytesMax)
        else { throw .tooManyBytes(own: own) }
    }

    private mutating func forget(_ document: DocumentID) {
        told[document] = nil
        changed.remove(document)
    }

    fileprivate mutating func step(
        at now: Int
    ) -> (woken: [@Sendable () -> Void], next: Int?) {
        for (document, room) in rooms {
            guard let deadline = room.deadline, deadline <= now else { continue }
            change(document) { $0.expire(at: now) }
        }
        let deadline = rooms.values.lazy.compactMap(\.deadline).min()
        let rest = deadline.map { max(1, $0 - now) }
        if changed.isEmpty { return ([], rest) }
        let pause = wokenAt + PresenceHub.pauseMilliseconds - now
        if pause > 0, pause <= PresenceHub.pauseMilliseconds {
            return ([], min(pause, rest ?? pause))
        }
        wokenAt = now
        var woken: [@Sendable () -> Void] = []
        for document in changed {
            told[document] = rooms[document]?.number
            woken += waiting.removeValue(forKey: document)?.values.map { $0 } ?? []
        }
        changed = []
        return (woken, rest)
    }
}
