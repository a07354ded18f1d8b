/// Runs work on threads of its own, first come first served.
public final class WorkQueue: Sendable {
    private struct State {
        var work: [@Sendable () -> Void] = []
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

    /// Adds work to the end of the queue. After `stop` it is not run.
    public func async(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.work.append(work) }
        state.signal()
    }

    /// Finishes what was added so far, and ends the threads.
    public func stop() {
        state.withLock { $0.isStopped = true }
        state.signal()
        for thread in threads { thread.join() }
    }

    private static func run(_ state: Lock<State>) {
        while true {
            let next = state.withLock(when: { !$0.work.isEmpty || $0.isStopped }) { state in
                state.work.isEmpty ? nil : state.work.removeFirst()
            }
            guard let next else { return }
            next()
        }
    }
}
