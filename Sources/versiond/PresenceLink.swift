import Journaling
import Logging
import Presence
import Threading

/// Tells other daemons on the same database who is present on this one, and hears of theirs.
///
/// By asking: a notification would be a commit that locks out all others for a moment, and none
/// comes through a pooler. Who is not there costs a look at the memory now and then.
struct PresenceLink: Sendable {
    let hub: PresenceHub
    let store: any PresenceSharing
    let logger: Logger
    /// What blocks is done there.
    let thread = WorkQueue(name: "presence-link", threads: 1)
    /// A name of this run's own.
    private let daemon = (0..<16).map { _ in UInt8.random(in: 0...255) }

    /// How often others are asked while somebody is present, or wants to know who is.
    private static let pause = Duration.milliseconds(150)
    /// After so many times all is asked for, whatever was heard before.
    private static let roundsMax = 32
    private static let faultPause = Duration.seconds(2)

    /// Asks until its task is cancelled.
    func run() async {
        var (mark, round, isPrepared, wasWell) = (0, 0, false, true)
        while !Task.isCancelled {
            var pause = PresenceLink.pause
            if hub.isInUse {
                let from = round == 0 ? 0 : mark
                let news = hub.takeNews()
                let result = await exchange(news, after: from, isPrepared)
                switch result {
                case .success(let next):
                    (mark, isPrepared, wasWell) = (next, true, true)
                    round = (round + 1) % PresenceLink.roundsMax
                case .failure(let error):
                    if wasWell { logger.warning("presence is this daemon's alone: \(error)") }
                    (round, isPrepared, wasWell) = (0, false, false)
                    pause = PresenceLink.faultPause
                }
            } else {
                round = 0
            }
            try? await ContinuousClock().sleep(for: pause)
        }
        thread.stop()
    }

    private func exchange(
        _ news: [SharedPresence], after mark: Int, _ isPrepared: Bool
    ) async -> Result<Int, JournalError> {
        await thread.run {
            do throws(JournalError) {
                if !isPrepared { try store.preparePresence() }
                let (others, next) = try store.exchangePresence(news, by: daemon, after: mark)
                hub.hear(others)
                return .success(next)
            } catch {
                return .failure(error)
            }
        }
    }
}
