import CoreMetrics
import Journaling
import Logging
import Threading

/// A journal whose commits are timed and counted, and whose faults are logged.
struct MeasuredJournal: ForwardingJournal {
    let base: any Journal
    private let measurements: Measurements
    private let duration: CoreMetrics.Timer
    private let batch: Recorder
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
        duration = CoreMetrics.Timer(
            label: "versiond_commit_duration_seconds", factory: measurements.board)
        batch = Recorder(label: "versiond_commit_batch_events", factory: measurements.board)
    }

    func commit(_ entries: JournalBatch) throws(JournalError) -> [EntryFate] {
        let start = measurements.now()
        do {
            let refused = try base.commit(entries)
            duration.recordNanoseconds(Int64((measurements.now() - start) / .nanoseconds(1)))
            batch.record(entries.entries.count)
            note(nil)
            return refused
        } catch {
            measurements.count("versiond_commit_errors_total", "error", error.word)
            note(error)
            throw error
        }
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
            logger.critical("the journal has stopped, and only a restart helps: \(fault)")
            stopped()
        case let fault?: logger.error("nothing can be stored: \(fault)")
        case nil: logger.notice("changes are stored again")
        }
    }
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
        case .corrupt: "corrupt"
        }
    }
}
