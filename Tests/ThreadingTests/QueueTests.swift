import Glibc
import Testing
import Threading

/// Queues of values and of work.
struct QueueTests {
    @Test func `what came first leaves first, however pushes and pops are mixed`() {
        var queue = FIFO<Int>()
        var model: [Int] = []
        var state: UInt64 = 7
        for number in 0..<5_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            if state >> 62 == 0 {
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            } else {
                queue.append(number)
                model.append(number)
            }
            #expect(queue.count == model.count && queue.isEmpty == model.isEmpty)
        }
        while let next = queue.popFirst() { #expect(next == model.removeFirst()) }
        #expect(model.isEmpty)
    }

    @Test func `owners have turns, whatever one of them has asked for before`() {
        let queue = WorkQueue(name: "test", threads: 1)
        let order = Lock<[String]>([])
        let gate = Lock(false)
        let note = { @Sendable (name: String) in order.withLock { $0.append(name) } }
        // Everything waits behind this one, and nothing has begun.
        queue.async(of: "gate") { gate.withLock(when: { $0 }) { _ in } }
        for number in 0..<3 { queue.async(of: "greedy") { note("greedy \(number)") } }
        queue.async(of: "modest") { note("modest") }
        gate.withLock { $0 = true }
        gate.signal()
        queue.stop()
        #expect(order.withLock { $0 } == ["greedy 0", "modest", "greedy 1", "greedy 2"])
    }

    @Test(arguments: [false, true])
    func `threads that yield leave the cores to others`(yields: Bool) {
        let queue = WorkQueue(name: "test", threads: 1, yields: yields)
        let found = Lock<Int32>(-1)
        let mine = getpriority(.init(PRIO_PROCESS.rawValue), 0)
        queue.async { found.withLock { $0 = getpriority(.init(PRIO_PROCESS.rawValue), 0) } }
        queue.stop()
        #expect(found.withLock { $0 } == (yields ? max(mine, 5) : mine))
    }

    @Test func `what ends something comes before what begins`() {
        let queue = WorkQueue(name: "test", threads: 1)
        let order = Lock<[String]>([])
        let gate = Lock(false)
        queue.async { gate.withLock(when: { $0 }) { _ in } }
        queue.async(of: "a") { order.withLock { $0.append("begin") } }
        _ = queue.asyncEnding { order.withLock { $0.append("end") } }
        gate.withLock { $0 = true }
        gate.signal()
        queue.stop()
        #expect(order.withLock { $0 } == ["end", "begin"])
    }

    @Test func `what takes much memory waits for its permit, and others do not wait for it`() {
        let queue = WorkQueue(name: "test", threads: 2, weightMax: 10)
        let held = Lock<[WorkQueue.Permit]>([])
        let order = Lock<[String]>([])
        let note = { @Sendable (name: String) in
            order.withLock { $0.append(name) }
            order.signal()
        }
        _ = queue.async(of: "large", weight: 50) { permit in
            held.withLock { $0.append(permit) }
            note("alone")
        }
        order.withLock(when: { $0.count == 1 }) { _ in }
        _ = queue.async(of: "other", weight: 1) { _ in note("heavy") }
        queue.async(of: "third") { note("light") }
        order.withLock(when: { $0.count == 2 }) { _ in }
        #expect(order.withLock { $0 } == ["alone", "light"])
        // The last reference goes outside the lock.
        var permits = held.withLock { held in
            defer { held = [] }
            return held
        }
        permits = []
        #expect(permits.isEmpty)
        queue.stop()
        #expect(order.withLock { $0 } == ["alone", "light", "heavy"])
    }

    /// Gives permits back: the last references go outside the lock.
    private func letGo(_ held: borrowing Lock<[WorkQueue.Permit]>) {
        let permits = held.withLock { held in
            defer { held = [] }
            return held
        }
        withExtendedLifetime(permits) {}
    }

    @Test func `what finds no room is passed by what has no weight, also of its owner`() {
        let queue = WorkQueue(name: "test", threads: 0, weightMax: 10)
        let done = Lock<[String]>([])
        let held = Lock<[WorkQueue.Permit]>([])
        _ = queue.async(of: "ada", weight: 10) { permit in held.withLock { $0 = [permit] } }
        while queue.runNext() {}
        _ = queue.async(of: "ada", weight: 5) { _ in done.withLock { $0.append("heavy") } }
        queue.async(of: "ada") { done.withLock { $0.append("light") } }
        _ = queue.async(of: "ada", weight: 1) { _ in done.withLock { $0.append("last") } }
        while queue.runNext() {}
        #expect(done.withLock { $0 } == ["light"], "it may be what the permit waits for")
        letGo(held)
        while queue.runNext() {}
        #expect(done.withLock { $0 } == ["light", "heavy", "last"])
    }

    @Test func `in order, what finds no room is not passed by what is lighter`() {
        let queue = WorkQueue(name: "test", threads: 0, weightMax: 10, isInOrder: true)
        let done = Lock<[String]>([])
        let held = Lock<[WorkQueue.Permit]>([])
        for (owner, weight) in [("ada", 4), ("bob", 10), ("eve", 1)] {
            _ = queue.async(of: owner, weight: weight) { permit in
                done.withLock { $0.append(owner) }
                held.withLock { $0.append(permit) }
            }
        }
        while queue.runNext() {}
        #expect(done.withLock { $0 } == ["ada"])
        letGo(held)
        while queue.runNext() {}
        #expect(done.withLock { $0 } == ["ada", "bob"])
        letGo(held)
        while queue.runNext() {}
        #expect(done.withLock { $0 } == ["ada", "bob", "eve"])
    }

    @Test func `of one owner one piece runs at a time, and others beside it`() {
        let queue = WorkQueue(name: "test", threads: 3)
        let running = Lock<[String: Int]>([:])
        let most = Lock<[String: Int]>([:])
        for number in 0..<300 {
            let owner = "owner \(number % 4)"
            queue.async(of: owner) {
                let now = running.withLock { running in
                    running[owner, default: 0] += 1
                    return running[owner, default: 0]
                }
                most.withLock { $0[owner] = max($0[owner] ?? 0, now) }
                running.withLock { $0[owner, default: 0] -= 1 }
            }
        }
        queue.stop()
        #expect(most.withLock { $0 } == ["owner 0": 1, "owner 1": 1, "owner 2": 1, "owner 3": 1])
    }

    @Test func `V3: of one owner one thread is taken, by what ends something, too`() {
        let queue = WorkQueue(name: "queue", threads: 2)
        let running = Lock(0)
        let most = Lock(0)
        let ended = Lock(0)
        for number in 0..<400 {
            _ = queue.async(of: "mallory", weight: 1) { permit in
                _ = queue.asyncEnding(of: "mallory") {
                    let now = running.withLock { count in
                        count += 1
                        return count
                    }
                    most.withLock { $0 = max($0, now) }
                    sched_yield()
                    running.withLock { $0 -= 1 }
                    ended.withLock { $0 += 1 }
                    ended.signal()
                    _ = permit
                }
            }
            if number % 10 == 0 { _ = queue.asyncEnding { ended.withLock { _ in } } }
        }
        ended.wait(milliseconds: 60_000) { $0 == 400 }
        queue.stop()
        #expect(most.withLock { $0 } == 1)
        #expect(ended.withLock { $0 } == 400)
    }

    @Test func `after stop nothing is taken, and everything before it was done`() {
        let queue = WorkQueue(name: "test", threads: 2)
        let done = Lock(0)
        for number in 0..<100 { queue.async(of: "\(number % 7)") { done.withLock { $0 += 1 } } }
        queue.stop()
        #expect(done.withLock { $0 } == 100)
        #expect(!queue.async(of: "late") { done.withLock { $0 += 1 } })
        #expect(done.withLock { $0 } == 100)
    }
}
