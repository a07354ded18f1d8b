import Testing
import Threading

/// Room for bytes: never beyond the limit, and no waiting caller is forgotten.
struct ByteBudgetTests {
    private let queue = WorkQueue(name: "test", threads: 0)

    @Test func `whoever finds no room is woken when somebody lets go`() throws {
        let budget = ByteBudget(bytesMax: 100, wakingOn: queue)
        let (woken, waiter) = (Lock(0), ByteBudget.Waiter())
        var first = budget.take(60, for: .init(), orWake: {})
        #expect(first != nil)
        // However often it asks, it is woken once.
        for _ in 0..<3 {
            #expect(budget.take(60, for: waiter, orWake: { woken.withLock { $0 += 1 } }) == nil)
        }
        let gone = ByteBudget.Waiter()
        #expect(budget.take(60, for: gone, orWake: { woken.withLock { $0 += 100 } }) == nil)
        gone.leave()
        #expect(!queue.runNext() && woken.withLock { $0 } == 0)
        first = nil
        #expect(budget.bytes == 0 && first == nil)
        while queue.runNext() {}
        #expect(woken.withLock { $0 } == 1)
        #expect(budget.take(60, for: .init()) {} != nil)
    }

    @Test func `one alone may hold more than there is, and grow; others wait`() throws {
        let budget = ByteBudget(bytesMax: 100, wakingOn: queue)
        let large = try #require(budget.take(500, for: .init()) {})
        #expect(large.adjust(to: 700) && budget.bytes == 700)
        #expect(budget.take(1, for: .init()) {} == nil)
        #expect(large.adjust(to: 40) && budget.bytes == 40)
        let small = try #require(budget.take(1, for: .init()) {})
        #expect(!large.adjust(to: 101), "it is not alone any more")
        #expect(budget.bytes == 41)
        withExtendedLifetime((large, small)) {}
    }

    @Test func `law: what is held together is at most what there is, unless it is one`() {
        let budget = ByteBudget(bytesMax: 1_000, wakingOn: queue)
        var held: [(permit: ByteBudget.Permit, bytes: Int)] = []
        var state: UInt64 = 11
        func below(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            return Int(state >> 33) % bound
        }
        for _ in 0..<5_000 {
            switch below(3) {
            case 0:
                let (bytes, waiter) = (below(600), ByteBudget.Waiter())
                if let permit = budget.take(bytes, for: waiter, orWake: {}) {
                    held.append((permit, bytes))
                }
            case 1 where !held.isEmpty: held.remove(at: below(held.count))
            default:
                guard !held.isEmpty else { continue }
                let index = below(held.count)
                let bytes = below(1_200)
                if held[index].permit.adjust(to: bytes) { held[index].bytes = bytes }
            }
            let sum = held.reduce(0) { $0 + $1.bytes }
            #expect(budget.bytes == sum)
            #expect(sum <= 1_000 || held.count { $0.bytes > 0 } == 1)
            while queue.runNext() {}
        }
    }
}
