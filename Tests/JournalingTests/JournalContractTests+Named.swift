import Journaling
import TestSupport
import Testing

/// Entries of some documents, in the order of commits.
extension JournalContractTests {
    @Test(arguments: Kind.allCases)
    func `entries of named documents are those of all, without the others`(kind: Kind) throws {
        try withJournal(kind) { journal in
            let ids = try ["a", "b", "c", "d"].map { try #require(DocumentID($0)) }
            let histories = try ids.map { try entries($0.name, 40) }
            var generator = SeededGenerator(seed: 7)
            let all = try mixed(histories, in: journal, &generator)
            for wanted in [[ids[3]], [ids[0], ids[3]], [ids[1], ids[2]], []] {
                for start in 0...all.count {
                    let expected = all.filter {
                        $0.sequence > start && wanted.contains($0.entry.document)
                    }
                    let limit = 1 + generator.below(9)
                    let page = try journal.entries(after: start, of: wanted, limit: limit)
                    #expect(
                        page.entries.map(\.sequence) == expected.prefix(limit).map(\.sequence))
                    #expect(
                        page.entries.map(\.entry) == expected.prefix(limit).map(\.entry))
                    let end = expected.count < limit ? all.count : expected[limit - 1].sequence
                    #expect(page.end == end || expected.count == limit)
                }
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `entries of a prefix are those of all, whether few or many documents have it`(
        kind: Kind
    ) throws {
        try withJournal(kind) { journal in
            let names = (0..<12).map { "many/\($0)" } + ["few/1", "few/2"]
            let histories = try names.map { try entries($0, 90) }
            let all = (0..<90).flatMap { revision in histories.map { $0[revision] } }
            _ = try journal.commit(JournalBatch(entries: all))
            for prefix in ["many/", "few/", "few/2", "none/"] {
                for start in [0, 90, all.count - 30, all.count] {
                    let wanted = all.indices.dropFirst(start).filter {
                        all[$0].document.name.utf8.starts(with: prefix.utf8)
                    }
                    var (found, position) = ([Int](), start)
                    while position < all.count {
                        let page = try journal.entries(after: position, prefix: prefix, limit: 25)
                        try #require(page.end > position && page.entries.count <= 25)
                        for (sequence, entry) in page.entries {
                            try #require(entry == all[sequence - 1] && sequence <= page.end)
                        }
                        found += page.entries.map(\.sequence)
                        position = page.end
                    }
                    #expect(found == wanted.map { $0 + 1 })
                }
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `a page of named documents that ends for its bytes leads on`(kind: Kind) throws {
        try withJournal(kind) { journal in
            let ids = try ["a", "b"].map { try #require(DocumentID($0)) }
            var all: [JournalEntry] = []
            for id in ids {
                var chain = ChainHash.start
                for (revision, count) in [10, JournalPage.bytesMax + 1, 10, 10].enumerated() {
                    let entry = JournalEntry(
                        document: id, revision: revision,
                        body: Array(repeating: UInt8(ascii: "x"), count: count), following: chain)
                    chain = entry.chain
                    all.append(entry)
                }
            }
            _ = try journal.commit(JournalBatch(entries: all))
            for wanted in [[ids[0]], [ids[1]], ids] {
                var (found, position) = ([Int](), 0)
                while position < all.count {
                    let page = try journal.entries(after: position, of: wanted, limit: 3)
                    try #require(page.end > position)
                    found += page.entries.map(\.sequence)
                    position = page.end
                }
                #expect(
                    found == all.indices.filter { wanted.contains(all[$0].document) }.map { $0 + 1 }
                )
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `the documents that were changed after a number are those of its later entries`(
        kind: Kind
    ) throws {
        try withJournal(kind) { journal in
            let names = ["a/1", "a/2", "b", "\0own"]
            let histories = try names.map { try entries($0, 40) }
            var generator = SeededGenerator(seed: 11)
            let all = try mixed(histories, in: journal, &generator)
            for start in 0...all.count {
                var first: [DocumentID: Int] = [:]
                for (_, entry) in all.dropFirst(start) where first[entry.document] == nil {
                    first[entry.document] = entry.revision
                }
                let expected = first.map { DocumentRevision($0, $1) }
                    .sorted { $0.document < $1.document }
                for (prefix, after) in [("", nil), ("a/", nil), ("", "a/1"), ("b", "b")] {
                    let limit = 1 + generator.below(5)
                    let found = try journal.documents(
                        changedAfter: start, prefix: prefix, after: after, limit: limit)
                    let wanted = expected.filter {
                        $0.document.name.utf8.starts(with: prefix.utf8)
                            && (after.map { [name = $0.document.name] in $0 < name } ?? true)
                    }
                    #expect(found == Array(wanted.prefix(limit)))
                }
                let below = try journal.documents(changedAfter: start, below: "", limit: 9)
                #expect(below == expected.filter { !$0.document.isOwn })
            }
        }
    }

    /// Commits entries of four histories of 40 in random order, few of the last one. Returns all
    /// that are stored.
    private func mixed(
        _ histories: [[JournalEntry]], in journal: any Journal,
        _ generator: inout SeededGenerator
    ) throws -> [(sequence: Int, entry: JournalEntry)] {
        var counts = [0, 0, 0, 0]
        for _ in 0..<100 {
            let place = generator.once(in: 9) ? 3 : generator.below(3)
            guard counts[place] < 40 else { continue }
            _ = try journal.commit(JournalBatch(entries: [histories[place][counts[place]]]))
            counts[place] += 1
        }
        return try journal.entries(after: 0, prefix: "", limit: 200).entries
    }
}
