/// The durable, append-only sequence of entries of each document.
///
/// The contract, which `JournalContractTests` asks of every journal:
/// - When `commit` returns, every entry that it did not refuse survives a crash.
/// - When it throws, none of the entries is stored, except for `.outcomeUnknown` and `.uncertain`,
///   which leave that open.
/// - An entry is refused unless it follows the last entry of its document, by revision and by
///   chain. The other entries of the batch are stored, but for those of its unit: of a unit all are
///   stored or none. So revisions have no gaps, no matter who else writes to the same journal.
/// - Sequence numbers grow in the order of commits over all documents. Between two entries of one
///   batch, and between two batches, there may be entries of other writers.
/// - Entries are never removed, and changed by `rewrite` alone.
/// - Reading hands out fewer entries than were asked for, but at least one, once they take more
///   than `JournalPage.bytesMax`.
/// - Reads may run during a commit, and see committed entries only.
///
/// Calls block, and may come from any thread; `commit` from one thread at a time.
public protocol Journal: Sendable {
    /// Makes entries durable, all in one commit. Returns the fate of each entry, in their order.
    func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate]

    /// The sequence number of the last committed entry of all documents; 0 if there is none.
    var lastSequence: Int { get }

    /// Up to `limit` entries after a number and up to another, in the order of commits, of the
    /// documents whose names begin with `prefix`.
    func entries(
        after sequence: Int, upTo last: Int, prefix: String, limit: Int
    ) throws(JournalError) -> JournalPage

    /// The same of some documents. O(entries of these documents).
    func entries(
        after sequence: Int, upTo last: Int, of documents: [DocumentID], limit: Int
    ) throws(JournalError) -> JournalPage

    /// The last entry of a document, or `nil` if it has none.
    func head(of document: DocumentID) throws(JournalError) -> JournalHead?

    /// Up to `limit` entries in order, the first of them at a revision.
    func entries(
        of document: DocumentID, from revision: Int, limit: Int
    ) throws(JournalError) -> [JournalEntry]

    /// Up to `limit` entries, in order; the last of them is at a revision, or the head before it.
    func entries(
        of document: DocumentID, upTo revision: Int, limit: Int
    ) throws(JournalError) -> [JournalEntry]

    /// The segment that holds an entry, as it is stored; `nil` if the entry is not packed.
    func segment(
        of document: DocumentID, holding revision: Int
    ) throws(JournalError) -> Segment?

    /// The newest checkpoint of a document that holds nothing after `revision`.
    func checkpoint(
        of document: DocumentID, notAfter revision: Int
    ) throws(JournalError) -> Checkpoint?

    /// Up to `limit` documents whose names begin with `prefix`, in byte order, after a name.
    func documents(
        prefix: String, after name: String?, limit: Int
    ) throws(JournalError) -> [DocumentListing]

    /// Up to `limit` documents whose names begin with `prefix` and which have entries after a
    /// number in the order of commits, each with the revision of the first of these; in byte order,
    /// after a name. Reads no entry.
    func documents(
        changedAfter sequence: Int, prefix: String, after name: String?, limit: Int
    ) throws(JournalError) -> [DocumentRevision]

    /// Replaces the body of every entry of a document, computes the chain again, and may add an
    /// entry: for erasing and forgetting. All in one commit, which also removes the document's
    /// checkpoints. When it returns and `rewriting` demands it, storage contains nothing of them
    /// and of the former bodies; in a database, no query finds them. Revisions, numbers and
    /// lifecycles stay.
    ///
    /// Entries committed to the document meanwhile are also rewritten. Returns whether anything was
    /// rewritten: not if there are no entries, or if `rewriting` demanded no change. Takes as long
    /// as reading the document's whole history. From any thread, concurrently with `commit`.
    func rewrite(
        _ document: DocumentID, by rewriting: any EntryRewriting
    ) throws(JournalError) -> Bool

    /// The number of the last entry that the index contains; 0 without an index.
    func indexPosition() throws(JournalError) -> Int

    /// Up to `limit` rows of the index in the order of their keys, from a key on and before
    /// another.
    func indexRows(
        from key: [UInt8], before end: [UInt8], limit: Int
    ) throws(JournalError) -> [IndexRow]

    /// The cuts of the history. Marks and positions grow. Backups and copies also have them. The
    /// same object while the journal is open.
    var knownCuts: KnownCuts { get }

    /// Stores cuts in the place of those that are known. Returns whether it has: not if others are
    /// stored by now. Durable when this returns.
    func setCuts(
        _ cuts: [HistoryCut], replacing known: [HistoryCut]
    ) throws(JournalError) -> Bool

    /// Why nothing can be stored at the moment, as far as that is known without asking the disk;
    /// `nil` while all is well.
    var fault: JournalError? { get }

    /// The journal, if other processes may write to it.
    var shared: (any SharedJournal)? { get }

    /// Releases what the journal holds. Nothing may be called after it.
    func close()
}

extension Journal {
    /// Where the history was cut, the earliest first. Does not block.
    public var cuts: [HistoryCut] { knownCuts.list }

    /// Up to `limit` entries after a number, whatever their numbers are.
    public func entries(
        after sequence: Int, prefix: String, limit: Int
    ) throws(JournalError) -> JournalPage {
        try entries(after: sequence, upTo: .max, prefix: prefix, limit: limit)
    }

    /// The same of some documents.
    public func entries(
        after sequence: Int, of documents: [DocumentID], limit: Int
    ) throws(JournalError) -> JournalPage {
        try entries(after: sequence, upTo: .max, of: documents, limit: limit)
    }
}

/// Entries of many documents in the order of commits.
public struct JournalPage: Sendable {
    public let entries: [(sequence: Int, entry: JournalEntry)]
    /// The end of the scan.
    public let end: Int

    /// The maximum size of entries that are read together; each may be as large as a document.
    public static let bytesMax = 4 << 20

    public init(entries: [(sequence: Int, entry: JournalEntry)], end: Int) {
        self.entries = entries
        self.end = end
    }

    /// Whether reading `limit` entries ended with the last there is, and not for their number or
    /// size.
    public static func isAll(_ entries: [JournalEntry], limit: Int) -> Bool {
        entries.count < limit && entries.reduce(0) { $0 + $1.body.count } < bytesMax
    }
}

/// Why the journal did not do what was asked.
public enum JournalError: Error, Equatable, Sendable {
    /// Another entry came first. Nothing of this one was stored; read the journal and decide again.
    case conflict
    /// The disk is full. Nothing was stored; writing resumes when space is free.
    case full(String)
    /// The store cannot be reached or is stopped. Nothing was stored.
    case unavailable(String)
    /// The store has stopped for good after a fault. Nothing was stored; only a restart helps.
    case stopped(String)
    /// The disk did not confirm. The entries may be stored or not; only a restart shows which.
    case outcomeUnknown(String)
    /// The store did not confirm, and cannot be asked now. The entries may be stored or not; once
    /// it can be reached again, reading it shows which.
    case uncertain(String)
    /// The rewriting is stored, and no reader finds the replaced entries; but remains of them are
    /// in the files for now. The journal removes them when it can.
    case leftovers(String)
    /// The read data differs from the written data.
    case corrupt(String)
}

extension JournalError: CustomStringConvertible {
    /// The reason, as people read it.
    public var description: String {
        switch self {
        case .conflict: "a concurrent change was stored first"
        case .full(let reason): "no space left: \(reason)"
        case .unavailable(let reason), .stopped(let reason): reason
        case .outcomeUnknown(let reason): "the disk did not confirm: \(reason)"
        case .uncertain(let reason): "the store did not confirm: \(reason)"
        case .leftovers(let reason): "erased data remains on the disk for now: \(reason)"
        case .corrupt(let reason): reason
        }
    }
}
