/// A journal that several processes write to.
///
/// Calls block, and may come from any thread.
public protocol SharedJournal: Journal {
    /// The heads of documents; those without entries are left out. Nothing that was committed
    /// before the call is missing.
    func heads(of documents: [DocumentID]) throws(JournalError) -> [DocumentID: JournalHead]

    /// The sequence number of the last committed entry: nothing that was committed before the call
    /// is missing. `lastSequence` may be behind.
    func newestSequence() throws(JournalError) -> Int

    /// Up to `limit` entries after a number, in the order of commits, without their bodies.
    func places(after sequence: Int, limit: Int) throws(JournalError) -> [EntryPlace]

    /// The entries of documents after revisions, of each in order: all that there are, as far as
    /// they are not too many bytes together.
    func entries(
        after known: [DocumentRevision]
    ) throws(JournalError) -> [DocumentID: [JournalEntry]]

    /// Commits the entries that `make` returns while no other process can write to their documents:
    /// so another process never causes a refusal. The exception is the first entries of a document,
    /// which cannot be locked yet.
    ///
    /// `make` is called at most once, and not at all while other processes hold all documents: then
    /// the caller has to ask again. If it makes nothing, nothing is committed. Writers that wait
    /// for the same document take turns.
    func commit(
        to documents: [DocumentRevision], _ make: (TurnBeginning) -> JournalBatch
    ) throws(JournalError) -> [EntryFate]

    /// Waits until there is an entry after a number. Returns `false` after `stopWaiting`.
    func awaitEntry(after sequence: Int) -> Bool

    /// Ends all waiting, now and later.
    func stopWaiting()

}

extension SharedJournal {
    /// All entries of this process are known.
    public func newestSequence() throws(JournalError) -> Int { lastSequence }
}

/// The state of documents at the beginning of a turn.
public struct TurnBeginning: Sendable {
    /// The entries of each document after the known revision. Documents that another process holds
    /// are left out until a later turn.
    public var missed: [DocumentID: [JournalEntry]]
    /// Why some of those are not waited for any more.
    public var overdue: [DocumentID: JournalError]

    public init(
        missed: [DocumentID: [JournalEntry]] = [:], overdue: [DocumentID: JournalError] = [:]
    ) {
        self.missed = missed
        self.overdue = overdue
    }
}

/// A document, and how far it is known.
public struct DocumentRevision: Sendable, Hashable {
    public let document: DocumentID
    /// The last revision that is known; -1 if none is.
    public let revision: Int

    public init(_ document: DocumentID, _ revision: Int) {
        self.document = document
        self.revision = revision
    }
}

/// The document and revision of an entry.
public struct EntryPlace: Sendable, Equatable {
    /// Its number in the order of commits.
    public let sequence: Int
    public let document: DocumentID
    public let revision: Int

    public init(sequence: Int, document: DocumentID, revision: Int) {
        self.sequence = sequence
        self.document = document
        self.revision = revision
    }
}

extension Journal {
    /// Storage in this process is always reachable.
    public var fault: JournalError? { nil }

    /// The number of the last entry, of whatever process: nothing that was committed before the
    /// call is missing.
    public func lastSequenceOfAll() throws(JournalError) -> Int {
        try shared?.newestSequence() ?? lastSequence
    }

    /// Most journals have one process that writes.
    public var shared: (any SharedJournal)? { nil }
}

extension ForwardingJournal {
    public var shared: (any SharedJournal)? { base.shared }
}
