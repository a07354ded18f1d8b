/// A limit on bytes that are held at once. Holders that find no room are woken when there is room
/// again.
///
/// No holder waits: a caller that finds no room releases its permits first, so there is no
/// deadlock. One permit alone may exceed the limit.
public final class ByteBudget: Sendable {
    /// A number of bytes that is held as long as the object lives.
    public final class Permit: Sendable {
        private let budget: ByteBudget
        private let bytes: Lock<Int>

        fileprivate init(_ budget: ByteBudget, _ bytes: Int) {
            self.budget = budget
            self.bytes = Lock(bytes)
        }

        deinit { budget.release(bytes.withLock { $0 }) }

        /// Changes a permit, taken before its size was known, to `count` bytes. Returns `false`,
        /// and changes nothing, if there is no room for more.
        public func adjust(to count: Int) -> Bool {
            let more = bytes.withLock { bytes -> Int? in
                let more = count - bytes
                guard budget.add(more, beside: bytes) else { return nil }
                bytes = count
                return more
            }
            if let more, more < 0 { budget.wakeSome() }
            return more != nil
        }
    }

    /// A caller that may wait for room; it has one place in the queue, however often it asks.
    public final class Waiter: Sendable {
        private struct State {
            var wake: (@Sendable () -> Void)?
            var isInLine = false
        }

        private let state = Lock(State())

        public init() {}

        /// It waits no more.
        public func leave() {
            // Let go of outside: it may be the last to hold who is asked to leave.
            _ = state.withLock { state in
                defer { state.wake = nil }
                return state.wake
            }
        }

        /// Waits. Returns whether it has to join the line for that.
        fileprivate func wait(_ wake: @escaping @Sendable () -> Void) -> Bool {
            state.withLock { state in
                defer { state = State(wake: wake, isInLine: true) }
                return !state.isInLine
            }
        }

        /// Its turn has come: what wakes it, if it waits still.
        fileprivate func leaveLine() -> (@Sendable () -> Void)? {
            state.withLock { state in
                defer { state = State() }
                return state.wake
            }
        }
    }

    private struct State {
        var bytes = 0
        var line = FIFO<Waiter>()
    }

    /// More are not woken at once: most of them would find no room.
    private static let wokenMax = 8

    private let bytesMax: Int
    private let queue: WorkQueue
    private let state = Lock(State())

    /// Those who wait are woken on a thread of `queue`.
    public init(bytesMax: Int, wakingOn queue: WorkQueue) {
        self.bytesMax = bytesMax
        self.queue = queue
    }

    /// How many bytes are held.
    public var bytes: Int { state.withLock { $0.bytes } }

    /// A permit; if there is no room, `nil`, and `wake` is called once when the caller should ask
    /// again.
    public func take(
        _ count: Int, for waiter: Waiter, orWake wake: @escaping @Sendable () -> Void
    ) -> Permit? {
        let isAccepted = state.withLock { state in
            if fits(count, beside: 0, state) {
                state.bytes += count
                return true
            }
            if waiter.wait(wake) { state.line.append(waiter) }
            return false
        }
        return isAccepted ? Permit(self, count) : nil
    }

    private func fits(_ more: Int, beside own: Int, _ state: State) -> Bool {
        more <= 0 || state.bytes == own || state.bytes + more <= bytesMax
    }

    private func add(_ more: Int, beside own: Int) -> Bool {
        state.withLock { state in
            guard fits(more, beside: own, state) else { return false }
            state.bytes += more
            return true
        }
    }

    private func release(_ count: Int) {
        state.withLock { $0.bytes -= count }
        wakeSome()
    }

    /// The room has changed: some waiting callers may continue.
    public func wakeSome() {
        let woken = state.withLock { state in
            var woken: [@Sendable () -> Void] = []
            while woken.count < ByteBudget.wokenMax, let waiter = state.line.popFirst() {
                if let wake = waiter.leaveLine() { woken.append(wake) }
            }
            return woken
        }
        if woken.isEmpty { return }
        // On the queue, since the caller may hold a lock.
        queue.async { for wake in woken { wake() } }
    }
}
