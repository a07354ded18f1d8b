import DocumentCore
import Synchronization

/// Keeps a document in memory as long as it is held: work that waits for a thread needs it there.
/// Otherwise documents that are loaded in turn could push each other out for ever.
final class HostLease: Sendable {
    let host: DocumentHost

    init(_ host: DocumentHost) {
        self.host = host
        host.noteLease(1)
    }

    deinit { host.noteLease(-1) }
}

/// Counts the uses of all documents of a store, so that the least recently used one is known.
final class UseCounter: Sendable {
    private let count = Atomic(0)

    /// The number of the next use.
    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
