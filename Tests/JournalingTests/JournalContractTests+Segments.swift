import Journaling
import Testing

extension JournalContractTests {
    @Test(arguments: Kind.allCases)
    func `a segment that holds an entry is handed out, and none for what is not packed`(
        kind: Kind
    ) throws {
        try withJournal(kind) { journal in
            var all: [JournalEntry] = []
            // Several segments, where each commit is followed by packing.
            for count in [1, 9, 2, 14, 1] {
                let more = try entries("a", count, after: all.last)
                _ = try journal.commit(JournalBatch(entries: more))
                all += more
            }
            _ = try journal.commit(JournalBatch(entries: entries("b", 5)))
            let id = all[0].document
            var packed: Set<Int> = []
            for entry in all {
                guard let segment = try journal.segment(of: id, holding: entry.revision) else {
                    continue
                }
                let first = segment.first
                let before = first == 0 ? ChainHash.start : all[first - 1].chain
                let found = try segment.entries(following: before).map(\.entry)
                #expect(found == Array(all[first..<first + segment.count]))
                #expect(found.contains(entry))
                packed.insert(entry.revision)
            }
            #expect(packed == Set(0..<packed.count))
            #expect(kind.isPacked ? packed.count >= all.count - 2 : packed.isEmpty)
            #expect(try journal.segment(of: id, holding: all.count) == nil)
            #expect(try journal.segment(of: id, holding: -1) == nil)
            let other = try #require(DocumentID("nobody"))
            #expect(try journal.segment(of: other, holding: 0) == nil)
        }
    }
}
