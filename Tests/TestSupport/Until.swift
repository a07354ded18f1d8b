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

/// The same, for a condition that is asked for and waited for.
public func until(_ condition: () async throws -> Bool) async throws {
    for _ in 0..<120_000 {
        if try await condition() { return }
        try await Task.sleep(for: .microseconds(500))
    }
    throw WaitTimeout()
}
