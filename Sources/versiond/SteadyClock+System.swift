import Documents
import Foundation
import Journaling
import Logging

extension SteadyClock {
    /// The time of this system, or of the database that daemons share: their clocks may be set
    /// while the daemon runs.
    static func ofSystem(_ logger: Logger, sharing journal: (any TimeKeeping)?) -> SteadyClock {
        let clock = ContinuousClock()
        let start = clock.now
        let system: @Sendable () -> Duration = { .seconds(Date().timeIntervalSince1970) }
        let wall: @Sendable () -> Duration = { journal?.time ?? system() }
        return SteadyClock(
            wall: wall, from: SteadyClock.beginning(here: system(), there: wall()),
            elapsed: { clock.now - start },
            notify: { ahead in
                let seconds = Int(ahead / .seconds(1))
                logger.warning(
                    """
                    the \(journal == nil ? "system" : "database") clock was set and is \
                    \(abs(seconds)) seconds \(seconds > 0 ? "ahead" : "behind"); versiond \
                    adjusts its times by six seconds a minute, or at once after a restart
                    """
                )
            })
    }
}

extension Timestamp {
    /// The time of this system, as its clock is set.
    static var ofSystem: Timestamp {
        Timestamp(milliseconds: Int(Date().timeIntervalSince1970 * 1_000))
    }
}
