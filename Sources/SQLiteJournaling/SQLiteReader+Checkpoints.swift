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

    /// Documents behind a key that have several.
    static let severalCheckpoints = """
        SELECT document FROM checkpoint WHERE document > ?1
        GROUP BY document HAVING count(*) > 1 ORDER BY document LIMIT 500
        """

    /// The newest one up to a revision that can be read.
    func checkpoint(
        of document: DocumentID, notAfter revision: Int
    ) throws(SQLiteError) -> Checkpoint? {
        var last = revision
        while true {
            let stored = try storedCheckpoints(of: document, notAfter: last)
            guard let first = stored.first else { return nil }
            if let found = StoredCheckpoint.first(of: stored, document) { return found }
            last = first.revision - 1
        }
    }

    private func storedCheckpoints(
        of document: DocumentID, notAfter revision: Int
    ) throws(SQLiteError) -> [StoredCheckpoint] {
        defer { findCheckpoint.reset() }
        try findCheckpoint.bind(1, Array(document.name.utf8))
        try findCheckpoint.bind(2, revision)
        var stored: [StoredCheckpoint] = []
        while try findCheckpoint.step() {
            let next = StoredCheckpoint(
                revision: findCheckpoint.integer(0), chain: findCheckpoint.bytes(1),
                body: findCheckpoint.bytes(2), checksum: findCheckpoint.bytes(3))
            stored.append(next)
            if !next.isDelta { break }
        }
        return stored
    }

    /// The packed form of a document's checkpoints; `nil` if there is nothing to pack.
    func packedCheckpoints(of key: Int) throws(SQLiteError) -> SQLiteCheckpoints.Packed? {
        let packing = CheckpointPacking(of: try SQLiteCheckpoints.kept(listCheckpoints, of: key))
        guard packing.isNeeded else { return nil }
        var checksums: [Int: [UInt8]] = [:]
        var bodies: [Int: [UInt8]] = [:]
        for revision in packing.needed {
            defer { findBody.reset() }
            try findBody.bind(1, key)
            try findBody.bind(2, revision)
            guard try findBody.step() else { continue }
            let (body, checksum) = (findBody.bytes(0), findBody.bytes(1))
            checksums[revision] = checksum
            if SHA256.hash(body) == checksum { bodies[revision] = body }
        }
        return SQLiteCheckpoints.Packed(
            key: key, known: packing.checkpoints.map(\.revision), checksums: checksums,
            result: packing.result(of: bodies))
    }

    /// The keys of some documents behind one, that have several checkpoints.
    func documentsWithCheckpoints(after key: Int) throws(SQLiteError) -> [Int] {
        defer { findSeveral.reset() }
        try findSeveral.bind(1, key)
        var keys: [Int] = []
        while try findSeveral.step() { keys.append(findSeveral.integer(0)) }
        return keys
    }
}
