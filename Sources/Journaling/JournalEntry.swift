import Hashing

/// One row of the journal: a change in bytes, with its document and revision.
public struct JournalEntry: Sendable, Equatable {
    public let document: DocumentID
    /// 0 for the creation of a document, then without gaps.
    public let revision: Int
    public let body: [UInt8]
    /// The chain before this entry.
    public let previousChain: ChainHash
    public let chain: ChainHash
    /// Whether the document begins or ends here; for listing documents without reading bodies.
    public let lifecycle: Lifecycle

    /// The effect of an entry on the existence of its document.
    public enum Lifecycle: Int, Sendable {
        case goesOn = 0
        case begins = 1
        case ends = 2
    }

    /// The entry that follows one whose chain is `previousChain`. O(body): hashes it.
    public init(
        document: DocumentID, revision: Int, body: [UInt8], following previousChain: ChainHash,
        lifecycle: Lifecycle = .goesOn
    ) {
        self.document = document
        self.revision = revision
        self.body = body
        self.previousChain = previousChain
        self.lifecycle = lifecycle
        chain = previousChain.followed(by: body, revision: revision)
    }
}

/// The hash of all of a document's entries up to one of them: none can be lost or changed unseen.
public struct ChainHash: Sendable, Equatable {
    private let digest: Digest

    /// 32 bytes (SHA-256).
    public var bytes: [UInt8] { digest.bytes }

    /// `nil` unless there are 32 bytes.
    public init?(bytes: [UInt8]) {
        guard let digest = Digest(bytes) else { return nil }
        self.init(digest)
    }

    private init(_ digest: Digest) {
        self.digest = digest
    }

    /// The chain before the first entry.
    public static let start = ChainHash(SHA256().finalize())

    func followed(by body: [UInt8], revision: Int) -> ChainHash {
        var hash = SHA256()
        hash.update(digest)
        hash.update(UInt64(bitPattern: Int64(revision)))
        hash.update(body)
        return ChainHash(hash.finalize())
    }
}

/// The last entry of a document.
public struct JournalHead: Sendable, Equatable {
    public let revision: Int
    public let chain: ChainHash

    public init(revision: Int, chain: ChainHash) {
        self.revision = revision
        self.chain = chain
    }
}

extension JournalEntry {
    /// The head of its document after it.
    public var head: JournalHead { JournalHead(revision: revision, chain: chain) }

    /// Whether it is the next one after its document's head; the first one after `nil`.
    public func follows(_ head: JournalHead?) -> Bool {
        guard let head else { return revision == 0 && previousChain == .start }
        return revision == head.revision + 1 && previousChain == head.chain
    }
}

/// The journal's own stored form of a document, so that replay is short.
public struct Checkpoint: Sendable, Equatable {
    public let document: DocumentID
    /// The last entry that it contains.
    public let revision: Int
    public let chain: ChainHash
    public let body: [UInt8]

    public init(document: DocumentID, revision: Int, chain: ChainHash, body: [UInt8]) {
        self.document = document
        self.revision = revision
        self.chain = chain
        self.body = body
    }
}

/// A document as a list shows it.
public struct DocumentListing: Sendable, Equatable {
    public let document: DocumentID
    public let revision: Int
    public let isDeleted: Bool

    public init(document: DocumentID, revision: Int, isDeleted: Bool) {
        self.document = document
        self.revision = revision
        self.isDeleted = isDeleted
    }
}
