/// How much of the storage a document takes.
public struct DocumentUsage: Sendable, Equatable {
    public let document: DocumentID
    /// Its changes.
    public let entries: Int
    /// The approximate bytes of entries and checkpoints: without indexes and gaps.
    public let bytes: Int

    public init(document: DocumentID, entries: Int, bytes: Int) {
        self.document = document
        self.entries = entries
        self.bytes = bytes
    }
}

/// How much of the storage documents take whose names begin alike.
public struct PrefixUsage: Sendable, Equatable {
    /// Those that are not deleted.
    public let documents: Int
    /// The bytes of all documents, including deleted ones.
    public let bytes: Int

    public init(documents: Int, bytes: Int) {
        self.documents = documents
        self.bytes = bytes
    }
}

/// A journal that knows which documents take its storage.
public protocol UsageReporting: Journal {
    /// The documents of clients that take most, the largest first. Reads the sizes of all entries.
    func usage(limit: Int) throws(JournalError) -> [DocumentUsage]

    /// The size of all documents whose names begin with a prefix. Reads the sizes of all their
    /// entries.
    func usage(ofPrefix prefix: String) throws(JournalError) -> PrefixUsage
}
