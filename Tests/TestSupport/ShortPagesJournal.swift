public import Journaling

/// A journal that looks through few numbers for a page of named documents, as that of a database
/// does with many: a page may be empty and not the last one.
public struct ShortPagesJournal: ForwardingJournal {
    public let base: any Journal
    private let span: Int

    public init(_ base: any Journal, span: Int) {
        self.base = base
        self.span = span
    }

    public func entries(
        after sequence: Int, upTo last: Int, of documents: [DocumentID], limit: Int
    ) throws(JournalError) -> JournalPage {
        let end = min(last, lastSequence, sequence + span)
        return try base.entries(after: sequence, upTo: end, of: documents, limit: limit)
    }
}
