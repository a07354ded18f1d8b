import Journaling
import Logging
import Threading

/// A journal whose commits are timed and counted, and whose faults are logged.
struct MeasuredJournal: ForwardingJournal {
    let base: any Journal
    private let measurements: Measurements
    private let duration: Histogram
    private let batch: Histogram
    private let logger: Logger
    private let lastFault = Lock<JournalError?>(nil)
    private let stopped: @Sendable () -> Void

    /// `stopped` is called when nothing can be stored any more.
    init(
        _ base: any Journal, _ measurements: Measurements, _ logger: Logger,
        stopped: @escaping @Sendable () -> Void
    ) {
        self.stopped = stopped
        self.logger = logger
        self.base = base
        self.measurements = measurements
        duration = measurements.board.histogram("versiond_commit_duration_seconds")
        batch = measurements.board.histogram("versiond_commit_batch_events")
    }

    var shared: (any SharedJournal)? { base.shared.map { MeasuredTurns(turns: $0, journal: self) } }

    func commit(_ entries: JournalBatch) throws(JournalError) -> [EntryFate] {
        try measured(try base.commit(entries))
    }

    /// Does a commit, and notes how long it took, or why it failed.
    fileprivate func measured(
        _ commit: @autoclosure () throws(JournalError) -> [EntryFate]
    ) throws(JournalError) -> [EntryFate] {
        let start = measurements.now()
        do {
            let fates = try commit()
            duration.record(measurements.now() - start)
            batch.record(Double(fates.count))
            note(nil)
            return fates
        } catch {
            measurements.count("versiond_commit_errors_total", "error", error.word)
            note(error)
            throw error
        }
    }

    /// Reads; what is shared may be found to have gone back.
    fileprivate func read<Value>(
        _ body: @autoclosure () throws(JournalError) -> Value
    ) throws(JournalError) -> Value {
        do { return try body() } catch {
            if case .stopped = error { note(error) }
            throw error
        }
    }

    var fault: JournalError? {
        let fault = base.fault
        if base.shared != nil, case .stopped? = fault { note(fault) }
        return fault
    }

    /// Logs a fault when it begins and when it is over; clients only say that they were refused.
    private func note(_ fault: JournalError?) {
        let last = lastFault.withLock { last in
            defer { last = fault }
            return last
        }
        guard fault != last else { return }
        switch fault {
        case let fault? where fault.isFinal:
            logger.critical("the journal has stopped; restart the daemon: \(fault)")
            stopped()
        case let fault?: logger.error("the journal cannot store changes: \(fault)")
        case nil: logger.notice("the journal stores changes again")
        }
    }
}

/// A shared journal whose turns are measured like all commits.
private struct MeasuredTurns: ForwardingJournal, SharedJournal {
    let turns: any SharedJournal
    let journal: MeasuredJournal
    var base: any Journal { journal }

    var shared: (any SharedJournal)? { self }

    func commit(
        to documents: [DocumentRevision], _ make: (TurnBeginning) -> JournalBatch
    ) throws(JournalError) -> [EntryFate] {
        try journal.measured(try turns.commit(to: documents, make))
    }

    func entries(
        after known: [DocumentRevision]
    ) throws(JournalError) -> [DocumentID: [JournalEntry]] {
        try journal.read(try turns.entries(after: known))
    }

    func heads(of documents: [DocumentID]) throws(JournalError) -> [DocumentID: JournalHead] {
        try journal.read(try turns.heads(of: documents))
    }

    func newestSequence() throws(JournalError) -> Int {
        try journal.read(try turns.newestSequence())
    }

    func places(after sequence: Int, limit: Int) throws(JournalError) -> [EntryPlace] {
        try turns.places(after: sequence, limit: limit)
    }

    func awaitEntry(after sequence: Int) -> Bool { turns.awaitEntry(after: sequence) }

    func stopWaiting() { turns.stopWaiting() }
}

extension JournalError {
    /// The error in one word, for a label.
    fileprivate var word: String {
        switch self {
        case .conflict: "conflict"
        case .full: "full"
        case .unavailable: "unavailable"
        case .stopped: "stopped"
        case .outcomeUnknown: "outcome-unknown"
        case .uncertain: "uncertain"
        case .leftovers: "leftovers"
        case .corrupt: "corrupt"
        }
    }
}
