import Synchronization

/// Responses that occupy connections for long, counted for all loops together: the kernel does not
/// distribute clients evenly.
final class EndlessReplies: Sendable {
    /// Endless replies that may be under way at once, and as many requests that may wait long: they
    /// take connections from all others.
    let max: Int
    private let streams = Atomic(0)
    private let longWaits = Atomic(0)

    init(max: Int) {
        self.max = max
    }

    /// How many endless replies are under way.
    var streamCount: Int { streams.load(ordering: .relaxed) }

    func countStream(_ change: Int) { streams.add(change, ordering: .relaxed) }

    /// Whether one more request may wait long for its response.
    var mayWaitLong: Bool { longWaits.load(ordering: .relaxed) < max }

    func countLongWait(_ change: Int) { longWaits.add(change, ordering: .relaxed) }
}
