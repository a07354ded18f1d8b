import Journaling
import Logging
import Threading

/// Packs old entries in the background, a step now and then.
///
/// A step takes some 10 ms of one core, and an append waits for one commit of it at most; the pause
/// after it is longer than the step.
struct Packing: Sendable {
    let journal: any Packable
    let logger: Logger
    /// The thread for its disk access.
    let thread: WorkQueue

    /// Packs until its task is cancelled, or nothing can be stored any more.
    func run() async {
        let clock = ContinuousClock()
        var pace = PackingPace()
        while !Task.isCancelled {
            let start = clock.now
            let result = await step()
            let pause: Duration
            switch result {
            case .success(let step): pause = pace.pause(after: step, taking: clock.now - start)
            case .failure(let error):
                logger.warning("cannot pack old changes: \(error)")
                if error.isFinal { return }
                pause = PackingPace.faultPause
            }
            try? await clock.sleep(for: pause)
        }
    }

    private func step() async -> Result<PackingStep, JournalError> {
        await thread.run { Result { () throws(JournalError) in try journal.pack(nil) } }
    }
}
