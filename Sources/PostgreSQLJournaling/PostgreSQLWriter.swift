import Glibc
import Journaling

/// The connection that writes. One thread at a time uses it.
///
/// A batch is one transaction: a statement for each document, in the order of their names, and then
/// the one that numbers all entries. So two daemons never wait for each other in a circle, and what
/// is stored is decided by the comparison with the document's revision and chain alone.
struct PostgreSQLWriter {
    typealias Command = PostgreSQLConnection.Command

    private let address: PostgreSQLAddress
    private let isPreparing: Bool
    private let patience: Duration
    private let identity: DatabaseIdentity
    private let now: @Sendable () -> Duration
    private var connection: PostgreSQLConnection?
    /// When the database could not be reached, last.
    private var unreachedAt: Duration?
    /// A number that what is stored here comes after: that of the last entry, or of the last one of
    /// anybody when this began.
    private var lastKnown: Int

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
        _ identity: DatabaseIdentity, _ now: @escaping @Sendable () -> Duration
    ) {
        self.address = address
        lastKnown = last
        self.isPreparing = isPreparing
        self.patience = patience
        self.identity = identity
        self.now = now
    }

    mutating func close() {
        connection = nil
    }

    // MARK: Committing

    /// Stores what follows. Returns the fates of the entries.
    mutating func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate] {
        let entries = batch.entries
        // What is asked of other documents is asked under their locks.
        var isUncontended = batch.units.allSatisfy(\.conditions.isEmpty)
        return try perform { transaction throws(PostgreSQLError) in
            if isUncontended, let fates = try transaction.appendAll(entries) { return fates }
            if batch.isOneUnit && isUncontended { return entries.map { _ in .refused } }
            isUncontended = false
            try transaction.append(batch)
            return try transaction.commit()
        }
    }

    /// Locks documents, and stores what `make` returns for their entries after what is known.
    mutating func commit(
        to documents: [DocumentRevision],
        _ make: ([DocumentID: [JournalEntry]]) -> JournalBatch
    ) throws(JournalError) -> [EntryFate] {
        var made: JournalBatch?
        return try perform { transaction throws(PostgreSQLError) in
            let missed = try transaction.lock(documents)
            // A transaction that is tried again commits what was made the first time.
            let batch = made ?? make(missed)
            made = batch
            try transaction.append(batch)
            return try transaction.commit()
        }
    }

    /// Does something in a transaction until it is stored or refused.
    private mutating func perform(
        _ body: (inout AppendingTransaction) throws(PostgreSQLError) -> [EntryFate]
    ) throws(JournalError) -> [EntryFate] {
        var mayArrive = false
        do throws(JournalError) {
            return try perform(&mayArrive, body)
        } catch {
            throw mayArrive ? error.withCommitUnderWay : error
        }
    }

    /// `mayArrive`: whether a commit was lost on its way, and is not there yet. Then only an
    /// attempt that takes its place, or finds it taken, says that it will never be.
    private mutating func perform(
        _ mayArrive: inout Bool,
        _ body: (inout AppendingTransaction) throws(PostgreSQLError) -> [EntryFate]
    ) throws(JournalError) -> [EntryFate] {
        var attempts = 0
        while true {
            let connection = try reach()
            var transaction = AppendingTransaction(connection)
            do throws(PostgreSQLError) {
                let fates = try body(&transaction)
                for case .stored(let sequence) in fates { lastKnown = max(lastKnown, sequence) }
                return fates
            } catch {
                if transaction.isCommitting, !error.isCertain {
                    self.connection = nil
                    if let last = try resolve(transaction) {
                        return transaction.fates(last: last)
                    }
                    mayArrive = true
                }
                attempts += 1
                try recover(from: error, attempts)
            }
        }
    }

    /// Prepares for another attempt, or throws.
    private mutating func recover(
        from error: PostgreSQLError, _ attempts: Int
    ) throws(JournalError) {
        switch error {
        case .transient: break
        case .lost, .unreachable, .readOnly: connection = nil
        case .full, .refused, .lostHistory:
            // Whatever is begun there is taken back.
            connection = nil
            throw error.asJournalError
        }
        guard attempts < PostgreSQLWriter.attemptsMax else { throw error.asJournalError }
        PostgreSQLWriter.pause(attempts)
    }

    /// Random, so that those who met do not meet again, and the longer the more often it was tried.
    private static func pause(_ attempts: Int) {
        usleep(UInt32.random(in: 500...(1_000 << UInt32(min(attempts, 7)))))
    }

    // MARK: The connection

    /// The connection, made anew if it was lost.
    private mutating func reach() throws(JournalError) -> PostgreSQLConnection {
        try reach(within: PostgreSQLWriter.reachTime)
    }

    private mutating func reach(
        within time: Duration
    ) throws(JournalError) -> PostgreSQLConnection {
        if let connection { return connection }
        // While nobody can be reached, not everybody tries for so long.
        let isHopeless = unreachedAt.map { now() - $0 < PostgreSQLWriter.hopelessTime } ?? false
        let end = now() + (isHopeless ? .zero : time)
        var attempts = 0
        while true {
            do throws(PostgreSQLError) {
                let made = try PostgreSQLConnection(
                    address, isPreparing: isPreparing, patience: patience)
                try made.begin()
                try identity.check(made)
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

    /// What became of a transaction whose commit was not confirmed: the number of its last entry,
    /// or `nil` if it is not stored.
    ///
    /// It may still run. It holds the locks of its documents, so trying to store its first entry
    /// again waits for its end. Then its row in the order of all says whether it is there.
    private mutating func resolve(
        _ transaction: AppendingTransaction
    ) throws(JournalError) -> Int? {
        let end = now() + PostgreSQLWriter.resolveTime
        var attempts = 0
        while true {
            do throws(PostgreSQLError) {
                return try ask(about: transaction, try reached(within: end - now()))
            } catch {
                attempts += 1
                if case .transient = error {} else { connection = nil }
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
    ) throws(PostgreSQLError) -> Int? {
        let first = AppendingTransaction.storing([transaction.stored[0]], [])
        try connection.run([Command(.begin), first, Command(.rollback)])
        let found = try connection.run([
            Command(.batch, [.integer(lastKnown), .bytes(transaction.batch)])
        ])
        guard let last = found[0].rows.first?.integer(0) else { return nil }
        // It may be here and not yet on the standby: this waits for both.
        try connection.run(
            [Command(.begin)] + connection.opening + [Command(.touch), Command(.commit)])
        return last
    }
}

extension JournalBatch {
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
        case .transient, .full, .readOnly, .refused, .lostHistory: true
        }
    }

    /// The words of it.
    var reason: String {
        switch self {
        case .unreachable(let reason), .lost(let reason), .transient(let reason),
            .full(let reason), .readOnly(let reason), .refused(_, let reason),
            .lostHistory(let reason):
            reason
        }
    }
}
