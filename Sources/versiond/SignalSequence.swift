import Dispatch
import Glibc

/// Signals that ask the daemon for something instead of ending it, in the order of their arrival.
struct SignalSequence: AsyncSequence {
    private let arrivals: AsyncStream<Int32>

    /// Returns once each of these signals arrives here: until then it has its usual effect.
    init(trapping numbers: Int32...) async {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Int32.self)
        self.arrivals = arrivals
        let queue = DispatchQueue(label: "versiond.signals")
        var sources: [DispatchSource] = []
        for number in numbers {
            // On Linux, Dispatch makes nothing else.
            let source =
                DispatchSource.makeSignalSource(signal: number, queue: queue)
                as! DispatchSource
            source.setEventHandler { arrived.yield(number) }
            await withCheckedContinuation { ready in
                source.setRegistrationHandler { ready.resume() }
                source.resume()
            }
            sources.append(source)
        }
        // The stream owns the sources: a source that is released traps nothing.
        arrived.onTermination = { [sources] _ in
            for source in sources { source.cancel() }
        }
    }

    func makeAsyncIterator() -> AsyncStream<Int32>.AsyncIterator { arrivals.makeAsyncIterator() }
}
