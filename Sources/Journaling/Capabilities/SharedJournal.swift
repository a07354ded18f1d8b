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

    /// Commits to documents what `make` returns, while nobody else can write to them: so it is
    /// never refused because another process came first. Except for the first entries of a
    /// document: there is nothing yet to hold.
    ///
    /// `make` is called at most once, and not at all while somebody keeps all documents: then they
    /// are to be asked for again. If it makes nothing, nothing is committed. Writers that wait for
    /// the same document have turns.
    func commit(
        to documents: [DocumentRevision], _ make: (TurnBeginning) -> JournalBatch
    ) throws(JournalError) -> [EntryFate]

    /// Waits until there is an entry after a number. Returns `false` after `stopWaiting`.
    func awaitEntry(after sequence: Int) -> Bool

    /// Ends all waiting, now and later.
    func stopWaiting()

}

extension SharedJournal {
    /// What is in this process is known.
    public func newestSequence() throws(JournalError) -> Int { lastSequence }
}

/// What is found when a turn begins.
public struct TurnBeginning: Sendable {
    /// The entries of each document after the revision that is known. Documents that somebody else
    /// keeps are left out: another time.
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
public struct DocumentRevision: Sendable, Equatable {
    public let document: DocumentID
    /// The last revision that is known; -1 if none is.
    public let revision: Int

    public init(_ document: DocumentID, _ revision: Int) {
        self.document = document
        self.revision = revision
    }
}

/// Where an entry stands.
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
    /// What is in this process can be reached.
    public var fault: JournalError? { nil }

    /// Most journals have one process that writes.
    public var shared: (any SharedJournal)? { nil }
}

extension ForwardingJournal {
    public var shared: (any SharedJournal)? { base.shared }
}
