import CoreMetrics
import Journaling

/// A journal whose commits are timed and counted.
struct MeasuredJournal: ForwardingJournal {
    let base: any Journal
    private let measurements: Measurements
    private let duration: CoreMetrics.Timer
    private let batch: Recorder

    init(_ base: any Journal, _ measurements: Measurements) {
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
            return refused
        } catch {
            measurements.count("versiond_commit_errors_total", "error", error.word)
            throw error
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
