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
    /// What it does on the disk, it does there.
    let thread: WorkQueue

    /// The share of one core that packing may take: a step, then this many times as long nothing.
    private static let pauseFactor = 4
    /// Between two looks at all documents, and how many times as long as they took.
    private static let roundPause = (least: Duration.seconds(10), factor: 20)

    /// Packs until its task is cancelled, or nothing can be stored any more.
    func run() async {
        let clock = ContinuousClock()
        var round = Duration.zero
        while !Task.isCancelled {
            let start = clock.now
            let result = await step()
            let time = clock.now - start
            round += time
            var pause = max(.milliseconds(5), time * Packing.pauseFactor)
            switch result {
            case .success(.packed), .success(.looked): break
            case .success(.finished):
                pause = max(Packing.roundPause.least, round * Packing.roundPause.factor)
                round = .zero
            case .failure(let error):
                logger.warning("old changes are not packed: \(error)")
                if error.isFinal { return }
                pause = Packing.roundPause.least * Packing.roundPause.factor
            }
            try? await clock.sleep(for: pause)
        }
    }

    private func step() async -> Result<PackingStep, JournalError> {
        await thread.run {
            do throws(JournalError) { return .success(try journal.pack(nil)) } catch {
                return .failure(error)
            }
        }
    }
}
