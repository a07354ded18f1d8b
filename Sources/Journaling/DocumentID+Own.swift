public import Naming

// Documents of the daemon's own, which are stored like others and belong to no client: their names
// begin with NUL, and no request can name them. A prefix that does not begin so leaves them out,
// in this file alone (Decision 43).

/// A kind of documents of the daemon's own, one for each name.
public struct OwnDocuments: Sendable {
    /// The beginning of the names of its documents.
    public let prefix: String

    /// `area`: of restore points, of open runs. It ends with a slash.
    public init(_ area: String) { prefix = DocumentID.ownMark + area }

    /// The longest name, in bytes: it is a part of a document's name.
    public var nameBytesMax: Int { DocumentID.bytesMax - prefix.utf8.count }

    /// The document of a name; `nil` if the name is empty or too long.
    public func document(of name: Name) -> DocumentID? {
        name.isEmpty ? nil : DocumentID(prefix + name.text)
    }

    /// The name that a document is for; `nil` if it is none of these documents.
    public func name(of document: DocumentID) -> Name? {
        guard document.name.utf8.starts(with: prefix.utf8) else { return nil }
        return Name(
            String(decoding: document.name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self))
    }
}

extension DocumentID {
    /// The beginning of the names of the daemon's own documents.
    public static let ownMark = "\0"

    /// Whether it is a document of the daemon's own.
    public var isOwn: Bool { name.utf8.first == 0 }

    /// A lower bound of the names with a prefix, without those of the daemon's own documents unless
    /// the prefix is theirs.
    public static func bound(below prefix: String) -> [UInt8] {
        prefix.isEmpty ? [1] : Array(prefix.utf8)
    }

    /// Whether it is one of the documents of a prefix.
    public func isBelow(_ prefix: String) -> Bool {
        name.utf8.starts(with: prefix.utf8) && (!isOwn || !prefix.isEmpty)
    }
}

extension Journal {
    /// `entries(after:upTo:prefix:limit:)` without those of the daemon's own documents, unless the
    /// prefix is theirs.
    public func entries(
        after sequence: Int, upTo last: Int = .max, below prefix: String, limit: Int
    ) throws(JournalError) -> JournalPage {
        let page = try entries(after: sequence, upTo: last, prefix: prefix, limit: limit)
        guard prefix.isEmpty, page.entries.contains(where: { $0.entry.document.isOwn }) else {
            return page
        }
        return JournalPage(entries: page.entries.filter { !$0.entry.document.isOwn }, end: page.end)
    }

    /// The same for documents: up to `limit`, after a name.
    public func documents(
        below prefix: String, after name: String?, limit: Int
    ) throws(JournalError) -> [DocumentListing] {
        try documents(prefix: prefix, after: start(of: prefix, after: name), limit: limit)
    }

    /// The same for documents with entries after a number: up to `limit`.
    public func documents(
        changedAfter sequence: Int, below prefix: String, limit: Int
    ) throws(JournalError) -> [DocumentRevision] {
        try documents(
            changedAfter: sequence, prefix: prefix, after: start(of: prefix, after: nil),
            limit: limit)
    }

    /// The name after which the documents of a prefix are listed.
    private func start(of prefix: String, after name: String?) -> String? {
        // In the order of bytes, all names of the daemon's own come before this one.
        let isAtOwn = prefix.isEmpty && (name?.utf8.first ?? 0) == 0
        return isAtOwn ? DocumentID.ownMark + "\u{10FFFF}" : name
    }
}
