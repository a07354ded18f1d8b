import Journaling
import Threading

/// A journal whose commits fail by plan. After the plan, all goes well.
public final class FaultyJournal: Journal {
    public enum Fault: Sendable {
        /// Nothing was stored.
        case full
        case unavailable
        /// Stored, and the answer was lost: the one that people forget.
        case storedButUnknown
        /// Not stored, and nobody knows.
        case lostAndUnknown
    }

    private let base: any Journal
    private let plan: Lock<[Fault?]>

    public init(_ base: any Journal, plan: [Fault?]) {
        self.base = base
        self.plan = Lock(plan)
    }

    public var secret: [UInt8] { base.secret }

    public func commit(_ batch: JournalBatch) throws(JournalError) -> Set<Int> {
        let fault = plan.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        switch fault {
        case .full: throw .full("planned")
        case .unavailable: throw .unavailable("planned")
        case .storedButUnknown:
            _ = try base.commit(batch)
            throw .outcomeUnknown("planned")
        case .lostAndUnknown: throw .outcomeUnknown("planned")
        case nil: return try base.commit(batch)
        }
    }

    public var lastSequence: Int { base.lastSequence }

    public func entries(
        after sequence: Int, prefix: String, limit: Int
    ) throws(JournalError) -> JournalPage {
        try base.entries(after: sequence, prefix: prefix, limit: limit)
    }

    public func head(of document: DocumentID) throws(JournalError) -> JournalHead? {
        try base.head(of: document)
    }

    public func entries(
        of document: DocumentID, after revision: Int, limit: Int
    ) throws(JournalError) -> [JournalEntry] {
        try base.entries(of: document, after: revision, limit: limit)
    }

    public func entries(
        of document: DocumentID, upTo revision: Int, limit: Int
    ) throws(JournalError) -> [JournalEntry] {
        try base.entries(of: document, upTo: revision, limit: limit)
    }

    public func checkpoint(
        of document: DocumentID, notAfter revision: Int
    ) throws(JournalError) -> Checkpoint? {
        try base.checkpoint(of: document, notAfter: revision)
    }

    public func documents(
        prefix: String, after name: String?, limit: Int
    ) throws(JournalError) -> [DocumentListing] {
        try base.documents(prefix: prefix, after: name, limit: limit)
    }

    public func close() { base.close() }
}
