import Journaling
import TestSupport
import Testing

/// A copy from one journal to another, of any kind, is the same.
@Suite struct JournalCopyTests {
    typealias Kind = JournalContractTests.Kind

    private let contract = JournalContractTests()

    private func next(_ name: String, _ journal: any Journal) throws -> JournalEntry {
        let id = try #require(DocumentID(name))
        let head = try journal.head(of: id)
        return JournalEntry(
            document: id, revision: (head?.revision ?? -1) + 1,
            body: Array("\(name) \(head?.revision ?? -1)".utf8),
            following: head?.chain ?? .start, lifecycle: head == nil ? .begins : .goesOn)
    }

    private func fill(_ journal: any Journal, _ count: Int) throws {
        for number in 0..<count {
            let entry = try next(["a", "b", "c"][number % 3 * (number % 2)], journal)
            var batch = JournalBatch(entries: [entry])
            if number % 20 == 19 {
                batch.checkpoints = [
                    Checkpoint(
                        document: entry.document, revision: entry.revision, chain: entry.chain,
                        body: [UInt8(number)])
                ]
            }
            _ = try journal.commit(batch)
        }
    }

    private func all(_ journal: any Journal) throws -> [(sequence: Int, entry: JournalEntry)] {
        var (found, position) = ([(sequence: Int, entry: JournalEntry)](), 0)
        while position < journal.lastSequence {
            let page = try journal.entries(after: position, prefix: "", limit: 1_000)
            found += page.entries
            position = page.end
        }
        return found
    }

    @Test(arguments: Kind.allCases, Kind.allCases)
    func `revisions, chains, numbers and checkpoints stay`(from: Kind, to: Kind) throws {
        try contract.withJournal(from) { source in
            try contract.withJournal(to) { target in
                try fill(source, 60)
                #expect(try JournalCopy(from: source, to: target).run() == 60)
                #expect(try all(target).elementsEqual(all(source), by: { $0 == $1 }))
                let id = try #require(DocumentID("a"))
                let (told, copied) = (
                    try #require(try source.checkpoint(of: id, notAfter: 1_000)),
                    try #require(try target.checkpoint(of: id, notAfter: 1_000))
                )
                #expect(copied.revision == told.revision && copied.chain == told.chain)
                #expect(
                    try CheckpointBody.content(of: copied.body)
                        == CheckpointBody.content(of: told.body))
                // The copy continues where it was.
                try fill(source, 7)
                #expect(try JournalCopy(from: source, to: target).run() == 67)
                #expect(try all(target).elementsEqual(all(source), by: { $0 == $1 }))
            }
        }
    }

    @Test func `nothing is copied behind something else`() throws {
        let (source, target) = (InMemoryJournal(), InMemoryJournal())
        try fill(source, 10)
        _ = try target.commit(JournalBatch(entries: [next("other", target)]))
        #expect(throws: JournalCopy.Refusal.otherHistory) {
            try JournalCopy(from: source, to: target).run()
        }
        #expect(target.lastSequence == 1)
        // Nor where more is stored than there is to copy.
        let longer = InMemoryJournal()
        try fill(longer, 12)
        #expect(throws: JournalCopy.Refusal.otherHistory) {
            try JournalCopy(from: source, to: longer).run()
        }
    }

    @Test func `a history that is rewritten meanwhile is not copied in part`() throws {
        final class Blanking: EntryRewriting {
            let leavesNothing = true
            func body(of entry: JournalEntry) -> [UInt8] { [] }
            func end(after head: JournalHead) -> RewritingEnd { .stored }
        }
        let (source, target) = (InMemoryJournal(), InMemoryJournal())
        try fill(source, 10)
        _ = try JournalCopy(from: source, to: target).run()
        let id = try #require(DocumentID("a"))
        _ = try source.commit(JournalBatch(entries: [next("c", source)]))
        _ = try JournalCopy(from: source, to: target).run()
        _ = try source.rewrite(id, by: Blanking())
        _ = try source.commit(JournalBatch(entries: [next("a", source)]))
        #expect(throws: JournalCopy.Refusal.rewritten(id)) {
            try JournalCopy(from: source, to: target).run()
        }
    }
}
