import Journaling

// Entries that may be packed.

extension SQLiteReader {
    /// The limit on documents that one step visits.
    private static let lookedMax = 500

    /// Entries that may be packed, and the key of the last visited document; 0 if there are no
    /// more.
    struct Packable {
        var looked = 0
        var entries: [Segment.Numbered] = []
    }

    /// The first entries that may be packed, among some documents behind a key.
    func packable(
        after key: Int, _ policy: PackingPolicy?, last: Int
    ) throws(SQLiteError) -> Packable {
        var result = Packable()
        defer { findUnpacked.reset() }
        try findUnpacked.bind(1, key)
        try findUnpacked.bind(2, SQLiteReader.lookedMax)
        while try findUnpacked.step() {
            result.looked = findUnpacked.integer(0)
            let revisions = (findUnpacked.integer(2), findUnpacked.integer(3))
            let policy =
                policy ?? .inBackground(edited: findUnpacked.integer(4), of: last)
            guard revisions.0 <= revisions.1,
                let range = policy.range(of: revisions.0...revisions.1),
                let document = DocumentID(findUnpacked.text(1))
            else { continue }
            result.entries = try entries(
                of: document, key: result.looked, range, upTo: .max)
            return result
        }
        return result
    }

    /// The next entries of a document from a revision on, packed or not, at most `limit` of those
    /// that are not; empty behind the last one.
    func numbered(
        of document: DocumentID, from revision: Int, upTo last: Int = .max,
        limit: Int = PackingPolicy.entriesMax
    ) throws(SQLiteError) -> [Segment.Numbered] {
        if let packed = try segments?.entries(of: document, holding: revision) {
            return packed.filter { $0.entry.revision >= revision }
        }
        defer { findKey.reset() }
        try findKey.bind(1, Array(document.name.utf8))
        guard try findKey.step() else { return [] }
        return try entries(
            of: document, key: findKey.integer(0),
            revision...(revision + limit - 1), upTo: last)
    }

    /// Entries that are not packed, checked and with their numbers.
    private func entries(
        of document: DocumentID, key: Int, _ revisions: ClosedRange<Int>, upTo last: Int
    ) throws(SQLiteError) -> [Segment.Numbered] {
        var previous = try chain(of: document, before: revisions.lowerBound)
        defer { findNumbered.reset() }
        try findNumbered.bind(1, key)
        try findNumbered.bind(2, revisions.lowerBound)
        try findNumbered.bind(3, revisions.count)
        var entries: [Segment.Numbered] = []
        var bytes = 0
        while bytes < PackingPolicy.bytesMax, try findNumbered.step() {
            let row = row(of: findNumbered, from: 1)
            let entry = try row.entry(
                of: document, at: revisions.lowerBound + entries.count, following: previous)
            previous = entry.chain
            bytes += entry.body.count
            entries.append((findNumbered.integer(0), entry))
            if findNumbered.integer(0) >= last { break }
        }
        return entries
    }
}
