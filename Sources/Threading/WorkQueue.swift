/// Runs work on threads of its own, first come first served.
///
/// Work may have an owner. Of each owner one piece runs at a time, and owners have turns: so nobody
/// who asks for much delays others by more than one piece for a thread.
public final class WorkQueue: Sendable {
    public typealias Work = @Sendable () -> Void

    /// Who comes next.
    private enum Turn {
        case piece(Work)
        /// Of whom nothing is running, and something waits.
        case owner(String)
    }

    private struct State {
        var turns = FIFO<Turn>()
        /// What waits, by owner.
        var owned: [String: FIFO<Work>] = [:]
        /// The owners of whom a piece is running.
        var running: Set<String> = []
        var isStopped = false

        mutating func add(_ piece: @escaping Work, of owner: String?) {
            guard let owner else { return turns.append(.piece(piece)) }
            if owned[owner] == nil && !running.contains(owner) { turns.append(.owner(owner)) }
            owned[owner, default: FIFO()].append(piece)
        }

        mutating func take() -> (piece: Work, owner: String?)? {
            switch turns.popFirst() {
            case nil: return nil
            case .piece(let piece)?: return (piece, nil)
            case .owner(let owner)?:
                guard let piece = owned[owner]?.popFirst() else { return nil }
                if owned[owner]?.isEmpty == true { owned[owner] = nil }
                running.insert(owner)
                return (piece, owner)
            }
        }

        mutating func end(_ owner: String) {
            running.remove(owner)
            if owned[owner] != nil { turns.append(.owner(owner)) }
        }
    }

    private let state: Lock<State>
    private let threads: [WorkerThread]

    /// With no threads, work runs when its owner calls `runNext`: that is for simulations.
    public init(name: String, threads count: Int) {
        let state = Lock(State())
        self.state = state
        threads = (0..<count).map { index in
            WorkerThread(name: "\(name)-\(index)") { WorkQueue.run(state) }
        }
    }

    /// Adds work. Returns `false`, and never runs it, after `stop`.
    @discardableResult
    public func async(of owner: String? = nil, _ work: @escaping Work) -> Bool {
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
        if threads.isEmpty { while runNext() {} }
    }

    /// Runs what is next, on the caller's thread. Returns whether there was something.
    @discardableResult
    package func runNext() -> Bool {
        guard let next = state.withLock({ $0.take() }) else { return false }
        WorkQueue.perform(next, state)
        return true
    }

    private static func run(_ state: Lock<State>) {
        while true {
            let next = state.withLock(when: {
                !$0.turns.isEmpty || $0.isStopped && $0.owned.isEmpty
            }) { $0.take() }
            guard let next else { return }
            perform(next, state)
        }
    }

    private static func perform(_ next: (piece: Work, owner: String?), _ state: Lock<State>) {
        next.piece()
        guard let owner = next.owner else { return }
        state.withLock { $0.end(owner) }
        state.signal()
    }
}
