/// The callbacks of a journal that rewrites the entries of a document; see `Journal.rewrite`.
///
/// One thread at a time uses it. It is asked about each entry once, in order, and then about the
/// end; if more entries have come meanwhile, about these and about the end again.
public protocol EntryRewriting: AnyObject {
    /// Whether nothing of the former bodies may be left in storage. That takes longer: others may
    /// have to end what they read.
    var leavesNothing: Bool { get }

    /// The body that an entry gets. Throws if nothing is to be rewritten.
    func body(of entry: JournalEntry) throws(JournalError) -> [UInt8]

    /// The decision at the end; the last entry is at `head` now.
    func end(after head: JournalHead) throws(JournalError) -> RewritingEnd
}

/// The result of a rewriting.
public enum RewritingEnd: Sendable {
    /// All stays as it was.
    case nothing
    /// They are stored.
    case stored
    /// They are stored, and an entry behind them.
    case adding(JournalEntry)
}
