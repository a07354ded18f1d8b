import Journaling
import TestSupport
import Testing

/// Entries of some documents, in a journal that packs and in one that is the model of it.
enum PackedHistory {
    static let names = ["a", "ab", "b", "\u{e4}"]

    /// Commits the next entry of a document to both journals.
    static func append(
        _ name: String, _ body: [UInt8], to journal: any Packable, _ model: InMemoryJournal
    ) throws {
        let id = try #require(DocumentID(name))
        let head = try model.head(of: id)
        let entry = JournalEntry(
            document: id, revision: (head?.revision ?? -1) + 1, body: body,
            following: head?.chain ?? .start, lifecycle: head == nil ? .begins : .goesOn)
        let batch = JournalBatch(entries: [entry])
        #expect(try journal.commit(batch) == model.commit(batch))
    }

    /// Entries of a document that follow one another.
    static func entries(
        _ name: String, _ count: Int, after head: JournalHead? = nil
    ) throws -> [JournalEntry] {
        let id = try #require(DocumentID(name))
        let first = (head?.revision ?? -1) + 1
        var chain = head?.chain ?? .start
        return (first..<(first + count)).map { revision in
            let entry = JournalEntry(
                document: id, revision: revision, body: [7], following: chain,
                lifecycle: revision == 0 ? .begins : .goesOn)
            chain = entry.chain
            return entry
        }
    }

    /// Commits entries of all documents to both journals in one batch.
    private static func appendMany(
        _ count: Int, to journal: any Packable, _ model: InMemoryJournal
    ) throws {
        var entries: [JournalEntry] = []
        for name in names {
            let id = try #require(DocumentID(name))
            guard let head = try model.head(of: id) else { continue }
            entries += try self.entries(name, count, after: head)
        }
        let batch = JournalBatch(entries: entries)
        #expect(try journal.commit(batch) == model.commit(batch))
    }

    /// Commits entries of some documents to both journals, in batches, packing now and then.
    static func fill(
        _ journal: any Packable, _ model: InMemoryJournal, _ random: inout SeededGenerator,
        _ count: Int
    ) throws {
        for _ in 0..<count {
            try append(
                names[random.below(names.count)],
                (0..<random.below(60)).map { _ in UInt8(random.below(5)) }, to: journal, model)
            switch random.below(40) {
            case 0: try journal.packAll()
            case 1: try journal.packAll(PackingPolicy(kept: 5, entriesMin: 3))
            case 2: _ = try journal.pack(.all)
            case 3: try appendMany(1 + random.below(20), to: journal, model)
            default: break
            }
        }
    }

    static func expectSame(
        _ journal: any Packable, _ model: InMemoryJournal, _ random: inout SeededGenerator
    ) throws {
        for _ in 0..<60 {
            let id = try #require(DocumentID(names[random.below(names.count)]))
            let (place, limit) = (random.below(80), 1 + random.below(30))
            #expect(
                try journal.entries(of: id, from: place, limit: limit)
                    == model.entries(of: id, from: place, limit: limit))
            #expect(
                try journal.entries(of: id, upTo: place, limit: limit)
                    == model.entries(of: id, upTo: place, limit: limit))
            try expectSameOrder(journal, model, &random, limit)
        }
    }

    /// Page by page up to a number of entries, of a prefix or of some documents: where a page ends
    /// is the journal's own business.
    private static func expectSameOrder(
        _ journal: any Packable, _ model: InMemoryJournal, _ random: inout SeededGenerator,
        _ limit: Int
    ) throws {
        let start = random.below(200)
        let prefix = ["", "a", "ab", "\u{e4}", "z"][random.below(5)]
        // Few and many: a database may search them in another way.
        let others = random.once(in: 2) ? [] : (0..<9).map { "other-\($0)" }
        let named = try (names.filter { _ in random.once(in: 2) } + others).map {
            try #require(DocumentID($0))
        }
        for documents in [nil, named] {
            let last = random.once(in: 2) ? random.below(200) : .max
            var (end, found) = (start, [(sequence: Int, entry: JournalEntry)]())
            while end < min(last, journal.lastSequence), found.count < limit {
                let page =
                    try documents.map {
                        try journal.entries(after: end, upTo: last, of: $0, limit: limit)
                    }
                    ?? journal.entries(
                        after: end, upTo: last, prefix: prefix, limit: limit)
                #expect(page.end > end && page.end <= last && page.entries.count <= limit)
                found += page.entries
                end = page.end
            }
            let all = try model.entries(after: start, prefix: "", limit: .max).entries
            let expected = all.filter { item in
                documents?.contains(item.entry.document)
                    ?? item.entry.document.name.utf8.starts(with: prefix.utf8)
            }
            let isSame = found.elementsEqual(expected.prefix { $0.sequence <= end }, by: ==)
            #expect(
                isSame, "\(found.map(\.sequence)) of \(expected.map(\.sequence)) up to \(end)")
        }
    }
}
