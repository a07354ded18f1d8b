import Glibc

/// What was waited for did not come.
public struct WaitTimeout: Error {}

/// Waits until a condition holds, for what nobody can be asked to report: it is checked every
/// half millisecond, for a minute at most.
public func until(_ condition: () throws -> Bool) throws {
    for _ in 0..<120_000 {
        if try condition() { return }
        usleep(500)
    }
    throw WaitTimeout()
}
