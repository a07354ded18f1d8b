import Journaling
import Threading

/// A journal whose reading of a document's entries waits while a gate is closed.
public struct GatedJournal: ForwardingJournal {
    public let base: any Journal
    private let isOpen: TestLock<Bool>

    public init(_ base: any Journal, _ isOpen: TestLock<Bool>) {
        self.base = base
        self.isOpen = isOpen
    }

    public func entries(
        of document: DocumentID, from revision: Int, limit: Int
    ) throws(JournalError) -> [JournalEntry] {
        try? until { isOpen.withLock { $0 } }
        return try base.entries(of: document, from: revision, limit: limit)
    }
}
