import Logging
import Threading

/// How much is logged, by all loggers together: it changes while the daemon runs.
final class LogLevel: Sendable {
    private let level = Lock(Logger.Level.info)

    var current: Logger.Level {
        get { level.withLock { $0 } }
        set { level.withLock { $0 = newValue } }
    }
}
