import Glibc

/// Runs work on threads of its own, first come first served.
///
/// Work may have an owner. One piece of each owner runs at a time, and owners take turns: so an
/// owner with much work delays others by at most one piece for a thread.
///
/// Work may have a weight, for the memory that it takes until it ends. Work beyond the limit waits;
/// one piece alone always runs.
public final class WorkQueue: Sendable {
    public typealias Work = @Sendable () -> Void

    /// Weighed work is over when the last reference to its permit is gone.
    public final class Permit: Sendable {
        private let giveBack: Work

        fileprivate init(_ giveBack: @escaping Work) {
            self.giveBack = giveBack
        }

        deinit { giveBack() }
    }

    private enum Piece {
        case light(Work)
        case heavy(Int, @Sendable (Permit) -> Void)

        var weight: Int {
            if case .heavy(let weight, _) = self { weight } else { 0 }
        }

        func fits(_ room: Int) -> Bool { weight == 0 || weight <= room }
    }

    /// The next turn.
    private enum Turn {
        case piece(Piece)
        /// Of whom nothing is running, and something waits.
        case owner(String)
    }

    /// The work of a thread.
    private struct Task {
        let piece: Piece
        var owner: String?
    }

    /// The waiting work in turns, with a queue for each owner.
    private struct Line {
        var turns = FIFO<Turn>()
        var owned: [String: FIFO<Piece>] = [:]
        /// The owners that have a turn.
        var named: Set<String> = []

        var isEmpty: Bool { turns.isEmpty && owned.isEmpty }

        mutating func add(_ piece: Piece, of owner: String?, isRunning: Bool) {
            guard let owner else { return turns.append(.piece(piece)) }
            owned[owner, default: FIFO()].append(piece)
            if !isRunning { giveTurn(to: owner) }
        }

        /// Gives an owner a turn, if something of it waits.
        mutating func giveTurn(to owner: String) {
            if owned[owner] != nil, named.insert(owner).inserted { turns.append(.owner(owner)) }
        }

        /// The weight of the first piece; `nil` if it must not run now.
        private func firstWeight(_ running: Set<String>) -> Int? {
            switch turns.first {
            case .piece(let piece)?: piece.weight
            case .owner(let owner)?:
                running.contains(owner) ? nil : owned[owner]?.first?.weight
            case nil: nil
            }
        }

        /// The next piece that has room and whose owner has none running.
        mutating func take(
            _ room: Int, _ running: Set<String>, isInOrder: Bool
        ) -> Task? {
            for _ in 0..<turns.count {
                if isInOrder, let weight = firstWeight(running), weight > room { return nil }
                switch turns.popFirst() {
                case .piece(let piece)? where piece.fits(room): return Task(piece: piece)
                case .owner(let owner)? where running.contains(owner):
                    // The owner's next turn comes when its running piece has ended.
                    named.remove(owner)
                case .owner(let owner)? where owned[owner] == nil: named.remove(owner)
                case .owner(let owner)?:
                    guard let piece = pop(of: owner, room) else {
                        turns.append(.owner(owner))
                        continue
                    }
                    named.remove(owner)
                    return Task(piece: piece, owner: owner)
                case let turn?: turns.append(turn)
                case nil: return nil
                }
            }
            return nil
        }

        /// The next piece of an owner. A piece without weight overtakes one without room: it may
        /// belong to a request that holds a permit for which that one waits.
        private mutating func pop(of owner: String, _ room: Int) -> Piece? {
            guard var line = owned[owner] else { return nil }
            var (passed, found) = (FIFO<Piece>(), Piece?.none)
            while found == nil || !passed.isEmpty, let piece = line.popFirst() {
                if found == nil && piece.fits(room) {
                    found = piece
                } else {
                    passed.append(piece)
                }
            }
            let rest = passed.isEmpty ? line : passed
            owned[owner] = rest.isEmpty ? nil : rest
            return found
        }
    }

    private struct State {
        let weightMax: Int
        let isInOrder: Bool
        /// Pieces that begin a request.
        var beginnings = Line()
        /// Pieces that only end a begun request: they come before those that begin one.
        var endings = Line()
        /// The owners of whom a piece is running.
        var running: Set<String> = []
        /// Of the pieces that are not over.
        var weight = 0
        var isStopped = false

        mutating func begin(_ piece: Piece, of owner: String?) {
            beginnings.add(piece, of: owner, isRunning: isRunning(owner))
        }

        mutating func end(_ work: @escaping Work, of owner: String?) {
            endings.add(.light(work), of: owner, isRunning: isRunning(owner))
        }

        private func isRunning(_ owner: String?) -> Bool { owner.map(running.contains) ?? false }

        /// The next work; `nil` if there is none, or no room for it.
        mutating func take() -> Task? {
            let room = weight == 0 ? Int.max : weightMax - weight
            guard
                let task = endings.take(room, running, isInOrder: isInOrder)
                    ?? beginnings.take(room, running, isInOrder: isInOrder)
            else { return nil }
            weight += task.piece.weight
            if let owner = task.owner { running.insert(owner) }
            return task
        }

        mutating func ended(_ owner: String) {
            running.remove(owner)
            endings.giveTurn(to: owner)
            beginnings.giveTurn(to: owner)
        }

        var isEmpty: Bool { beginnings.isEmpty && endings.isEmpty }
    }

    private let state: Lock<State>
    private let threads: [WorkerThread]

    /// With no threads, work runs when the queue's owner calls `runNext`: for simulations. Threads
    /// that yield are for long work next to threads with clients that wait: they get less of the
    /// cores, and leave them after each piece.
    ///
    /// `isInOrder`: lighter pieces do not overtake a heavy one that finds no room, since they could
    /// delay it for ever.
    public init(
        name: String, threads count: Int, weightMax: Int = .max, isInOrder: Bool = false,
        yields: Bool = false
    ) {
        let state = Lock(State(weightMax: weightMax, isInOrder: isInOrder))
        self.state = state
        threads = (0..<count).map { index in
            WorkerThread(name: "\(name)-\(index)", yields: yields) {
                WorkQueue.run(state, yields: yields)
            }
        }
    }

    /// Adds work. Returns `false`, and never runs it, after `stop`.
    @discardableResult
    public func async(of owner: String? = nil, _ work: @escaping Work) -> Bool {
        add { $0.begin(.light(work), of: owner) }
    }

    /// Adds work that takes memory. It runs with a permit, and is over when that is gone.
    public func async(
        of owner: String, weight: Int, _ work: @escaping @Sendable (Permit) -> Void
    ) -> Bool {
        add { $0.begin(.heavy(weight, work), of: owner) }
    }

    /// Adds work that ends what was begun. It comes before all that begins: otherwise everything
    /// would be begun, and held in memory, before anything ends.
    public func asyncEnding(of owner: String? = nil, _ work: @escaping Work) -> Bool {
        add { $0.end(work, of: owner) }
    }

    private func add(_ change: (inout State) -> Void) -> Bool {
        let isAccepted = state.withLock { state in
            if !state.isStopped { change(&state) }
            return !state.isStopped
        }
        state.signal()
        return isAccepted
    }

    /// Finishes all added work, and ends the threads.
    public func stop() {
        state.withLock { $0.isStopped = true }
        state.signal()
        for thread in threads { thread.join() }
        if threads.isEmpty { while runNext() {} }
    }

    /// Runs what is next, on the caller's thread. Returns whether there was something.
    @discardableResult
    package func runNext() -> Bool {
        guard let task = state.withLock({ $0.take() }) else { return false }
        WorkQueue.perform(task, state)
        return true
    }

    private static func run(_ state: Lock<State>, yields: Bool) {
        while let task = next(state) {
            perform(task, state)
            if yields { sched_yield() }
        }
    }

    /// Waits for a task; `nil` at the end.
    private static func next(_ state: Lock<State>) -> Task? {
        state.wait(for: { state in
            if let task = state.take() { return .some(task) }
            return state.isStopped && state.isEmpty ? .some(nil) : .none
        })
    }

    private static func perform(_ task: Task, _ state: Lock<State>) {
        switch task.piece {
        case .light(let work): work()
        case .heavy(let weight, let work):
            work(
                Permit {
                    state.withLock { $0.weight -= weight }
                    state.signal()
                })
        }
        guard let owner = task.owner else { return }
        state.withLock { $0.ended(owner) }
        state.signal()
    }
}

extension WorkQueue {
    /// Runs `body` on one of the threads, and returns what it returns. The queue must not be
    /// stopped meanwhile.
    public func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            let isAccepted = async { continuation.resume(returning: body()) }
            precondition(isAccepted, "the queue is in use")
        }
    }
}
