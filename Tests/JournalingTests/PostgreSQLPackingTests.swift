import Foundation
import Journaling
import TestSupport
import Testing

@testable import PostgreSQLJournaling

/// The packed form of old rows in a database.
@Suite(.enabled(if: PostgreSQLServer.isHere)) struct PostgreSQLPackingTests {
    private func server() throws -> PostgreSQLServer { try #require(PostgreSQLServer.shared) }

    private func open(_ url: String) throws -> PostgreSQLJournal {
        try PostgreSQLJournal(#require(PostgreSQLAddress(url)), now: PostgreSQLServer.time())
    }

    /// A journal in which the order is also packed, as soon as possible.
    private struct Packed: ForwardingJournal, Packable {
        let journal: PostgreSQLJournal
        var base: any Journal { journal }

        func pack(_ policy: PackingPolicy?) throws(JournalError) -> PackingStep {
            try journal.pack(policy, order: OrderPackingPolicy(age: .zero, placesMin: 2))
        }
    }

    private func count(_ table: String, _ url: String) throws -> Int {
        let database = String(url.split(separator: "/").last ?? "")
        return Int(try server().run("SELECT count(*) FROM versiond_\(table)", in: database)) ?? -1
    }

    @Test(arguments: Seeds.of(6, from: 1))
    func `every way to read finds what was packed`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let model = InMemoryJournal()
        let url = try server().newDatabase()
        var journal = Packed(journal: try open(url))
        try PackedHistory.fill(journal, model, &random, 200)
        try PackedHistory.expectSame(journal, model, &random)
        #expect(try count("segment", url) > 0 && count("order_segment", url) > 0)
        // Another daemon, with nothing in memory.
        let other = Packed(journal: try open(url))
        try PackedHistory.expectSame(other, model, &random)
        try PackedHistory.fill(journal, model, &random, 30)
        // It has segments in memory that are old by now.
        try PackedHistory.expectSame(other, model, &random)
        #expect(try journal.journal.faults().isEmpty)
        for name in PackedHistory.names {
            let id = try #require(DocumentID(name))
            let all = try model.entries(of: id, from: 0, limit: .max)
            // The entries that others have missed, at any distance.
            for known in [-1, 0, all.count / 2, all.count - 2, all.count - 1] {
                let missed = try other.journal.entries(after: [DocumentRevision(id, known)])
                #expect(missed[id] == Array(all[(known + 1)...]))
            }
        }
        other.close()
        journal.close()
        journal = Packed(journal: try open(url))
        try PackedHistory.expectSame(journal, model, &random)
        journal.close()
    }

    @Test func `a commit of many entries is read page by page, packed or not`() throws {
        let url = try server().newDatabase()
        let journal = Packed(journal: try open(url))
        defer { journal.close() }
        let others = try PackedHistory.entries("b", 2)
        let other = others[0].document
        // More than are packed together.
        let count = 3 * PackedOrder.placesMax
        var entries = try [others[0]] + PackedHistory.entries("a", count)
        let batch = JournalBatch(unit: entries)
        #expect(try journal.commit(batch) == entries.indices.map { .stored(sequence: $0 + 1) })
        _ = try journal.commit(JournalBatch(entries: [others[1]]))
        entries.append(others[1])
        #expect(try self.count("order", url) == count / Statement.numbersMax + 2)
        for isPacked in [false, true] {
            if isPacked { try journal.packAll() }
            #expect(try (self.count("order_segment", url) > 1) == isPacked)
            var (end, found) = (0, [JournalEntry]())
            while end < entries.count {
                let page = try journal.entries(after: end, prefix: "", limit: 1_000)
                #expect(page.entries.map(\.sequence) == Array((end + 1)...page.end))
                (end, found) = (page.end, found + page.entries.map(\.entry))
            }
            #expect(found == entries)
            for wanted in [1, count + 2] {
                let page = try journal.entries(after: wanted - 1, of: [other], limit: 1)
                #expect(page.entries.map(\.sequence) == [wanted])
            }
        }
        #expect(try journal.journal.faults().isEmpty)
    }

    @Test func `of many entries those are numbered that nobody else came first at`() throws {
        let url = try server().newDatabase()
        let journal = Packed(journal: try open(url))
        defer { journal.close() }
        let count = Statement.numbersMax + 100
        // Nothing is there that they follow.
        let missing = JournalHead(revision: 0, chain: .start)
        let entries =
            try PackedHistory.entries("a", count)
            + PackedHistory.entries("late", count - 1, after: missing)
            + PackedHistory.entries("b", count)
        let fates = try journal.commit(JournalBatch(entries: entries))
        let stored = entries.filter { $0.document.name != "late" }
        var last = 0
        for (entry, fate) in zip(entries, fates) {
            if entry.document.name != "late" { last += 1 }
            #expect(fate == (entry.document.name == "late" ? .refused : .stored(sequence: last)))
        }
        let page = try journal.entries(after: 0, prefix: "", limit: 2 * count)
        #expect(page.entries.map(\.entry) == stored && page.end == last)
        #expect(try journal.journal.faults().isEmpty)
    }

    @Test func `a hole in the order is not read over`() throws {
        let url = try server().newDatabase()
        let journal = Packed(journal: try open(url))
        defer { journal.close() }
        let model = InMemoryJournal()
        for number in 0..<9 {
            try PackedHistory.append("a", [UInt8(number)], to: journal, model)
        }
        let database = String(url.split(separator: "/").last ?? "")
        _ = try server().run("DELETE FROM versiond_order WHERE last IN (4, 5, 6)", in: database)
        for (start, limit) in [(0, 5), (3, 2), (3, 9), (4, 1)] {
            #expect(throws: JournalError.self) {
                try journal.entries(after: start, prefix: "", limit: limit)
            }
        }
        #expect(try journal.entries(after: 0, prefix: "", limit: 3).end == 3)
        #expect(try journal.entries(after: 6, prefix: "", limit: 9).end == 9)
    }

    @Test func `a turn sees what was packed since its document was read`() throws {
        let url = try server().newDatabase()
        let (first, second) = (Packed(journal: try open(url)), try open(url))
        defer { first.close() }
        defer { second.close() }
        let model = InMemoryJournal()
        var random = SeededGenerator(seed: 5)
        try PackedHistory.fill(first, model, &random, 120)
        try first.packAll()
        let id = try #require(DocumentID("a"))
        let all = try model.entries(of: id, from: 0, limit: .max)
        for known in [-1, 3, all.count - 3, all.count - 2, all.count - 1] {
            var missed: [JournalEntry]?
            _ = try second.commit(to: [DocumentRevision(id, known)]) { beginning in
                missed = beginning.missed[id]
                return JournalBatch(entries: [])
            }
            #expect(missed == Array(all[(known + 1)...]))
        }
    }

    @Test func `reading and writing beside packing miss nothing`() async throws {
        let url = try server().newDatabase()
        let (journal, packer, reader) = (
            try open(url), Packed(journal: try open(url)), try open(url)
        )
        let id = try #require(DocumentID("a"))
        let isDone = TestLock(false)
        let written = TestLock([JournalEntry]())
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                var last: JournalEntry?
                for number in 0..<400 {
                    let entry = JournalEntry(
                        document: id, revision: number, body: [UInt8(number & 0xff)],
                        following: last?.chain ?? .start,
                        lifecycle: number == 0 ? .begins : .goesOn)
                    let fates = try? journal.commit(JournalBatch(entries: [entry]))
                    #expect(fates == [.stored(sequence: number + 1)])
                    written.withLock { $0.append(entry) }
                    last = entry
                }
                isDone.withLock { $0 = true }
            }
            group.addTask {
                while !isDone.withLock({ $0 }) {
                    #expect(throws: Never.self) { try packer.pack(.all) }
                }
            }
            group.addTask {
                while !isDone.withLock({ $0 }) {
                    let known = written.withLock { $0 }
                    let found = try? reader.entries(of: id, from: 0, limit: 1_000)
                    #expect(found?.starts(with: known) == true)
                    let end = try? reader.entries(of: id, upTo: known.count - 1, limit: 7)
                    #expect(end == known.suffix(7))
                    let page = try? reader.entries(after: 0, prefix: "", limit: 1_000)
                    #expect(page?.entries.map(\.entry).starts(with: known) == true)
                }
            }
        }
        let all = written.withLock { $0 }
        #expect(try reader.entries(of: id, from: 0, limit: 1_000) == all)
        #expect(try journal.faults().isEmpty)
        for journal in [journal, packer.journal, reader] { journal.close() }
    }

    /// Gives all entries the same body, and adds none.
    private final class Painting: EntryRewriting {
        let leavesNothing = false
        let color: UInt8
        init(_ color: UInt8) { self.color = color }
        func body(of entry: JournalEntry) -> [UInt8] { [color] }
        func end(after head: JournalHead) -> RewritingEnd { .stored }
    }

    @Test func `what is read beside rewriting and packing is of one state`() async throws {
        let url = try server().newDatabase()
        let (journal, packer, reader) = (
            try open(url), Packed(journal: try open(url)), try open(url)
        )
        let id = try #require(DocumentID("a"))
        var chain = ChainHash.start
        var entries: [JournalEntry] = []
        for revision in 0..<60 {
            entries.append(
                JournalEntry(
                    document: id, revision: revision, body: [0], following: chain,
                    lifecycle: revision == 0 ? .begins : .goesOn))
            chain = entries[revision].chain
        }
        _ = try journal.commit(JournalBatch(entries: entries))
        let isDone = TestLock(false)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for color in 1...40 {
                    #expect(throws: Never.self) {
                        try journal.rewrite(id, by: Painting(UInt8(color)))
                    }
                }
                isDone.withLock { $0 = true }
            }
            group.addTask {
                while !isDone.withLock({ $0 }) {
                    #expect(throws: Never.self) { try packer.pack(.all) }
                }
            }
            group.addTask {
                while !isDone.withLock({ $0 }) {
                    #expect(throws: Never.self) {
                        let found = try reader.entries(of: id, from: 0, limit: 100)
                        let last = try reader.entries(of: id, upTo: 59, limit: 100)
                        #expect(found.count == 60 && Set(found.map(\.body)).count == 1)
                        #expect(last.count == 60 && Set(last.map(\.body)).count == 1)
                    }
                }
            }
        }
        #expect(try reader.entries(of: id, from: 0, limit: 100).allSatisfy { $0.body == [40] })
        #expect(try journal.faults().isEmpty)
        for journal in [journal, packer.journal, reader] { journal.close() }
    }

    @Test func `packing stops for a document that somebody keeps, and goes on with the next`()
        throws
    {
        let url = try server().newDatabase()
        let journal = Packed(journal: try open(url))
        defer { journal.close() }
        for name in ["a", "b"] {
            let id = try #require(DocumentID(name))
            var chain = ChainHash.start
            for revision in 0..<6 {
                let entry = JournalEntry(
                    document: id, revision: revision, body: [1], following: chain,
                    lifecycle: revision == 0 ? .begins : .goesOn)
                chain = entry.chain
                _ = try journal.commit(JournalBatch(entries: [entry]))
            }
        }
        let holder = try PostgreSQLConnection(
            #require(PostgreSQLAddress(url)), isPreparing: false)
        try holder.begin()
        try holder.run([
            .init(.begin), .init(.lock, [PostgreSQLConnection.names([DocumentID("a")!])]),
        ])
        try journal.packAll()
        let database = String(url.split(separator: "/").last ?? "")
        let packed = "SELECT convert_from(document, 'UTF8') FROM versiond_segment ORDER BY 1"
        #expect(try server().run(packed, in: database) == "b")
        try holder.run([.init(.rollback)])
        try journal.packAll()
        #expect(try server().run(packed, in: database) == "a\nb")
    }

    @Test func `of many daemons one packs at a time, and where it ended another goes on`() throws {
        let url = try server().newDatabase()
        let (first, second) = (Packed(journal: try open(url)), try open(url))
        defer { first.close() }
        defer { second.close() }
        let model = InMemoryJournal()
        var random = SeededGenerator(seed: 8)
        for _ in 0..<100 { try PackedHistory.fill(first, model, &random, 1) }
        let holder = try PostgreSQLConnection(
            #require(PostgreSQLAddress(url)), isPreparing: false)
        try holder.begin()
        try holder.run([.init(.begin), .init(.claimPacking)])
        #expect(try first.pack(.all) == .finished)
        try holder.run([.init(.rollback)])
        var steps: [PackingStep] = []
        repeat {
            let journal: any Packable = steps.count % 2 == 0 ? first : second
            steps.append(try journal.pack(.all))
        } while steps.last != .finished
        #expect(try first.journal.faults().isEmpty)
        #expect(try count("entry", url) == 4, "of each document the newest one is left")
        try PackedHistory.expectSame(first, model, &random)
    }

    @Test func `the places of late commits stay as they are, by the database's clock`() throws {
        let url = try server().newDatabase()
        let journal = try open(url)
        defer { journal.close() }
        let model = InMemoryJournal()
        var random = SeededGenerator(seed: 9)
        try PackedHistory.fill(Unpacked(journal: journal), model, &random, 50)
        let database = String(url.split(separator: "/").last ?? "")
        func pack() throws {
            while try journal.pack(
                PackingPolicy(kept: 1_000, entriesMin: 1_000),
                order: OrderPackingPolicy(age: .seconds(600), placesMin: 2)) != .finished
            {}
        }
        try pack()
        // Now it is known what was there.
        try PackedHistory.fill(Unpacked(journal: journal), model, &random, 10)
        try pack()
        #expect(try count("order_segment", url) == 0)
        try server().run(
            "UPDATE versiond_packing SET marked_at = marked_at - 600000000", in: database)
        try pack()
        #expect(
            try server().run(
                "SELECT max(last) FROM versiond_order_segment", in: database) == "50")
        #expect(try count("order", url) == 10)
        #expect(try journal.faults().isEmpty)
    }

    private struct Unpacked: ForwardingJournal, Packable {
        let journal: PostgreSQLJournal
        var base: any Journal { journal }
        func pack(_ policy: PackingPolicy?) -> PackingStep { .finished }
    }

    @Test func `a daemon that was away until its last change was packed ends, and says why`() throws
    {
        let url = try server().newDatabase()
        let address = try #require(PostgreSQLAddress(url))
        let journal = Packed(journal: try open(url))
        defer { journal.close() }
        let model = InMemoryJournal()
        var random = SeededGenerator(seed: 2)
        try PackedHistory.fill(journal, model, &random, 30)
        let identity = DatabaseIdentity()
        let connection = try PostgreSQLConnection(address, isPreparing: false)
        try identity.note(connection.newest(), known: 0, on: connection)
        try identity.check(PostgreSQLConnection(address, isPreparing: false))
        try PackedHistory.fill(journal, model, &random, 30)
        while try journal.pack(.all) != .finished {}
        #expect {
            try identity.check(PostgreSQLConnection(address, isPreparing: false))
        } throws: { error in
            "\(error)".contains("unreachable too long")
        }
        #expect(identity.loss != nil)
    }
}
