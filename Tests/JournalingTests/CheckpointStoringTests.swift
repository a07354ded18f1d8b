import TestSupport
import Testing

@testable import Journaling
@testable import PostgreSQLJournaling
@testable import SQLiteJournaling

/// Checkpoints that are stored while others are packed.
@Suite struct CheckpointStoringTests {
    /// A document of which the text grows, with a checkpoint after each thousand changes.
    private struct Growing {
        let id = DocumentID("a")!
        var entries: [JournalEntry] = []
        var content: [UInt8] = [12]
        var contents: [Int: [UInt8]] = [:]
        var random = SeededGenerator(seed: 7)

        mutating func batch() -> JournalBatch {
            let start = entries.count
            for revision in start..<(start + 1_000) {
                entries.append(
                    JournalEntry(
                        document: id, revision: revision, body: [1],
                        following: entries.last?.chain ?? .start,
                        lifecycle: revision == 0 ? .begins : .goesOn))
            }
            content += (0..<3_000).map { _ in UInt8(random.below(256)) }
            contents[start + 999] = content
            return JournalBatch(
                entries: Array(entries[start...]), checkpoints: [checkpoint(at: start + 999)])
        }

        func checkpoint(at revision: Int) -> Checkpoint {
            Checkpoint(
                document: id, revision: revision, chain: entries[revision].chain,
                body: CheckpointBody.compressed(contents[revision]!))
        }

        /// How many of those that a journal has can be read; all must be what they were.
        func read(in journal: any Journal) throws -> Int {
            var (count, next) = (0, entries.count)
            while next >= 0, let found = try journal.checkpoint(of: id, notAfter: next) {
                let content = try CheckpointBody.content(of: found.body)
                #expect(content == contents[found.revision], "\(found.revision)")
                (count, next) = (count + 1, found.revision - 1)
            }
            return count
        }
    }

    /// Stores with one journal while the other one packs.
    private func storeWhilePacking(_ journal: any Journal, _ other: any Packable) async throws {
        let isDone = TestLock(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while !isDone.withLock({ $0 }) { try other.packAll() }
            }
            group.addTask {
                defer { isDone.withLock { $0 = true } }
                var growing = Growing()
                for step in 0..<70 {
                    _ = try journal.commit(growing.batch())
                    // Late ones: some are in the way of a delta.
                    if step % 3 == 2 {
                        let late = growing.checkpoint(at: (step - step % 7) * 1_000 + 999)
                        _ = try journal.commit(JournalBatch(checkpoints: [late]))
                    }
                    if step % 5 == 4 { #expect(try growing.read(in: journal) > 0) }
                }
                try other.packAll()
                #expect(try growing.read(in: journal) >= 4)
            }
            try await group.waitForAll()
        }
    }

    @Test func `in a file, each is read, whatever is stored and packed at once`() async throws {
        let directory = try TemporaryDirectory()
        let journal = try SQLiteJournal(directory: directory.path)
        defer { journal.close() }
        try await storeWhilePacking(journal, journal)
        #expect(try SQLiteCheck.faults(in: directory.path) == [])
    }

    @Test(.enabled(if: PostgreSQLServer.isHere))
    func `in PostgreSQL, each is read, whatever is stored and packed at once`() async throws {
        let url = try #require(PostgreSQLServer.shared).newDatabase()
        let address = try #require(PostgreSQLAddress(url))
        let now = PostgreSQLServer.time()
        let first = try PostgreSQLJournal(address, now: now)
        let second = try PostgreSQLJournal(address, now: now)
        defer { first.close() }
        defer { second.close() }
        try await storeWhilePacking(first, second)
    }

    @Test func `what was packed is not stored if something else stands there by now`() throws {
        let directory = try TemporaryDirectory()
        let journal = try SQLiteJournal(directory: directory.path)
        defer { journal.close() }
        var growing = Growing()
        for _ in 0..<45 { _ = try journal.commit(growing.batch()) }
        func packed() throws -> SQLiteCheckpoints.Packed? {
            try journal.reading { reader throws(SQLiteError) in
                try reader.packedCheckpoints(of: growing.id)
            }
        }
        func commit(_ packed: SQLiteCheckpoints.Packed?) throws -> Int {
            let packed = try #require(packed)
            try journal.withWriter { marked throws(JournalError) in
                try marked.writer.commit(packed)
            }
            return try growing.read(in: journal)
        }
        // The newest one, to which a delta is made, goes with the next one.
        let late = try packed()
        _ = try journal.commit(growing.batch())
        #expect(try commit(late) == 3)
        #expect(try deltas(in: directory) == 0)
        #expect(try commit(packed()) == 3)
        #expect(try deltas(in: directory) == 2)
        // One that comes late would stand between a delta and what it is to.
        growing.contents[30_000] = growing.contents[29_999] ?? [12]
        let between = growing.checkpoint(at: 30_000)
        _ = try journal.commit(JournalBatch(checkpoints: [between]))
        #expect(try growing.read(in: journal) == 3)
        // What a delta is to stays until that is packed again.
        _ = try journal.commit(growing.batch())
        #expect(try growing.read(in: journal) == 4)
        #expect(try commit(packed()) == 3)
        let last = try packed()
        #expect(last == nil, "nothing is left to do")
    }

    private func deltas(in directory: TemporaryDirectory) throws -> Int {
        try SQLiteConnection(path: directory.path + "/journal.sqlite", mode: .readOnly)
            .integer("SELECT count(*) FROM checkpoint WHERE hex(substr(body, 1, 1)) = '0D'")
    }
}
