/// What a journal asks when it rewrites the entries of a document; see `Journal.rewrite`.
///
/// One thread at a time uses it. It is asked about each entry once, in order, and then about the
/// end; if more entries have come meanwhile, about these and about the end again.
public protocol EntryRewriting: AnyObject {
    /// The body that an entry gets. Throws if nothing is to be rewritten.
    func body(of entry: JournalEntry) throws(JournalError) -> [UInt8]

    /// The entry to add behind the last one, which is at `head` now; `nil` if nothing is to be
    /// rewritten.
    func end(after head: JournalHead) throws(JournalError) -> JournalEntry?
}
