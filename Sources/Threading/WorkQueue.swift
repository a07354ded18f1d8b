/// Runs work on threads of its own, first come first served.
public final class WorkQueue: Sendable {
    private struct State {
        var work = FIFO<@Sendable () -> Void>()
        var isStopped = false
    }

    private let state: Lock<State>
    private let threads: [WorkerThread]

    public init(name: String, threads count: Int) {
        let state = Lock(State())
        self.state = state
        threads = (0..<count).map { index in
            WorkerThread(name: "\(name)-\(index)") { WorkQueue.run(state) }
        }
    }

    /// Adds work to the end of the queue. Returns `false`, and never runs it, after `stop`.
    @discardableResult
    public func async(_ work: @escaping @Sendable () -> Void) -> Bool {
        let isTaken = state.withLock { state in
            if !state.isStopped { state.work.append(work) }
            return !state.isStopped
        }
        state.signal()
        return isTaken
    }

    /// Finishes what was added so far, and ends the threads.
    public func stop() {
        state.withLock { $0.isStopped = true }
        state.signal()
        for thread in threads { thread.join() }
    }

    private static func run(_ state: Lock<State>) {
        while true {
            let next = state.withLock(when: { !$0.work.isEmpty || $0.isStopped }) {
                $0.work.popFirst()
            }
            guard let next else { return }
            next()
        }
    }
}
