import Documents
import Foundation
import Logging

extension SteadyClock {
    /// The time of this system, whose clock may be set while the daemon runs.
    static func ofSystem(_ logger: Logger) -> SteadyClock {
        let clock = ContinuousClock()
        let start = clock.now
        return SteadyClock(
            wall: { .seconds(Date().timeIntervalSince1970) },
            elapsed: { clock.now - start },
            notify: { ahead in
                let seconds = Int(ahead / .seconds(1))
                logger.warning(
                    """
                    the system's clock was set: it is \(abs(seconds)) seconds \
                    \(seconds > 0 ? "ahead" : "behind"); times follow it by six seconds a minute, \
                    and at once when versiond is started anew
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
