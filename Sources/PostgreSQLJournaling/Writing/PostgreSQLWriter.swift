import Glibc
import Journaling

/// The connection that writes. One thread at a time uses it.
///
/// A batch is one transaction: its documents in the order of their names, then new ones, and last
/// the statement that numbers all entries. So two daemons hardly ever wait for each other in a
/// circle (the server ends that, and it is tried again), and what is stored is decided by the
/// comparison with the document's revision and chain alone.
struct PostgreSQLWriter {
    typealias Command = PostgreSQLConnection.Command

    private let address: PostgreSQLAddress
    private let isPreparing: Bool
    private let patience: Duration
    private let identity: DatabaseIdentity
    private let segments: SegmentCache<SegmentKey>
    private let now: @Sendable () -> Duration
    private var connection: PostgreSQLConnection?
    /// When the database could not be reached, last.
    private var unreachedAt: Duration?
    /// A number before all entries that this writer stores: that of its last entry, or of the last
    /// entry of all writers when this one began.
    private var lastKnown: Int

    /// The time since which another transaction holds each document.
    private var held: [DocumentID: Duration] = [:]

    /// The limit of the wait for a document that another transaction holds.
    private static let heldTime = Duration.seconds(16)
    /// How often it is asked for then, in microseconds, if nothing else is to be done.
    private static let heldPause: UInt32 = 20_000
    /// How long an unreachable database is tried.
    private static let reachTime = Duration.seconds(3)
    /// How long it is asked what became of a commit.
    private static let resolveTime = Duration.seconds(12)
    /// How long it is taken for unreachable after that, so that all are refused soon.
    private static let hopelessTime = Duration.seconds(1)
    /// How often a transaction is tried that met another one.
    private static let attemptsMax = 8

    init(
        _ address: PostgreSQLAddress, after last: Int, isPreparing: Bool, patience: Duration,
        _ identity: DatabaseIdentity, _ segments: SegmentCache<SegmentKey>,
        _ now: @escaping @Sendable () -> Duration
    ) {
        self.address = address
        lastKnown = last
        self.isPreparing = isPreparing
        self.patience = patience
        self.identity = identity
        self.segments = segments
        self.now = now
    }

    mutating func close() {
        connection = nil
    }

    // MARK: Committing

    /// Stores what follows. Returns the fates of the entries.
    mutating func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate] {
        if held.isEmpty, let fates = try commitAll(batch) { return fates }
        return try commitAround(batch)
    }

    /// Stores the entries that follow; `nil`, and does nothing, if another transaction holds a
    /// document and the call must not wait.
    private mutating func commitAll(
        _ batch: JournalBatch, isPatient: Bool = false
    ) throws(JournalError) -> [EntryFate]? {
        let entries = batch.entries
        var isSentAtOnce = true
        return try performUnlessLocked(isPatient: isPatient) {
            transaction throws(PostgreSQLError) in
            if isSentAtOnce, let fates = try transaction.commitAtOnce(batch) { return fates }
            if batch.isOneUnit && isSentAtOnce && batch.conditions.isEmpty {
                return entries.map { _ in .refused }
            }
            isSentAtOnce = false
            try transaction.append(batch)
            return try transaction.commit()
        }
    }

    /// Performs a transaction; `nil`, and does nothing, if another transaction holds a document and
    /// the call must not wait.
    private mutating func performUnlessLocked(
        isPatient: Bool,
        _ body: (inout AppendingTransaction) throws(PostgreSQLError) -> [EntryFate]
    ) throws(JournalError) -> [EntryFate]? {
        var isLocked = false
        let fates = try perform(isPatient: isPatient) { transaction throws(PostgreSQLError) in
            do throws(PostgreSQLError) { return try body(&transaction) } catch {
                guard case .locked = error, !transaction.isPatient else { throw error }
                isLocked = true
                return []
            }
        }
        return isLocked ? nil : fates
    }

    // MARK: Documents that another transaction holds

    /// Stores the entries of documents that no other transaction holds; the rest has to be
    /// committed again.
    private mutating func commitAround(
        _ batch: JournalBatch
    ) throws(JournalError) -> [EntryFate] {
        let kept = try kept(
            of: Set(batch.entries.map(\.document) + batch.conditions.map(\.document)))
        let isHeld = batch.waiting(for: kept)
        guard isHeld.contains(true) else {
            // It was a short wait, or one for something else.
            return try commitAll(batch, isPatient: true) ?? []
        }
        let (rest, places) = batch.keeping(isHeld.map { !$0 })
        var fates: [EntryFate] = batch.entries.map { _ in .held }
        if places.isEmpty {
            // All entries that are left wait for these documents.
            usleep(PostgreSQLWriter.heldPause)
        } else if let stored = try commitAll(rest) {
            for (place, fate) in zip(places, stored) { fates[place] = fate }
        }
        giveUp(kept, of: batch, isHeld, &fates)
        return fates
    }

    /// The documents that other transactions hold. Waits for none of them.
    private mutating func kept(
        of documents: Set<DocumentID>
    ) throws(JournalError) -> Set<DocumentID> {
        var kept: Set<DocumentID> = []
        _ = try perform { transaction throws(PostgreSQLError) in
            kept = try transaction.kept(documents)
            return []
        }
        let time = now()
        // No request has asked for these for a long time.
        held = held.filter { time - $0.value <= PostgreSQLWriter.heldTime * 2 }
        for document in documents {
            held[document] = kept.contains(document) ? held[document] ?? time : nil
        }
        return kept
    }

    /// Gives up entries that have waited for too long.
    private mutating func giveUp(
        _ kept: Set<DocumentID>, of batch: JournalBatch, _ isHeld: [Bool],
        _ fates: inout [EntryFate]
    ) {
        let over = overdue(kept)
        if over.isEmpty { return }
        for (place, isOver) in batch.waiting(for: over).enumerated() where isOver && isHeld[place] {
            fates[place] = .failed(PostgreSQLWriter.isKept)
        }
        for document in over { held[document] = nil }
    }

    /// The documents that another transaction has held for too long.
    private func overdue(_ kept: Set<DocumentID>) -> Set<DocumentID> {
        kept.filter { held[$0].map { now() - $0 > PostgreSQLWriter.heldTime } ?? false }
    }

    private static let isKept = JournalError.unavailable(
        "another session of the database holds a document")

    // MARK: Turns

    /// Locks documents, and stores what `make` returns for their entries after what is known.
    mutating func commit(
        to documents: [DocumentRevision], _ make: (TurnBeginning) -> JournalBatch
    ) throws(JournalError) -> [EntryFate] {
        if held.isEmpty, let fates = try turn(at: documents, make) { return fates }
        let kept = try kept(of: Set(documents.map(\.document)))
        let over = overdue(kept)
        let errors = Dictionary(uniqueKeysWithValues: over.map { ($0, PostgreSQLWriter.isKept) })
        let free = documents.filter { !kept.contains($0.document) }
        var fates: [EntryFate]? = []
        if !free.isEmpty {
            // If no document is held, the wait was short, or one of many.
            fates = try turn(at: free, overdue: errors, isPatient: kept.isEmpty, make)
        } else if over.isEmpty {
            // All entries that are left wait for these documents.
            usleep(PostgreSQLWriter.heldPause)
        } else {
            _ = make(TurnBeginning(overdue: errors))
        }
        guard let fates else { return [] }
        for document in over { held[document] = nil }
        return fates
    }

    /// `nil`, and `make` was not called, if another transaction holds a document and the call must
    /// not wait.
    private mutating func turn(
        at documents: [DocumentRevision], overdue: [DocumentID: JournalError] = [:],
        isPatient: Bool = false, _ make: (TurnBeginning) -> JournalBatch
    ) throws(JournalError) -> [EntryFate]? {
        var made: JournalBatch?
        var isLocked = false
        // Entries that were made have a promised response: a lock is not a reason to give them up.
        let fates = try perform(isPatient: isPatient || made != nil) {
            transaction throws(PostgreSQLError) in
            var beginning: TurnBeginning
            do throws(PostgreSQLError) {
                beginning = try transaction.lock(documents)
            } catch {
                guard case .locked = error, made == nil, !transaction.isPatient else { throw error }
                isLocked = true
                return []
            }
            transaction.becomePatient()
            beginning.overdue.merge(overdue) { one, _ in one }
            // A transaction that is tried again commits what was made the first time.
            let batch = made ?? make(beginning)
            made = batch
            if batch.units.isEmpty, !batch.entries.isEmpty,
                let fates = try transaction.commitAtOnce(batch)
            {
                return fates
            }
            try transaction.append(batch)
            return try transaction.commit()
        }
        return isLocked ? nil : fates
    }

    /// Does something in a transaction until it is stored or refused.
    private mutating func perform(
        isPatient: @autoclosure () -> Bool = true,
        _ body: (inout AppendingTransaction) throws(PostgreSQLError) -> [EntryFate]
    ) throws(JournalError) -> [EntryFate] {
        var mayArrive = false
        do throws(JournalError) {
            return try perform(&mayArrive, isPatient, body)
        } catch {
            throw mayArrive ? error.withCommitUnderWay : error
        }
    }

    /// `mayArrive`: whether a commit was lost on its way, and is not there yet. Then only an
    /// attempt that takes its place, or finds it taken, says that it will never be.
    private mutating func perform(
        _ mayArrive: inout Bool, _ isPatient: () -> Bool,
        _ body: (inout AppendingTransaction) throws(PostgreSQLError) -> [EntryFate]
    ) throws(JournalError) -> [EntryFate] {
        var attempts = 0
        var lost: [AppendingTransaction] = []
        while true {
            let connection = try reach()
            // A commit that may still arrive is not given up for a lock: its outcome would stay
            // unknown.
            var transaction = AppendingTransaction(
                connection, isPatient: isPatient() || mayArrive)
            let fates: [EntryFate]
            do throws(PostgreSQLError) {
                fates = try body(&transaction)
            } catch {
                if transaction.isCommitting, !error.isCertain {
                    self.connection = nil
                    if let fates = try resolve(transaction) { return noted(fates) }
                    mayArrive = true
                    lost.append(transaction)
                }
                attempts += 1
                try recover(from: error, attempts)
                continue
            }
            return noted(fates.contains(.refused) ? try found(lost, in: fates) : fates)
        }
    }

    private mutating func noted(_ fates: [EntryFate]) -> [EntryFate] {
        for case .stored(let sequence) in fates { lastKnown = max(lastKnown, sequence) }
        return fates
    }

    /// An entry may be refused because it is stored already: by its own commit, which was given up
    /// and arrived after all.
    private mutating func found(
        _ lost: [AppendingTransaction], in fates: [EntryFate]
    ) throws(JournalError) -> [EntryFate] {
        var fates = fates
        for transaction in lost {
            for (place, fate) in (try resolve(transaction) ?? []).enumerated() {
                if case .stored = fate { fates[place] = fate }
            }
        }
        return fates
    }

    /// Prepares for another attempt, or throws.
    private mutating func recover(
        from error: PostgreSQLError, _ attempts: Int
    ) throws(JournalError) {
        switch error {
        case .transient, .locked: break
        case .lost, .unreachable, .readOnly: connection = nil
        case .full, .refused, .lostHistory, .corrupt:
            // The server rolls back the transaction.
            connection = nil
            throw error.asJournalError
        }
        guard attempts < PostgreSQLWriter.attemptsMax else { throw error.asJournalError }
        PostgreSQLWriter.pause(attempts)
    }

    /// Random, so that colliding daemons do not collide again; longer after each attempt.
    private static func pause(_ attempts: Int) {
        usleep(UInt32.random(in: 500...(1_000 << UInt32(min(attempts, 7)))))
    }

    // MARK: The connection

    /// The connection; a new one if it was lost.
    private mutating func reach() throws(JournalError) -> PostgreSQLConnection {
        try reach(within: PostgreSQLWriter.reachTime)
    }

    private mutating func reach(
        within time: Duration
    ) throws(JournalError) -> PostgreSQLConnection {
        if let connection { return connection }
        // While the server is unreachable, further calls try for a shorter time.
        let isHopeless = unreachedAt.map { now() - $0 < PostgreSQLWriter.hopelessTime } ?? false
        let end = now() + (isHopeless ? .zero : time)
        var attempts = 0
        while true {
            do throws(PostgreSQLError) {
                let made = try PostgreSQLConnection(
                    address, isPreparing: isPreparing, patience: patience, segments: segments)
                try made.begin()
                try identity.check(made)
                if made.keepsSession { try made.run([Command(.waitsForMoment)]) }
                connection = made
                unreachedAt = nil
                return made
            } catch {
                attempts += 1
                if case .lostHistory = error { throw error.asJournalError }
                guard now() < end else {
                    unreachedAt = now()
                    throw error.asJournalError
                }
                PostgreSQLWriter.pause(attempts)
            }
        }
    }

    // MARK: A commit that was not confirmed

    /// The outcome of the entries of a transaction whose commit was not confirmed; `nil` if none
    /// are stored.
    ///
    /// It may still run. It holds the locks of documents, so trying to store its entries again
    /// waits for its end. Then its row in the order of all says what is there.
    private mutating func resolve(
        _ transaction: AppendingTransaction
    ) throws(JournalError) -> [EntryFate]? {
        let end = now() + PostgreSQLWriter.resolveTime
        var attempts = 0
        while true {
            do throws(PostgreSQLError) {
                return try ask(about: transaction, try reached(within: end - now()))
            } catch {
                attempts += 1
                switch error {
                case .transient, .locked: break
                default: connection = nil
                }
                guard now() < end else {
                    throw .uncertain("the database says: \(error.reason)")
                }
                PostgreSQLWriter.pause(attempts)
            }
        }
    }

    private mutating func reached(
        within time: Duration
    ) throws(PostgreSQLError) -> PostgreSQLConnection {
        do throws(JournalError) {
            return try reach(within: time)
        } catch {
            throw .unreachable(error.description)
        }
    }

    private func ask(
        about transaction: AppendingTransaction, _ connection: PostgreSQLConnection
    ) throws(PostgreSQLError) -> [EntryFate]? {
        try connection.run([Command(.begin)] + transaction.trials + [Command(.rollback)])
        let found = try connection.run([
            Command(.batch, [.integer(lastKnown), .bytes(transaction.batch)])
        ])
        if found[0].rows.isEmpty { return nil }
        // It may be here and not yet on the standby: this waits for both.
        try connection.run(
            [Command(.begin)] + connection.opening + [Command(.touch), Command(.commit)])
        return transaction.fates(in: found[0].rows.flatMap(PostgreSQLConnection.places))
    }
}

extension JournalBatch {
    fileprivate var conditions: [JournalCondition] { units.flatMap(\.conditions) }

    /// Which entries have to wait for documents, with their units, and those that follow them.
    fileprivate func waiting(for documents: Set<DocumentID>) -> [Bool] {
        var waiting = documents
        var isWaiting = entries.map { _ in false }
        func wait(_ places: Range<Int>, for conditions: [JournalCondition] = []) {
            let all = places.map { entries[$0].document } + conditions.map(\.document)
            guard all.contains(where: waiting.contains) else { return }
            for place in places {
                isWaiting[place] = true
                waiting.insert(entries[place].document)
            }
        }
        var units = units[...]
        var place = 0
        while place < entries.count {
            if let unit = units.first, unit.places.lowerBound == place {
                units.removeFirst()
                wait(unit.places, for: unit.conditions)
                place = max(unit.places.upperBound, place + 1)
            } else {
                wait(place..<(place + 1))
                place += 1
            }
        }
        return isWaiting
    }

    /// Whether none of its entries can be stored without all others.
    fileprivate var isOneUnit: Bool { units.first?.places == entries.indices }
}

extension JournalError {
    /// The same, where a commit that was sent before may still arrive.
    fileprivate var withCommitUnderWay: JournalError {
        switch self {
        case .uncertain, .outcomeUnknown, .stopped: self
        default: .uncertain("a commit may still be on its way to the database; \(description)")
        }
    }
}

extension PostgreSQLError {
    /// Whether a transaction that ended so is certainly not stored.
    fileprivate var isCertain: Bool {
        switch self {
        case .lost, .unreachable: false
        case .transient, .locked, .full, .readOnly, .refused, .lostHistory, .corrupt: true
        }
    }

    /// The words of it.
    var reason: String {
        switch self {
        case .unreachable(let reason), .lost(let reason), .transient(let reason),
            .locked(let reason), .full(let reason), .readOnly(let reason), .refused(_, let reason),
            .lostHistory(let reason), .corrupt(let reason):
            reason
        }
    }
}
