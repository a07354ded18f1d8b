import Journaling
import Threading

/// A journal that several daemons write to, and that a test can make unreachable.
public final class CutOffJournal: ForwardingJournal, SharedJournal {
    public let base: any Journal
    /// The known number when it was cut off.
    private let cut = Lock<Int?>(nil)
    private let hides = Lock(false)

    /// Every other process has the journal itself.
    public init(_ base: InMemoryJournal) {
        self.base = base
    }

    public var shared: (any SharedJournal)? { self }

    /// Whether it cannot be reached.
    public var isCutOff: Bool {
        get { cut.withLock { $0 } != nil }
        set { cut.withLock { $0 = newValue ? base.lastSequence : nil } }
    }

    /// Whether it hides the places of entries: so none of them are published.
    public var hidesPlaces: Bool {
        get { hides.withLock { $0 } }
        set { hides.withLock { $0 = newValue } }
    }

    public var lastSequence: Int { cut.withLock { $0 } ?? base.lastSequence }

    private func reached() throws(JournalError) -> any SharedJournal {
        guard let shared = base.shared, !isCutOff else { throw .unavailable("planned") }
        return shared
    }

    public func heads(
        of documents: [DocumentID]
    ) throws(JournalError) -> [DocumentID: JournalHead] {
        try reached().heads(of: documents)
    }

    public func newestSequence() throws(JournalError) -> Int {
        try reached().newestSequence()
    }

    public func places(after sequence: Int, limit: Int) throws(JournalError) -> [EntryPlace] {
        if hidesPlaces { throw .unavailable("planned") }
        return try reached().places(after: sequence, limit: limit)
    }

    public func entries(
        after known: [DocumentRevision]
    ) throws(JournalError) -> [DocumentID: [JournalEntry]] {
        try reached().entries(after: known)
    }

    public func commit(
        to documents: [DocumentRevision], _ make: (TurnBeginning) -> JournalBatch
    ) throws(JournalError) -> [EntryFate] {
        try reached().commit(to: documents, make)
    }

    public func awaitEntry(after sequence: Int) -> Bool {
        base.shared?.awaitEntry(after: sequence) ?? false
    }

    public func stopWaiting() { base.shared?.stopWaiting() }
}
