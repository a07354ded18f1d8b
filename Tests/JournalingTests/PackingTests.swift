import Foundation
import Journaling
import TestSupport
import Testing

@testable import SQLiteJournaling

/// A journal whose old entries are packed reads like one in which they are not.
struct PackingTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(arguments: Seeds.of(8, from: 1))
    func `every way to read finds what was packed`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let model = InMemoryJournal()
        var journal = try SQLiteJournal(directory: directory.path)
        try PackedHistory.fill(journal, model, &random, 200)
        try PackedHistory.expectSame(journal, model, &random)
        // And after a start, with nothing in memory.
        journal.close()
        #expect(try SQLiteCheck.faults(in: directory.path) == [])
        journal = try SQLiteJournal(directory: directory.path)
        try PackedHistory.fill(journal, model, &random, 30)
        try PackedHistory.expectSame(journal, model, &random)
        journal.close()
        let reading = try SQLiteJournal(readingFrom: directory.path)
        try PackedHistory.expectSame(reading, model, &random)
        reading.close()
    }

    @Test func `a page that is just full of what is packed leads to what follows`() throws {
        let journal = try SQLiteJournal(directory: directory.path)
        defer { journal.close() }
        let model = InMemoryJournal()
        // The newest entry of each document stays a row, here after the scanned ones.
        for (name, count) in [("p/a", 6), ("p/b", 6), ("p/a", 1), ("p/b", 1)] {
            for number in 0..<count {
                try PackedHistory.append(name, [UInt8(number)], to: journal, model)
            }
        }
        try journal.packAll(PackingPolicy(kept: 1, entriesMin: 1))
        let first = try journal.entries(after: 0, upTo: 12, prefix: "p/", limit: 6)
        #expect(first.entries.map(\.sequence) == Array(1...6) && first.end == 6)
        let second = try journal.entries(after: first.end, upTo: 12, prefix: "p/", limit: 6)
        #expect(second.entries.map(\.sequence) == Array(7...12))
    }

    @Test func `reading beside packing misses nothing`() async throws {
        let journal = try SQLiteJournal(directory: directory.path)
        defer { journal.close() }
        let model = InMemoryJournal()
        var random = SeededGenerator(seed: 3)
        for _ in 0..<600 { try PackedHistory.fill(journal, model, &random, 1) }
        let id = try #require(DocumentID("a"))
        let all = try model.entries(of: id, from: 0, limit: .max)
        let isDone = TestLock(false)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // A few at a time, so that there is much to meet.
                while (try? journal.pack(PackingPolicy(kept: 1, entriesMin: 2))) != .finished {}
                isDone.withLock { $0 = true }
            }
            group.addTask {
                repeat {
                    let found = try? journal.entries(of: id, from: 0, limit: 10_000)
                    #expect(found == all)
                    let page = try? journal.entries(after: 0, prefix: "a", limit: 10_000)
                    #expect(page?.entries.first?.sequence != nil)
                } while !isDone.withLock { $0 }
            }
        }
        #expect(try journal.entries(of: id, from: 0, limit: 10_000) == all)
    }

    @Test func `a read sees one state, whatever is packed meanwhile`() throws {
        let journal = try SQLiteJournal(directory: directory.path)
        defer { journal.close() }
        let model = InMemoryJournal()
        var random = SeededGenerator(seed: 4)
        for _ in 0..<80 { try PackedHistory.fill(journal, model, &random, 1) }
        let id = try #require(DocumentID("a"))
        let all = try model.entries(of: id, from: 0, limit: .max)
        try journal.reading { reader throws(SQLiteError) in
            let place = all.count - 4
            let before = try reader.entries(of: id, from: place, limit: 2)
            _ = try? journal.packAll()
            // Each of these reads rows and segments.
            let after = try reader.entries(of: id, from: place, limit: 2)
            let page = try reader.entries(of: id, upTo: place, limit: 9)
            #expect(before == Array(all[place...].prefix(2)) && after == before)
            #expect(page == Array(all[...place].suffix(9)))
        }
        #expect(try journal.entries(of: id, from: 0, limit: 1_000) == all)
    }

    @Test func `disk is given back`() throws {
        let journal = try SQLiteJournal(directory: directory.path)
        let id = try #require(DocumentID("a"))
        var chain = ChainHash.start
        for start in stride(from: 0, to: 20_000, by: 1_000) {
            var entries: [JournalEntry] = []
            for revision in start..<(start + 1_000) {
                let entry = JournalEntry(
                    document: id, revision: revision,
                    body: Array("the same again and again \(revision)".utf8), following: chain)
                chain = entry.chain
                entries.append(entry)
            }
            _ = try journal.commit(JournalBatch(entries: entries))
        }
        func pages() throws -> Int {
            let database = try SQLiteConnection(
                path: directory.path + "/journal.sqlite", mode: .readOnly)
            return try database.integer("PRAGMA page_count")
        }
        let before = try pages()
        try journal.packAll()
        #expect(try pages() < before / 4)
        journal.close()
    }

    @Test func `a journal of the schema without segments is read, and then packed`() throws {
        let model = InMemoryJournal()
        var random = SeededGenerator(seed: 5)
        let journal = try SQLiteJournal(directory: directory.path)
        for _ in 0..<40 {
            try PackedHistory.append("a", [1, 2], to: journal, model)
        }
        journal.close()
        let database = try SQLiteConnection(
            path: directory.path + "/journal.sqlite", mode: .readWrite)
        try database.execute(
            "DROP TABLE segment; DROP TABLE state; DROP TABLE index_row; PRAGMA user_version = 1")
        try database.checkpoint(isWhole: true)
        #expect(try SQLiteCheck.faults(in: directory.path) == [])
        let reading = try SQLiteJournal(readingFrom: directory.path)
        try PackedHistory.expectSame(reading, model, &random)
        reading.close()
        let packed = try SQLiteJournal(directory: directory.path)
        try packed.packAll()
        try PackedHistory.expectSame(packed, model, &random)
        packed.close()
        #expect(try SQLiteCheck.faults(in: directory.path) == [])
    }

    @Test func `a segment whose entries are not there is not stored`() throws {
        let journal = try SQLiteJournal(directory: directory.path)
        defer { journal.close() }
        let model = InMemoryJournal()
        var random = SeededGenerator(seed: 9)
        try PackedHistory.fill(journal, model, &random, 60)
        let id = try #require(DocumentID("a"))
        let entries = try model.entries(of: id, from: 0, limit: 4).enumerated().map {
            (sequence: $0.offset, entry: $0.element)
        }
        try journal.packAll()
        let segment = Segment(packing: entries, columns: WholeBodies())
        let isStored = try journal.withWriter { marked throws(JournalError) in
            try marked.writer.commit(segment)
        }
        #expect(!isStored)
        try PackedHistory.expectSame(journal, model, &random)
    }
}
