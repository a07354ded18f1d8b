import Journaling
import TestSupport
import Testing

/// Entries of some documents, in a journal that packs and in one that is the model of it.
enum PackedHistory {
    private static let names = ["a", "ab", "b", "c"]

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
            let prefix = ["", "a", "ab", "z"][random.below(4)]
            var after = random.below(200)
            // All pages: where one ends is the journal's own business.
            var found: [(sequence: Int, entry: JournalEntry)] = []
            while after < journal.lastSequence {
                let page = try journal.entries(after: after, prefix: prefix, limit: limit)
                #expect(page.end > after && page.entries.count <= limit)
                found += page.entries
                if found.count >= limit { break }
                after = page.end
            }
            let first = found.first?.sequence ?? 1
            let expected = try model.entries(
                after: first - 1, prefix: prefix, limit: found.count + 1
            ).entries.prefix(found.count)
            #expect(found.elementsEqual(expected, by: { $0 == $1 }))
        }
    }
}
