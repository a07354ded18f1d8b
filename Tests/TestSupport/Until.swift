import Glibc

/// Waits until something is so, for what nobody can be asked to tell. Others run meanwhile.
public func until(_ isSo: () throws -> Bool) rethrows {
    while try !isSo() { sched_yield() }
}
