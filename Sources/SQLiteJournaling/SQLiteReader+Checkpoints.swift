import Hashing
import Journaling

// Checkpoints: each by itself, or as a delta to the next newer one.

extension SQLiteReader {
    /// The newest one up to a revision, and all behind it, up to one that is whole.
    static let chainOfCheckpoints = """
        SELECT revision, chain, body, checksum FROM checkpoint
        WHERE document = (SELECT key FROM document WHERE name = ?1)
            AND revision >= (
                SELECT max(revision) FROM checkpoint
                WHERE document = (SELECT key FROM document WHERE name = ?1) AND revision <= ?2)
        ORDER BY revision
        """

    func checkpoint(
        of document: DocumentID, notAfter revision: Int
    ) throws(SQLiteError) -> Checkpoint? {
        defer { findCheckpoint.reset() }
        try findCheckpoint.bind(1, Array(document.name.utf8))
        try findCheckpoint.bind(2, revision)
        var first: (revision: Int, chain: ChainHash)?
        var bodies: [(revision: Int, body: [UInt8])] = []
        while try findCheckpoint.step() {
            let (revision, body) = (findCheckpoint.integer(0), findCheckpoint.bytes(2))
            // A damaged checkpoint is no loss: the entries before it are all there.
            guard let chain = ChainHash(bytes: findCheckpoint.bytes(1)),
                SHA256.hash(body) == findCheckpoint.bytes(3)
            else { return nil }
            first = first ?? (revision, chain)
            bodies.append((revision, body))
            if CheckpointBody.base(of: body) == nil { break }
        }
        guard let first, let body = CheckpointBody.readable(bodies) else { return nil }
        return Checkpoint(
            document: document, revision: first.revision, chain: first.chain, body: body)
    }

    /// What becomes of a document's checkpoints if they are packed now; `nil` if there is nothing
    /// to do, or something is damaged.
    func packedCheckpoints(
        of document: DocumentID
    ) throws(SQLiteError) -> SQLiteCheckpoints.Packed? {
        defer { findKey.reset() }
        try findKey.bind(1, Array(document.name.utf8))
        guard try findKey.step() else { return nil }
        let key = findKey.integer(0)
        let packing = CheckpointPacking(of: try SQLiteCheckpoints.kept(listCheckpoints, of: key))
        guard packing.isNeeded else { return nil }
        var checksums: [Int: [UInt8]] = [:]
        var bodies: [Int: [UInt8]] = [:]
        for revision in packing.needed {
            defer { findBody.reset() }
            try findBody.bind(1, key)
            try findBody.bind(2, revision)
            guard try findBody.step() else { return nil }
            let body = findBody.bytes(0)
            let checksum = SHA256.hash(body)
            guard checksum == findBody.bytes(1) else { return nil }
            (checksums[revision], bodies[revision]) = (checksum, body)
        }
        guard let packed = try? packing.bodies(of: bodies) else { return nil }
        return SQLiteCheckpoints.Packed(
            document: document, known: packing.checkpoints, checksums: checksums, bodies: packed,
            removed: packing.removed)
    }
}
