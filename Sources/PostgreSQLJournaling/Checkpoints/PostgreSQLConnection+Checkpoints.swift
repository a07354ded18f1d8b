import Hashing
import Journaling

// Checkpoints: each by itself, or as a delta to the next newer one.

extension PostgreSQLConnection {
    func checkpoint(
        of document: DocumentID, notAfter revision: Int
    ) throws(PostgreSQLError) -> Checkpoint? {
        let rows = try rows(
            .checkpoint,
            [.text(document.name), .integer(revision), .bytes([CheckpointBody.deltaFormat])])
        // A damaged checkpoint is no loss: the entries before it are all there.
        guard let first = rows.first, let chain = ChainHash(bytes: first.bytes(1)),
            rows.allSatisfy({ SHA256.hash($0.bytes(2)) == $0.bytes(3) }),
            let body = CheckpointBody.readable(
                rows.map { (revision: $0.integer(0), body: $0.bytes(2)) })
        else { return nil }
        return Checkpoint(
            document: document, revision: first.integer(0), chain: chain, body: body)
    }

    /// Stores a checkpoint, unless the entries have been rewritten since, and removes what it makes
    /// superfluous.
    func store(_ checkpoint: Checkpoint) throws(PostgreSQLError) {
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
            Command(.keptCheckpoints, [name]),
        ])
        let kept = stored[1].rows.map { $0.kept }
        if CheckpointThinning.isWithinDelta(checkpoint.revision, among: kept) {
            try run([Command(.rollback)])
            return
        }
        let superfluous = CheckpointThinning.superfluous(among: kept)
        try run([Command(.removeCheckpoints, [name, .array(superfluous)]), Command(.commit)])
    }

    /// Packs a document's checkpoints, in a transaction of its own; not while somebody else is at
    /// them.
    func packCheckpoints(of document: [UInt8]) throws(PostgreSQLError) {
        let name = SQLValue.bytes(document)
        do throws(PostgreSQLError) {
            // Twice: what was stored while the first one waited is seen by the second.
            let kept = try run([
                Command(.begin), Command(.waitForMoment), Command(.keep, [name]),
                Command(.keptCheckpoints, [name]), Command(.keptCheckpoints, [name]),
            ])[4].rows.map { $0.kept }
            try pack(CheckpointPacking(of: kept), of: name)
        } catch .locked { return }
    }

    private func pack(_ packing: CheckpointPacking, of name: SQLValue) throws(PostgreSQLError) {
        var bodies: [Int: [UInt8]] = [:]
        if packing.isNeeded {
            for row in try rows(.checkpointBodies, [name, .array(packing.needed)])
            where SHA256.hash(row.bytes(1)) == row.bytes(2) {
                bodies[row.integer(0)] = row.bytes(1)
            }
        }
        // Where one is damaged all stay as they are.
        guard packing.isNeeded, let packed = try? packing.bodies(of: bodies) else {
            try run([Command(.rollback)])
            return
        }
        let replacing = packed.map { revision, body in
            Command(
                .replaceCheckpoint,
                [name, .integer(revision), .bytes(body), .bytes(SHA256.hash(body))])
        }
        let removing = Command(.removeCheckpoints, [name, .array(packing.removed)])
        try run(replacing + [removing, Command(.commit)])
    }
}

extension SQLRow {
    /// Of what `keptCheckpoints` finds.
    fileprivate var kept: CheckpointThinning.Kept {
        CheckpointThinning.Kept(revision: integer(0), bytes: integer(1), head: bytes(2))
    }
}
