/// A journal that forwards all calls that it does not implement itself to another.
public protocol ForwardingJournal: Journal {
    var base: any Journal { get }
}

extension ForwardingJournal {
    public func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate] {
        try base.commit(batch)
    }

    public var lastSequence: Int { base.lastSequence }

    public func entries(
        after sequence: Int, upTo last: Int, prefix: String, limit: Int
    ) throws(JournalError) -> JournalPage {
        try base.entries(after: sequence, upTo: last, prefix: prefix, limit: limit)
    }

    public func entries(
        after sequence: Int, upTo last: Int, of documents: [DocumentID], limit: Int
    ) throws(JournalError) -> JournalPage {
        try base.entries(after: sequence, upTo: last, of: documents, limit: limit)
    }

    public func head(of document: DocumentID) throws(JournalError) -> JournalHead? {
        try base.head(of: document)
    }

    public func entries(
        of document: DocumentID, from revision: Int, limit: Int
    ) throws(JournalError) -> [JournalEntry] {
        try base.entries(of: document, from: revision, limit: limit)
    }

    public func entries(
        of document: DocumentID, upTo revision: Int, limit: Int
    ) throws(JournalError) -> [JournalEntry] {
        try base.entries(of: document, upTo: revision, limit: limit)
    }

    public func segment(
        of document: DocumentID, holding revision: Int
    ) throws(JournalError) -> Segment? {
        try base.segment(of: document, holding: revision)
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

    public func documents(
        changedAfter sequence: Int, prefix: String, after name: String?, limit: Int
    ) throws(JournalError) -> [DocumentRevision] {
        try base.documents(changedAfter: sequence, prefix: prefix, after: name, limit: limit)
    }

    public func rewrite(
        _ document: DocumentID, by rewriting: any EntryRewriting
    ) throws(JournalError) -> Bool {
        try base.rewrite(document, by: rewriting)
    }

    public func indexPosition() throws(JournalError) -> Int { try base.indexPosition() }

    public func indexRows(
        from key: [UInt8], before end: [UInt8], limit: Int
    ) throws(JournalError) -> [IndexRow] {
        try base.indexRows(from: key, before: end, limit: limit)
    }

    public var knownCuts: KnownCuts { base.knownCuts }

    public func setCuts(
        _ cuts: [HistoryCut], replacing known: [HistoryCut]
    ) throws(JournalError) -> Bool {
        try base.setCuts(cuts, replacing: known)
    }

    public var fault: JournalError? { base.fault }

    public func close() { base.close() }
}
