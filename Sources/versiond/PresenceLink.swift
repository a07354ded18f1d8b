import Journaling
import Logging
import Presence
import Threading

/// Shares presence with the other daemons on the same database.
///
/// By polling: a notification would be a commit that locks out all others for a moment, and poolers
/// forward none. Without present clients, the cost is a check of memory now and then.
struct PresenceLink: Sendable {
    let hub: PresenceHub
    let store: any PresenceSharing
    let logger: Logger
    /// The thread for blocking calls.
    let thread = WorkQueue(name: "presence-link", threads: 1)
    /// A name of this run's own.
    private let daemon = (0..<16).map { _ in UInt8.random(in: 0...255) }

    /// The polling interval while a client is present or follows presence.
    private static let pause = Duration.milliseconds(150)
    /// The number of polls after which all states are read again.
    private static let roundsMax = 32
    private static let faultPause = Duration.seconds(2)
    /// How long polling continues after the last client has left, so that its state expires.
    private static let lingering = 45_000
    /// Reports of this last time are read again each time: clocks differ, and a commit may arrive
    /// late.
    private static let overlap = 2_000

    /// Asks until its task is cancelled.
    func run() async {
        var (last, round, isPrepared, wasWell) = (0, 0, false, true)
        var lingersUntil = 0
        while !Task.isCancelled {
            var pause = PresenceLink.pause
            let now = hub.time
            if hub.isInUse { lingersUntil = now + PresenceLink.lingering }
            if now < lingersUntil {
                let since = round == 0 ? 0 : max(1, last - PresenceLink.overlap)
                switch await exchange(hub.takeNews(), since: since, at: now, isPrepared) {
                case .success:
                    (last, isPrepared, wasWell) = (now, true, true)
                    round = (round + 1) % PresenceLink.roundsMax
                case .failure(let error):
                    if wasWell {
                        logger.warning("presence is not shared with other daemons: \(error)")
                    }
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
        _ news: [SharedPresence], since: Int, at now: Int, _ isPrepared: Bool
    ) async -> Result<Void, JournalError> {
        await thread.run {
            Result { () throws(JournalError) in
                if !isPrepared { try store.preparePresence() }
                hub.hear(try store.exchangePresence(news, by: daemon, since: since, at: now))
            }
        }
    }
}
