/// The entries of a document with other bodies, packed: all but the last one.
package struct RewrittenEntries {
    private let columns: any BodyColumns
    private var segments: [Segment] = []
    private var pending: [Segment.Numbered] = []
    private var pendingBytes = 0

    package init(_ columns: any BodyColumns) {
        self.columns = columns
    }

    package var head: JournalHead? {
        pending.last.map { JournalHead(revision: $0.entry.revision, chain: $0.entry.chain) }
    }

    package var nextRevision: Int { head.map { $0.revision + 1 } ?? 0 }

    /// The next entry with another body.
    package mutating func add(
        _ entry: JournalEntry, _ sequence: Int, body: [UInt8]
    ) throws(JournalError) {
        try add(
            JournalEntry(
                document: entry.document, revision: entry.revision, body: body,
                following: head?.chain ?? .start, lifecycle: entry.lifecycle), sequence)
    }

    package mutating func add(_ entry: JournalEntry, _ sequence: Int) throws(JournalError) {
        let isFull =
            pending.count >= PackingPolicy.entriesMax || pendingBytes >= PackingPolicy.bytesMax
        if isFull {
            try pack(pending)
            (pending, pendingBytes) = ([], 0)
        }
        pending.append((sequence, entry))
        pendingBytes += entry.body.count
    }

    private mutating func pack(_ entries: [Segment.Numbered]) throws(JournalError) {
        let segment = Segment(packing: entries, columns: columns)
        try segment.check(entries)
        segments.append(segment)
    }

    /// All of them, and the last one as it is.
    package mutating func finished() throws(JournalError) -> ([Segment], last: Segment.Numbered) {
        guard let last = pending.popLast() else { preconditionFailure("there are entries") }
        if !pending.isEmpty { try pack(pending) }
        return (segments, last)
    }
}

extension Segment {
    /// A segment that does not unpack to its entries must never replace them.
    package func check(_ entries: [Numbered]) throws(JournalError) {
        let unpacked = try? self.entries(following: entries[0].entry.previousChain)
        guard let unpacked, unpacked.elementsEqual(entries, by: { $0 == $1 }) else {
            throw .corrupt("entries of \(document) are not the same when they are unpacked")
        }
    }
}
