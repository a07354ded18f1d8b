import Hashing

/// A checkpoint in the form of a journal, with a checksum of its body.
package struct StoredCheckpoint {
    package let revision: Int
    private let chain: [UInt8]
    package let body: [UInt8]
    package let checksum: [UInt8]

    package init(revision: Int, chain: [UInt8], body: [UInt8], checksum: [UInt8]) {
        self.revision = revision
        self.chain = chain
        self.body = body
        self.checksum = checksum
    }

    /// Whether the body is not what was written. O(n).
    package var isDamaged: Bool { SHA256.hash(body) != checksum }

    /// Whether it says only how it differs from the next newer one.
    package var isDelta: Bool { CheckpointBody.base(of: body) != nil }

    /// The first of some checkpoints, each of which but the last is a delta to the next one; `nil`
    /// if one is damaged or missing. That is no loss: replay uses the entries instead.
    package static func first(
        of stored: [StoredCheckpoint], _ document: DocumentID
    ) -> Checkpoint? {
        guard let first = stored.first, let chain = ChainHash(bytes: first.chain),
            !stored.contains(where: \.isDamaged),
            let body = CheckpointBody.readable(stored.map { ($0.revision, $0.body) })
        else { return nil }
        return Checkpoint(document: document, revision: first.revision, chain: chain, body: body)
    }
}
