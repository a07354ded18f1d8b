import Glibc

/// The expected condition did not occur.
public struct WaitTimeout: Error {}

/// Waits until a condition holds that no component can report: it is checked every half
/// millisecond, for a minute at most.
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

/// The same, for a condition of the main actor, which works meanwhile.
@MainActor public func untilShown(_ condition: @MainActor () throws -> Bool) async throws {
    for _ in 0..<12_000 {
        if try condition() { return }
        try await Task.sleep(for: .milliseconds(5))
    }
    throw WaitTimeout()
}
