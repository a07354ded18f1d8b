import Foundation
import Hashing
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
    private func storeWhilePacking(_ journal: any Journal, _ other: any Packable) throws {
        let isDone = TestLock(false)
        let packing = Blocking {
            while !isDone.withLock({ $0 }) { try other.packAll() }
        }
        var growing = Growing()
        do {
            defer { isDone.withLock { $0 = true } }
            for step in 0..<70 {
                _ = try journal.commit(growing.batch())
                // Late ones: some are in the way of a delta.
                if step % 3 == 2 {
                    let late = growing.checkpoint(at: (step - step % 7) * 1_000 + 999)
                    _ = try journal.commit(JournalBatch(checkpoints: [late]))
                }
                if step % 5 == 4 { #expect(try growing.read(in: journal) > 0) }
            }
        }
        try packing.wait()
        try other.packAll()
        #expect(try growing.read(in: journal) >= 4)
    }

    @Test func `in a file, each is read, whatever is stored and packed at once`() throws {
        let directory = try TemporaryDirectory()
        let journal = try SQLiteJournal(directory: directory.path)
        defer { journal.close() }
        try storeWhilePacking(journal, journal)
        #expect(try deltas(in: directory) > 2)
        #expect(try SQLiteCheck.faults(in: directory.path) == [])
    }

    @Test(.enabled(if: PostgreSQLServer.isHere))
    func `in PostgreSQL, each is read, whatever is stored and packed at once`() throws {
        let url = try #require(PostgreSQLServer.shared).newDatabase()
        let address = try #require(PostgreSQLAddress(url))
        let now = PostgreSQLServer.time()
        let first = try PostgreSQLJournal(address, now: now)
        let second = try PostgreSQLJournal(address, now: now)
        defer { first.close() }
        defer { second.close() }
        try storeWhilePacking(first, second)
    }

    @Test func `what was packed is not stored if something else stands there by now`() throws {
        let directory = try TemporaryDirectory()
        let journal = try SQLiteJournal(directory: directory.path)
        defer { journal.close() }
        var growing = Growing()
        for _ in 0..<45 { _ = try journal.commit(growing.batch()) }
        func packed() throws -> SQLiteCheckpoints.Packed? {
            try journal.reading { reader throws(SQLiteError) in
                try reader.packedCheckpoints(of: 1)
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
        // Another body is stored by now.
        let early = try packed()
        let database = try SQLiteConnection(
            path: directory.path + "/journal.sqlite", mode: .readWrite)
        try database.execute("UPDATE checkpoint SET checksum = zeroblob(32) WHERE revision = 39999")
        _ = try commit(early)
        #expect(try deltas(in: directory) == 0)
        _ = try journal.commit(JournalBatch(checkpoints: [growing.checkpoint(at: 39_999)]))
        #expect(try commit(packed()) == 3)
        #expect(try deltas(in: directory) == 2)
        // A late checkpoint would be between a delta and its base.
        growing.contents[30_000] = growing.contents[29_999] ?? [12]
        let between = growing.checkpoint(at: 30_000)
        _ = try journal.commit(JournalBatch(checkpoints: [between]))
        #expect(try growing.read(in: journal) == 3)
        // The base of a delta stays until that is packed again.
        _ = try journal.commit(growing.batch())
        #expect(try growing.read(in: journal) == 4)
        #expect(try commit(packed()) == 3)
        let last = try packed()
        #expect(last == nil, "nothing is left to do")
    }

    @Test func `what is damaged is passed by, and goes when the document is packed`() throws {
        let directory = try TemporaryDirectory()
        let journal = try SQLiteJournal(directory: directory.path)
        defer { journal.close() }
        var growing = Growing()
        for _ in 0..<85 {
            _ = try journal.commit(growing.batch())
            try journal.packAll()
        }
        #expect(try growing.read(in: journal) == 5)
        let database = try SQLiteConnection(
            path: directory.path + "/journal.sqlite", mode: .readWrite)
        try database.execute("UPDATE checkpoint SET body = zeroblob(99) WHERE revision = 59999")
        // Two deltas lead to it.
        #expect(try growing.read(in: journal) == 2)
        #expect(try journal.checkpoint(of: growing.id, notAfter: 70_000) == nil)
        for _ in 0..<2 {
            _ = try journal.commit(growing.batch())
            try journal.packAll()
        }
        #expect(try growing.read(in: journal) == 2)
        let left = try database.integer("SELECT count(*) FROM checkpoint")
        #expect(left == 2)
        for _ in 0..<40 {
            _ = try journal.commit(growing.batch())
            try journal.packAll()
        }
        #expect(try growing.read(in: journal) == 4)
        #expect(try deltas(in: directory) == 3)
    }

    /// A journal in a database of its own, and the name of that.
    private func postgreSQL() throws -> (journal: PostgreSQLJournal, database: String) {
        let url = try #require(PostgreSQLServer.shared).newDatabase()
        let address = try #require(PostgreSQLAddress(url))
        let journal = try PostgreSQLJournal(address, now: PostgreSQLServer.time())
        return (journal, String(url.split(separator: "/").last ?? ""))
    }

    /// A document of which all entries are packed, and then some checkpoints come.
    private func storeLate(in journal: any Packable) throws -> Growing {
        var growing = Growing()
        for _ in 0..<60 {
            let batch = growing.batch()
            _ = try journal.commit(JournalBatch(entries: batch.entries))
        }
        try journal.packAll()
        for revision in [19_999, 39_999, 59_999] {
            let checkpoint = growing.checkpoint(at: revision)
            _ = try journal.commit(JournalBatch(checkpoints: [checkpoint]))
        }
        try journal.packAll()
        #expect(try growing.read(in: journal) == 3)
        return growing
    }

    @Test func `in a file, checkpoints of what is packed already become deltas, too`() throws {
        let directory = try TemporaryDirectory()
        let journal = try SQLiteJournal(directory: directory.path)
        defer { journal.close() }
        _ = try storeLate(in: journal)
        #expect(try deltas(in: directory) == 2)
    }

    @Test(.enabled(if: PostgreSQLServer.isHere))
    func `in PostgreSQL, what is damaged is passed by, and goes`() throws {
        let (journal, database) = try postgreSQL()
        defer { journal.close() }
        var growing = try storeLate(in: journal)
        let deltas = """
            SELECT count(*) FROM versiond_checkpoint WHERE substring(body FROM 1 FOR 1) = '\\x0d'
            """
        let server = try #require(PostgreSQLServer.shared)
        #expect(try server.run(deltas, in: database) == "2")
        try server.run(
            "UPDATE versiond_checkpoint SET body = '\\x0808' WHERE revision = 39999", in: database)
        #expect(try growing.read(in: journal) == 1)
        // It is noticed when there is something to do.
        for _ in 0..<25 {
            _ = try journal.commit(growing.batch())
            try journal.packAll()
        }
        let left = "SELECT min(revision) FROM versiond_checkpoint"
        #expect(try server.run(left, in: database) == "59999")
        #expect(try growing.read(in: journal) == 3)
    }

    @Test(.enabled(if: PostgreSQLServer.isHere))
    func `in PostgreSQL, one that is stored while another is packed stands in no delta's way`()
        throws
    {
        let (journal, database) = try postgreSQL()
        defer { journal.close() }
        var growing = Growing()
        for _ in 0..<60 { _ = try journal.commit(JournalBatch(entries: growing.batch().entries)) }
        _ = try journal.commit(JournalBatch(checkpoints: [growing.checkpoint(at: 59_999)]))
        let watcher = try journal.newReader()
        // One is inserted, and not committed; one packs, and waits for it; another one comes.
        let (holder, packer, storer) = (
            try journal.newReader(), try journal.newReader(), try journal.newReader()
        )
        let (first, second) = (growing.checkpoint(at: 29_999), growing.checkpoint(at: 44_999))
        try holder.run([
            .init(.begin), .init(.keep, [.text("a")]),
            .init(
                .addCheckpoint,
                [
                    .text("a"), .integer(first.revision), .bytes(first.chain.bytes),
                    .bytes(first.body), .bytes(SHA256.hash(first.body)),
                ]), .init(.keptCheckpoints, [.text("a")]),
        ])
        let packing = Blocking { try packer.packCheckpoints(of: [0x61]) }
        try watcher.wait(in: database) { $0 >= 1 }
        let storing = Blocking { try storer.store(second) }
        try watcher.wait(in: database) { $0 >= 2 }
        try holder.run([.init(.commit)])
        try packing.wait()
        try storing.wait()
        try journal.packAll()
        #expect(try growing.read(in: journal) >= 2)
        let found = try journal.checkpoint(of: growing.id, notAfter: 40_000)
        #expect(found?.revision == 29_999)
    }

    @Test(.enabled(if: PostgreSQLServer.isHere))
    func `in PostgreSQL, a commit does not wait for who packs: its checkpoint is left out`() throws
    {
        let (journal, database) = try postgreSQL()
        defer { journal.close() }
        var growing = Growing()
        _ = try journal.commit(growing.batch())
        let (packer, watcher) = (try journal.newReader(), try journal.newReader())
        try packer.run([.init(.begin), .init(.keptCheckpoints, [.text("a")])])
        let batch = growing.batch()
        let committing = Blocking { _ = try journal.commit(batch) }
        // It waits for a moment, and gives up.
        try watcher.wait(in: database) { $0 >= 1 }
        try watcher.wait(in: database) { $0 == 0 }
        try packer.run([.init(.rollback)])
        try committing.wait()
        #expect(try journal.head(of: growing.id)?.revision == 1_999)
        let found = try journal.checkpoint(of: growing.id, notAfter: 1_999)
        #expect(found?.revision == 999)
        _ = try journal.commit(growing.batch())
        #expect(try journal.checkpoint(of: growing.id, notAfter: 2_999)?.revision == 2_999)
    }

    @Test func `a delta that an earlier version wrote is read`() throws {
        let directory = try TemporaryDirectory()
        let golden = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Golden/0.4/grown").path
        let copy = directory.path + "/grown"
        try FileManager.default.copyItem(atPath: golden, toPath: copy)
        let journal = try SQLiteJournal(readingFrom: copy)
        defer { journal.close() }
        let id = try #require(DocumentID("grown"))
        let found = try #require(try journal.checkpoint(of: id, notAfter: 20_500))
        #expect(found.revision == 19_999 && found.body.count > 12_000)
        // It is handed out as its content, which has a format.
        #expect(found.body.first == 12)
    }

    private func deltas(in directory: TemporaryDirectory) throws -> Int {
        try SQLiteConnection(path: directory.path + "/journal.sqlite", mode: .readOnly)
            .integer("SELECT count(*) FROM checkpoint WHERE hex(substr(body, 1, 1)) = '0D'")
    }
}

extension PostgreSQLConnection {
    /// Waits until this number of sessions wait for a lock, as long as one of them may.
    fileprivate func wait(in database: String, until isReached: (Int) -> Bool) throws {
        let query = Statement(
            name: "",
            sql: """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = '\(database)' AND wait_event_type = 'Lock'
                """)
        var tries = 0
        while tries < 10_000, try !isReached(rows(query, [])[0].integer(0)) { tries += 1 }
    }
}

/// A blocking call, on a thread of its own.
private final class Blocking: Sendable {
    private let group = DispatchGroup()
    private let error = TestLock<(any Error)?>(nil)

    init(_ body: @escaping () throws -> Void) {
        nonisolated(unsafe) let body = body
        group.enter()
        Thread.detachNewThread { [group, error] in
            do { try body() } catch let failure { error.withLock { $0 = failure } }
            group.leave()
        }
    }

    func wait() throws {
        group.wait()
        if let error = error.withLock({ $0 }) { throw error }
    }
}
