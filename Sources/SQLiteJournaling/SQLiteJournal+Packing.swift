public import Journaling
import Threading

// Packing: old entries become segments, and old checkpoints become deltas. Only their exchange
// needs the writer.

extension SQLiteJournal: Packable {
    /// Packs entries of the next document that has enough of them, if there is one among the next
    /// few hundred.
    ///
    /// An entry that is committed meanwhile waits for one commit at most. From one thread at a
    /// time.
    ///
    /// - Parameter policy: for all documents; `nil` for the policy next to a running daemon.
    public func pack(_ policy: PackingPolicy?) throws(JournalError) -> PackingStep {
        let start = packingPosition.withLock { $0 }
        let last = lastSequence
        let found = try reading { reader throws(SQLiteError) in
            try reader.packable(after: start, policy, last: last)
        }
        packingPosition.withLock { $0 = found.looked }
        if found.entries.isEmpty {
            if found.looked > 0 { return .looked }
            // Beside a running daemon a document's checkpoints follow its entries.
            if policy != nil { try packAllCheckpoints() }
            return .finished
        }
        let segment = Segment(packing: found.entries, columns: columns)
        try segment.check(found.entries)
        guard try commit(segment) else { return .looked }
        try packCheckpoints(of: found.looked)
        // It may have more.
        packingPosition.withLock { $0 = found.looked - 1 }
        return .packed(segment.count)
    }

    /// Rewrites the file without gaps. Takes as long as copying it, and as much room; commits wait
    /// meanwhile.
    public func compact() throws(JournalError) {
        try withWriter { marked throws(JournalError) in try marked.writer.compact() }
    }

    private func packAllCheckpoints() throws(JournalError) {
        var last = 0
        while true {
            let keys = try reading { reader throws(SQLiteError) in
                try reader.documentsWithCheckpoints(after: last)
            }
            for key in keys { try packCheckpoints(of: key) }
            guard let key = keys.last else { return }
            last = key
        }
    }

    private func packCheckpoints(of key: Int) throws(JournalError) {
        let found = try reading { reader throws(SQLiteError) in
            try reader.packedCheckpoints(of: key)
        }
        guard let found else { return }
        try withWriter { marked throws(JournalError) in try marked.writer.commit(found) }
    }

    private func commit(_ segment: Segment) throws(JournalError) -> Bool {
        try withWriter { marked throws(JournalError) in try marked.writer.commit(segment) }
    }
}
