import Documents
import Journaling
import Logging
import Threading

/// Counts the amounts of quotas in the journal now and then: other daemons also write to it, and
/// packing and erasing make it smaller.
struct QuotaWatch: Sendable {
    let store: DocumentStore
    let journal: any UsageReporting
    let logger: Logger
    /// The thread for its disk access.
    let thread: WorkQueue

    private static let pause = Duration.seconds(600)

    /// Counts until its task is cancelled.
    func run() async {
        while !Task.isCancelled {
            try? await ContinuousClock().sleep(for: QuotaWatch.pause)
            if !Task.isCancelled { await recount() }
        }
    }

    /// Counts once.
    func recount() async {
        let fault: JournalError? = await thread.run {
            do throws(JournalError) { try store.recountQuotas(in: journal) } catch { return error }
            return nil
        }
        if let fault {
            logger.warning("cannot measure the quotas, the last values stay in force: \(fault)")
        }
    }
}
