import Hashing
import Journaling

// Checkpoints: each by itself, or as a delta to the next newer one.

extension PostgreSQLConnection {
    /// The newest one up to a revision that can be read.
    func checkpoint(
        of document: DocumentID, notAfter revision: Int
    ) throws(PostgreSQLError) -> Checkpoint? {
        var last = revision
        while true {
            let stored = try rows(
                .checkpoint,
                [.text(document.name), .integer(last), .bytes([CheckpointBody.deltaFormat])]
            ).map { row in
                StoredCheckpoint(
                    revision: row.integer(0), chain: row.bytes(1), body: row.bytes(2),
                    checksum: row.bytes(3))
            }
            guard let first = stored.first else { return nil }
            if let found = StoredCheckpoint.first(of: stored, document) { return found }
            last = first.revision - 1
        }
    }

    /// Stores a checkpoint, unless the entries have been rewritten since, and removes the
    /// checkpoints that it makes superfluous. Does nothing while another transaction holds them: a
    /// checkpoint is not worth waiting for.
    func store(_ checkpoint: Checkpoint) throws(PostgreSQLError) {
        do throws(PostgreSQLError) { try storeNow(checkpoint) } catch .locked { return }
    }

    private func storeNow(_ checkpoint: Checkpoint) throws(PostgreSQLError) {
        let name = SQLValue.text(checkpoint.document.name)
        let place: [SQLValue] = [name, .integer(checkpoint.revision)]
        let answers = try run([
            Command(.begin), Command(.waitForMoment), Command(.keep, [name]),
            Command(.entryChain, place),
        ])
        var chain = answers[3].rows.first?.bytes(0)
        if chain == nil {
            chain = try segment(of: checkpoint.document, holding: checkpoint.revision)?
                .first { $0.revision == checkpoint.revision }?.chain.bytes
        }
        guard chain == checkpoint.chain.bytes else {
            try run([Command(.rollback)])
            return
        }
        let (proof, body) = (SHA256.hash(checkpoint.body), checkpoint.body)
        let stored = try run([
            Command(
                .addCheckpoint,
                place + [.bytes(checkpoint.chain.bytes), .bytes(body), .bytes(proof)]),
            // Twice: what others have stored while the first one waited is seen by the second.
            Command(.keptCheckpoints, [name]), Command(.keptCheckpoints, [name]),
        ])
        let kept = stored[2].rows.map { $0.kept }
        if CheckpointThinning.isWithinDelta(checkpoint.revision, among: kept) {
            try run([Command(.rollback)])
            return
        }
        let superfluous = CheckpointThinning.superfluous(among: kept)
        try run([Command(.removeCheckpoints, [name, .array(superfluous)]), Command(.commit)])
    }

    /// Packs a document's checkpoints in a transaction of its own; does nothing while another
    /// transaction holds them.
    func packCheckpoints(of document: [UInt8]) throws(PostgreSQLError) {
        let name = SQLValue.bytes(document)
        do throws(PostgreSQLError) {
            let kept = try run([
                Command(.begin), Command(.waitForMoment), Command(.keep, [name]),
                Command(.keptCheckpoints, [name]), Command(.keptCheckpoints, [name]),
            ])[4].rows.map { $0.kept }
            try pack(CheckpointPacking(of: kept), of: name)
        } catch .locked { return }
    }

    private func pack(_ packing: CheckpointPacking, of name: SQLValue) throws(PostgreSQLError) {
        guard packing.isNeeded else {
            try run([Command(.rollback)])
            return
        }
        var bodies: [Int: [UInt8]] = [:]
        for row in try rows(.checkpointBodies, [name, .array(packing.needed)])
        where SHA256.hash(row.bytes(1)) == row.bytes(2) {
            bodies[row.integer(0)] = row.bytes(1)
        }
        let result = packing.result(of: bodies)
        let replacing = result.bodies.map { revision, body in
            Command(
                .replaceCheckpoint,
                [name, .integer(revision), .bytes(body), .bytes(SHA256.hash(body))])
        }
        let removing = Command(.removeCheckpoints, [name, .array(result.removed)])
        try run(replacing + [removing, Command(.commit)])
    }

    /// Packs the checkpoints of all documents that have several.
    func packAllCheckpoints() throws(PostgreSQLError) {
        for row in try rows(.documentsWithCheckpoints, []) {
            try packCheckpoints(of: row.bytes(0))
        }
    }
}

extension SQLRow {
    /// Of what `keptCheckpoints` finds.
    fileprivate var kept: CheckpointThinning.Kept {
        CheckpointThinning.Kept(revision: integer(0), bytes: integer(1), head: bytes(2))
    }
}
