import Glibc

/// A value that one thread at a time may touch.
///
/// Over `pthread_mutex_t`, because the thread sanitizer understands it; the standard library's
/// `Mutex` makes it report races that are none.
// @unchecked: `state` is only reached while the mutex is held.
@safe public final class Lock<State>: @unchecked Sendable {
    // Unsafe pointers, because pthread objects must not move.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    @usableFromInline var state: State

    public init(_ state: State) {
        self.state = state
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        let results = unsafe (pthread_mutex_init(mutex, nil), pthread_cond_init(condition, nil))
        precondition(results == (0, 0), "pthread objects can be made")
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` with the value, alone.
    ///
    /// Inlinable: it is on every path, and much slower when it is not specialized.
    @inlinable public func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        acquire()
        defer { release() }
        return try body(&state)
    }

    /// Takes the lock, for a caller that holds many at once; `release` gives it back, on the same
    /// thread.
    public func acquire() {
        unsafe pthread_mutex_lock(mutex)
    }

    /// Gives back a lock that was taken by `acquire`.
    public func release() {
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Runs `body` with the value. Only between `acquire` and `release`.
    public func whileHeld<Result>(_ body: (inout State) -> Result) -> Result { body(&state) }

    /// Waits until `isReady` returns true, then runs `body`; both alone with the value.
    ///
    /// Each call of `signal` evaluates `isReady` again.
    public func withLock<Result>(
        when isReady: (State) -> Bool, _ body: (inout State) -> Result
    ) -> Result {
        wait(for: { isReady($0) ? .some(body(&$0)) : nil })
    }

    /// Waits until `body` returns something; it is alone with the value each time.
    ///
    /// Each call of `signal` evaluates `body` again.
    public func wait<Result>(for body: (inout State) -> Result?) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            unsafe pthread_cond_wait(condition, mutex)
        }
    }

    /// Waits until `isReady` returns true, or the time is over. Returns whether it is.
    @discardableResult
    public func wait(milliseconds: Int, for isReady: (State) -> Bool) -> Bool {
        var end = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &end)
        let nanoseconds = end.tv_nsec + milliseconds % 1_000 * 1_000_000
        end.tv_sec += milliseconds / 1_000 + nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while !isReady(state) {
            guard unsafe pthread_cond_timedwait(condition, mutex, &end) == 0 else {
                return isReady(state)
            }
        }
        return true
    }

    /// Wakes the waiting threads.
    public func signal() {
        unsafe pthread_cond_broadcast(condition)
    }
}
