import Journaling

// Entries: the newer ones in rows, the older ones in segments. Segments hold the beginning of a
// document's history, and never all of it: so rows show by themselves whether entries are packed.

extension PostgreSQLConnection {
    /// More than any page.
    private static let limitMax = 1 << 40

    // MARK: One document

    /// Up to `limit` entries in order, the first at a revision, until they are too many bytes.
    func entries(
        of document: DocumentID, from revision: Int, limit: Int
    ) throws(PostgreSQLError) -> [JournalEntry] {
        let revision = max(0, revision)
        let rows = try rows(of: document, from: revision, limit: limit)
        guard let first = rows.first else { return [] }
        if first.revision == revision, first.isLinked {
            return try rows.map { row throws(PostgreSQLError) in try row.entry(of: document) }
        }
        return try inOneState(try packedEntries(of: document, from: revision, limit: limit))
    }

    /// The same, where they begin in a segment, or right behind one. Within a transaction: what is
    /// packed meanwhile is found, and nothing may be rewritten.
    func packedEntries(
        of document: DocumentID, from revision: Int, limit: Int
    ) throws(PostgreSQLError) -> [JournalEntry] {
        var page = EntryPage(limit: limit)
        var isMissing = false
        while !page.isFull {
            let next = revision + page.entries.count
            if let segment = try segment(of: document, holding: next) {
                page.add(segment.filter { $0.revision >= next })
                isMissing = false
                continue
            }
            let rows = try rows(
                of: document, from: next, limit: limit - page.entries.count)
            if rows.first?.revision == next {
                page.add(try entries(rows, of: document, after: page.entries.last?.chain))
                return page.entries
            }
            // They may have been packed in between.
            guard !isMissing else {
                throw .corrupt("\(document) has no entry at revision \(next)")
            }
            isMissing = true
        }
        return page.entries
    }

    /// Up to `limit` entries in order, the last at a revision, or the newest before it.
    func entries(
        of document: DocumentID, upTo revision: Int, limit: Int
    ) throws(PostgreSQLError) -> [JournalEntry] {
        if limit <= 0 || revision < 0 { return [] }
        let rows = try rows(of: document, upTo: revision, limit: limit)
        if let first = rows.first, first.isLinked {
            return try rows.map { row throws(PostgreSQLError) in try row.entry(of: document) }
        }
        return try inOneState(
            try packedEntries(
                of: document, upTo: revision, limit: limit,
                before: try self.rows(of: document, upTo: revision, limit: limit)))
    }

    private func packedEntries(
        of document: DocumentID, upTo revision: Int, limit: Int, before rows: [EntryRow]
    ) throws(PostgreSQLError) -> [JournalEntry] {
        let newer = try entries(rows, of: document, after: nil)
        var page = EntryPage(limit: limit)
        page.add(newer.reversed())
        var next = (newer.first?.revision ?? revision + 1) - 1
        while !page.isFull, next >= 0,
            let segment = try segment(of: document, holding: next)
        {
            page.add(segment.filter { $0.revision <= next }.reversed())
            next = segment[0].revision - 1
        }
        return page.entries.reversed()
    }

    /// Rows that follow one another as entries; of the first the chain before it may have to be
    /// looked up.
    private func entries(
        _ rows: [EntryRow], of document: DocumentID, after known: ChainHash?
    ) throws(PostgreSQLError) -> [JournalEntry] {
        guard let first = rows.first else { return [] }
        var before = known
        if before == nil, !first.isLinked {
            before = try packedChain(of: document, before: first.revision)
        }
        var entries: [JournalEntry] = []
        for row in rows {
            entries.append(try row.entry(of: document, following: before))
            before = entries.last?.chain
        }
        return entries
    }

    private func rows(
        of document: DocumentID, from revision: Int, limit: Int
    ) throws(PostgreSQLError) -> [EntryRow] {
        if limit <= 0 { return [] }
        // One more, for the chain before the first.
        let count = min(limit, PostgreSQLConnection.limitMax) + (revision == 0 ? 0 : 1)
        let rows = try rows(
            .entriesFrom,
            [
                .text(document.name), .integer(revision), .integer(count),
                .integer(JournalPage.bytesMax),
            ])
        // Behind a segment there is none before the first, and one too many.
        return rows.prefix(limit).map { EntryRow($0) }
    }

    private func rows(
        of document: DocumentID, upTo revision: Int, limit: Int
    ) throws(PostgreSQLError) -> [EntryRow] {
        let rows = try rows(
            .entriesUpTo,
            [
                .text(document.name), .integer(revision),
                .integer(min(limit, PostgreSQLConnection.limitMax) + 1),
                .integer(JournalPage.bytesMax),
            ])
        return rows.map { EntryRow($0) }.suffix(limit)
    }

    // MARK: Many documents

    static func readingEntries(after known: [DocumentRevision]) -> Command {
        Command(
            .entriesAfter,
            [
                names(known.map(\.document)), .array(known.map(\.revision)),
                .integer(JournalPage.bytesMax),
            ])
    }

    /// The result of `readingEntries`, for each document.
    static func rows(_ answer: Answer, count: Int) -> [[EntryRow]] {
        var found = [[EntryRow]](repeating: [], count: count)
        for row in answer.rows { found[row.integer(0) - 1].append(EntryRow(row, from: 1)) }
        return found
    }

    /// The entries of documents after revisions, as far as they are not too many bytes.
    func entries(
        after known: [DocumentRevision]
    ) throws(PostgreSQLError) -> [[JournalEntry]] {
        let answers = try run([PostgreSQLConnection.readingEntries(after: known)])
        let found = PostgreSQLConnection.rows(answers[0], count: known.count)
        var entries: [[JournalEntry]] = []
        for (known, rows) in zip(known, found) {
            let isPacked = rows.first.map { !$0.follows(known) } ?? false
            entries.append(
                isPacked
                    ? try self.entries(
                        of: known.document, from: known.revision + 1,
                        limit: PostgreSQLJournal.pageSize)
                    : try rows.map { row throws(PostgreSQLError) in
                        try row.entry(of: known.document)
                    })
        }
        return entries
    }

    /// Entries at places, in their order, until they are too many bytes.
    func entries(at places: [EntryPlace]) throws(PostgreSQLError) -> [JournalEntry] {
        let rows = try rows(at: places)
        let bytes = rows.reduce(0) { $0 + $1.value.body.count }
        let isAll = rows.count == places.count || bytes >= JournalPage.bytesMax
        guard isAll, rows.enumerated().allSatisfy({ $0 == $1.key && $1.value.isLinked }) else {
            return try inOneState(try packedEntries(at: places))
        }
        return try rows.map { place, row throws(PostgreSQLError) in
            try row.entry(of: places[place].document)
        }
    }

    /// The same, where some of them are packed.
    private func packedEntries(at places: [EntryPlace]) throws(PostgreSQLError) -> [JournalEntry] {
        let rows = Dictionary(uniqueKeysWithValues: try rows(at: places))
        var page = EntryPage(limit: places.count)
        var segments: [DocumentID: [JournalEntry]] = [:]
        for (index, place) in places.enumerated() where !page.isFull {
            if let row = rows[index] {
                page.add(try entries([row], of: place.document, after: nil))
                continue
            }
            if segments[place.document]?.holds(place.revision) != true {
                segments[place.document] = try segment(of: place.document, holding: place.revision)
            }
            // Otherwise it is in a row, behind too many bytes.
            guard let segment = segments[place.document], segment.holds(place.revision) else {
                break
            }
            page.add([segment[place.revision - segment[0].revision]])
        }
        return page.entries
    }

    private func rows(
        at places: [EntryPlace]
    ) throws(PostgreSQLError) -> [(key: Int, value: EntryRow)] {
        let rows = try rows(
            .entriesAt,
            [
                .array(Array(places.indices)),
                PostgreSQLConnection.names(places.map(\.document)),
                .array(places.map(\.revision)), .integer(JournalPage.bytesMax),
            ])
        return rows.map { ($0.integer(0), EntryRow($0, from: 2)) }
    }
}

extension EntryRow {
    /// Whether it is the first one after what is known.
    func follows(_ known: DocumentRevision) -> Bool {
        revision == known.revision + 1 && isLinked
    }
}

extension [JournalEntry] {
    /// Whether the entry of a revision is among these, which follow one another.
    fileprivate func holds(_ revision: Int) -> Bool {
        guard let first else { return false }
        return revision >= first.revision && revision - first.revision < count
    }
}

/// Entries until they are enough, or too many bytes.
private struct EntryPage {
    let limit: Int
    private(set) var entries: [JournalEntry] = []
    private var bytes = 0

    init(limit: Int) {
        self.limit = limit
    }

    var isFull: Bool { entries.count >= limit || bytes >= JournalPage.bytesMax }

    mutating func add(_ more: some Sequence<JournalEntry>) {
        for entry in more {
            if isFull { return }
            entries.append(entry)
            bytes += entry.body.count
        }
    }
}
