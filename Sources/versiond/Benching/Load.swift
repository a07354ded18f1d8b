import Synchronization
import Threading

/// Many clients at once, each of which sends its next request when it has the response to the last.
struct Load {
    let port: UInt16
    let clients: Int
    /// The request with a number that no other has.
    let request: @Sendable (Int) -> LoadRequest

    private struct Gathered {
        var times: [Duration] = []
        var error: CannotRun?
    }

    /// Sends requests for some time.
    func run(for time: Duration) throws(CannotRun) -> Figures {
        let (gathered, next) = (Lock(Gathered()), Counter())
        let start = ContinuousClock.now
        let threads = (0..<clients).map { number in
            WorkerThread(name: "client-\(number)") { [port, request] in
                var times: [Duration] = []
                let error = Load.send(port, until: start + time, &times) { request(next.next()) }
                gathered.withLock { gathered in
                    gathered.times += times
                    gathered.error = gathered.error ?? error
                }
            }
        }
        for thread in threads { thread.join() }
        let elapsed = ContinuousClock.now - start
        let (times, error) = gathered.withLock { ($0.times, $0.error) }
        if let error { throw error }
        guard let figures = Figures(times, within: elapsed) else {
            throw .cannotListen("the daemon did not respond within \(time)")
        }
        return figures
    }

    private static func send(
        _ port: UInt16, until end: ContinuousClock.Instant, _ times: inout [Duration],
        _ next: () -> LoadRequest
    ) -> CannotRun? {
        do throws(CannotRun) {
            var client = try LoadClient(port: port)
            while ContinuousClock.now < end {
                let request = next()
                let began = ContinuousClock.now
                try client.send(request)
                times.append(ContinuousClock.now - began)
            }
            return nil
        } catch {
            return error
        }
    }

    private final class Counter: Sendable {
        private let last = Atomic(0)

        func next() -> Int { last.add(1, ordering: .relaxed).newValue }
    }
}
