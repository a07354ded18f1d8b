/// Runs work that takes long on threads of its own, fairly: of each owner one piece at a time, and
/// owners in turn. So nobody who asks for much delays others by more than one piece for a thread.
public final class FairWorkQueue: Sendable {
    private struct State {
        /// What waits, by owner.
        var work: [String: FIFO<@Sendable () -> Void>] = [:]
        /// The owners whose work may run now.
        var turns = FIFO<String>()
        /// The owners of whom a piece is running.
        var running: Set<String> = []
        var isStopped = false

        mutating func add(_ piece: @escaping @Sendable () -> Void, of owner: String) {
            if work[owner] == nil && !running.contains(owner) { turns.append(owner) }
            work[owner, default: FIFO()].append(piece)
        }

        mutating func take() -> (owner: String, piece: @Sendable () -> Void)? {
            guard let owner = turns.popFirst(), let piece = work[owner]?.popFirst() else {
                return nil
            }
            if work[owner]?.isEmpty == true { work[owner] = nil }
            running.insert(owner)
            return (owner, piece)
        }

        mutating func end(_ owner: String) {
            running.remove(owner)
            if work[owner] != nil { turns.append(owner) }
        }
    }

    private let state: Lock<State>
    private let threads: [WorkerThread]

    public init(name: String, threads count: Int) {
        let state = Lock(State())
        self.state = state
        threads = (0..<count).map { index in
            WorkerThread(name: "\(name)-\(index)") { FairWorkQueue.run(state) }
        }
    }

    /// Adds work of an owner. Returns `false`, and never runs it, after `stop`.
    @discardableResult
    public func async(of owner: String, _ work: @escaping @Sendable () -> Void) -> Bool {
        let isTaken = state.withLock { state in
            if !state.isStopped { state.add(work, of: owner) }
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
            let next = state.withLock(when: {
                !$0.turns.isEmpty || $0.isStopped && $0.work.isEmpty
            }) { $0.take() }
            guard let next else { return }
            next.piece()
            state.withLock { $0.end(next.owner) }
            state.signal()
        }
    }
}
