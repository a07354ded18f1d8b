import DocumentCore

// Where an address leads.

extension StateAddress {
    /// The document as it is at this address. Blocks.
    public func document(
        _ head: Document, _ past: DocumentPast
    ) throws(ChangeError) -> Document {
        if case .snapshot(let key) = self { return try head.restored(from: key, past) }
        if case .origin = self {
            var document = head
            document.tree = try past.common(of: head)
            return document
        }
        let revision = try revision(head, past)
        return revision == head.revision ? head : try past.document(at: revision)
    }

    /// The revision at this address; where a snapshot or the common state with the origin is, the
    /// newest. Blocks.
    public func revision(_ head: Document, _ past: DocumentPast) throws(ChangeError) -> Int {
        let revision: Int
        switch self {
        case .head, .snapshot, .origin: return head.revision
        case .revision(let number): revision = number
        case .time(let time):
            revision = time >= head.time ? head.revision : try past.revision(at: time)
        case .version(let version): revision = try head.lastRevision(of: version)
        case .tag(let tag): revision = try head.lastRevision(tagged: tag)
        }
        guard revision <= head.revision else { throw .unknownRevision(revision) }
        guard revision >= head.oldestRevision else { throw .trimmed(oldest: head.oldestRevision) }
        return revision
    }
}
