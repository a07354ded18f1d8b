import Hashing
import Journaling

/// The checkpoints in the file, for the connection that writes.
struct SQLiteCheckpoints {
    private let insert, list, find, remove, replace: SQLiteStatement

    /// The packed checkpoints of a document, made from its checkpoints, which may have changed
    /// since.
    struct Packed {
        let key: Int
        /// The revisions of all that there were.
        let known: [Int]
        /// The checksums of the checkpoints that it was made from.
        let checksums: [Int: [UInt8]]
        let result: CheckpointPacking.Result
    }

    /// All of a document's. The first bytes of the small ones say what is a delta.
    static let listed = """
        SELECT revision, length(body),
            CASE WHEN length(body) <= \(CheckpointBody.deltaContentMax)
                THEN substr(body, 1, \(CheckpointBody.headBytesMax)) END
        FROM checkpoint WHERE document = ?1 ORDER BY revision
        """

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        insert = try connection.prepare(
            "INSERT OR REPLACE INTO checkpoint(document, revision, chain, body, checksum) "
                + "VALUES(?1, ?2, ?3, ?4, ?5)")
        list = try connection.prepare(SQLiteCheckpoints.listed)
        find = try connection.prepare(
            "SELECT checksum FROM checkpoint WHERE document = ?1 AND revision = ?2")
        remove = try connection.prepare(
            "DELETE FROM checkpoint WHERE document = ?1 AND revision = ?2")
        replace = try connection.prepare(
            "UPDATE checkpoint SET body = ?3, checksum = ?4 WHERE document = ?1 AND revision = ?2")
    }

    /// Inserts a checkpoint of the document with a key, and removes what it makes superfluous.
    func insert(_ checkpoint: Checkpoint, of key: Int) throws(SQLiteError) {
        var kept = try SQLiteCheckpoints.kept(list, of: key)
        if CheckpointThinning.isWithinDelta(checkpoint.revision, among: kept) { return }
        try insert.bind(1, key)
        try insert.bind(2, checkpoint.revision)
        try insert.bind(3, checkpoint.chain.bytes)
        try insert.bind(4, checkpoint.body)
        try insert.bind(5, SHA256.hash(checkpoint.body))
        try insert.run()
        // It is whole, and may come late, or in the place of one.
        kept.removeAll { $0.revision == checkpoint.revision }
        let place = kept.firstIndex { $0.revision > checkpoint.revision } ?? kept.count
        kept.insert(.init(revision: checkpoint.revision, bytes: checkpoint.body.count), at: place)
        for revision in CheckpointThinning.superfluous(among: kept) {
            try remove(revision, of: key)
        }
    }

    private func remove(_ revision: Int, of key: Int) throws(SQLiteError) {
        try remove.bind(1, key)
        try remove.bind(2, revision)
        try remove.run()
    }

    static func kept(
        _ list: SQLiteStatement, of key: Int
    ) throws(SQLiteError) -> [CheckpointThinning.Kept] {
        try list.bind(1, key)
        defer { list.reset() }
        var kept: [CheckpointThinning.Kept] = []
        while try list.step() {
            kept.append(
                CheckpointThinning.Kept(
                    revision: list.integer(0), bytes: list.integer(1), head: list.bytes(2)))
        }
        return kept
    }

    /// Puts new bodies in the place of others. Returns `false`, and changes nothing, if what they
    /// were made of is not there any more.
    func replace(_ packed: Packed) throws(SQLiteError) -> Bool {
        let key = packed.key
        // There may be newer ones.
        let kept = try SQLiteCheckpoints.kept(list, of: key).prefix(packed.known.count)
        guard kept.map(\.revision) == packed.known else { return false }
        for (revision, checksum) in packed.checksums {
            try find.bind(1, key)
            try find.bind(2, revision)
            defer { find.reset() }
            guard try find.step(), find.bytes(0) == checksum else { return false }
        }
        for (revision, body) in packed.result.bodies {
            try replace.bind(1, key)
            try replace.bind(2, revision)
            try replace.bind(3, body)
            try replace.bind(4, SHA256.hash(body))
            try replace.run()
        }
        for revision in packed.result.removed { try remove(revision, of: key) }
        return true
    }
}
