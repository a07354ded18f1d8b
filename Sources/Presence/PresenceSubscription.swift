public import Journaling
import Naming
import Synchronization
import Threading

/// Follows who is in some documents.
// One caller at a time; its knowledge is behind a lock all the same.
public final class PresenceSubscription: Sendable {
    public let documents: Set<DocumentID>
    private let client: Name?
    private let owner: Name
    private let number: Int
    private let hub: PresenceHub
    /// Up to which change each document is known; none at the beginning.
    private let known = Lock<[DocumentID: Int]>([:])
    private let isOver = Atomic(false)

    init(
        _ documents: Set<DocumentID>, keeping client: Name?, owner: Name, number: Int,
        _ hub: PresenceHub
    ) {
        self.documents = documents
        self.client = client
        self.owner = owner
        self.number = number
        self.hub = hub
    }

    deinit { cancel() }

    /// The next changes: at first all present clients, then those that changed. `wake` is called
    /// when there may be more.
    public func next(_ wake: @escaping @Sendable () -> Void) -> [PresenceChange] {
        if isOver.load(ordering: .relaxed) { return [] }
        let (changes, new) = hub.changes(
            since: known.withLock { $0 }, documents, of: number, wake)
        known.withLock { $0 = new }
        return changes
    }

    /// A life of a document ended: so did being in it.
    public func end(_ document: DocumentID, life: Int) {
        if documents.contains(document) { hub.end(document, life: life) }
    }

    /// Stops following. The client that it keeps stays for 5 s more.
    public func cancel() {
        if isOver.exchange(true, ordering: .relaxed) { return }
        hub.leave(documents, keeping: client, owner, number)
    }
}
