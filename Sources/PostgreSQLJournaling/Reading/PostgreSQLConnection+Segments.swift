import Journaling

// The packed entries.

/// Which segment it is: nothing else of the document leads to the same chain.
struct SegmentKey: Hashable, Sendable {
    let document: DocumentID
    let chain: [UInt8]
}

extension PostgreSQLConnection {
    /// Reads with all statements from one state, whatever is packed or rewritten meanwhile.
    func inOneState<Result>(
        _ body: @autoclosure () throws(PostgreSQLError) -> Result
    ) throws(PostgreSQLError) -> Result {
        try run([Command(.beginReading)])
        let result = try body()
        try run([Command(.commit)])
        return result
    }

    /// The entries of the segment that holds a revision; `nil` if none does.
    func segment(
        of document: DocumentID, holding revision: Int
    ) throws(PostgreSQLError) -> [JournalEntry]? {
        let known = segments.keys.filter { $0.document == document }.map(\.chain)
        guard let row = try segmentRow(of: document, revision, known) else { return nil }
        if let entries = segments[SegmentKey(document: document, chain: row.bytes(2))] {
            return entries.map(\.entry)
        }
        // It was known, and is not here any more.
        let isMissing = row.columns[3] == nil
        let whole = isMissing ? try segmentRow(of: document, revision, []) : row
        return try whole.map { row throws(PostgreSQLError) in try unpacked(row, of: document) }
    }

    /// The segment that holds a revision, as it is stored; `nil` if none does.
    func storedSegment(
        of document: DocumentID, holding revision: Int
    ) throws(PostgreSQLError) -> Segment? {
        try segmentRow(of: document, revision, []).map { row throws(PostgreSQLError) in
            try stored(row, of: document)
        }
    }

    private func segmentRow(
        of document: DocumentID, _ revision: Int, _ known: [[UInt8]]
    ) throws(PostgreSQLError) -> SQLRow? {
        let values: [SQLValue] = [.text(document.name), .integer(revision), .array(known)]
        // The last segment before a revision may also end before it.
        return try rows(.segment, values).first { revision - $0.integer(0) < $0.integer(1) }
    }

    private func stored(
        _ row: SQLRow, of document: DocumentID
    ) throws(PostgreSQLError) -> Segment {
        let (first, count) = (row.integer(0), row.integer(1))
        guard first >= 0, count > 0, let chain = ChainHash(bytes: row.bytes(2)) else {
            throw .corrupt("a segment of \(document) has no chain")
        }
        return Segment(
            document: document, first: first, count: count,
            sequences: (first + 1)...(first + count), chain: chain, body: row.bytes(3))
    }

    private func unpacked(
        _ row: SQLRow, of document: DocumentID
    ) throws(PostgreSQLError) -> [JournalEntry] {
        let segment = try stored(row, of: document)
        let first = segment.first
        let previous = first == 0 ? ChainHash.start : ChainHash(bytes: row.bytes(4))
        guard let previous else { throw .corrupt("a segment of \(document) follows nothing") }
        let entries: [Segment.Numbered]
        do throws(Segment.Fault) {
            entries = try segment.entries(following: previous)
        } catch {
            throw .corrupt("a segment of \(document) is damaged, from revision \(first) on")
        }
        segments.add(entries, key: SegmentKey(document: document, chain: row.bytes(2)))
        return entries.map(\.entry)
    }

    /// The chain before a revision at which a segment ends.
    func packedChain(
        of document: DocumentID, before revision: Int
    ) throws(PostgreSQLError) -> ChainHash {
        let values: [SQLValue] = [.text(document.name), .integer(revision)]
        guard let row = try rows(.packedChain, values).first,
            let chain = ChainHash(bytes: row.bytes(0))
        else { throw .corrupt("\(document) has no entry before revision \(revision)") }
        return chain
    }
}
