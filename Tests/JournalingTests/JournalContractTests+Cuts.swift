import Journaling
import PostgreSQLJournaling
import SQLiteJournaling
import TestSupport
import Testing

/// Where a history was cut (rule 24).
extension JournalContractTests {
    @Test(arguments: Kind.allCases)
    func `24: a cut is remembered, and is above earlier ones`(kind: Kind) throws {
        try withJournal(kind) { journal in
            #expect(journal.cuts.isEmpty)
            let all = try entries("a", 4)
            _ = try journal.commit(JournalBatch(entries: [all[0], all[1]]))
            let first = try journal.cut()
            #expect(first.position == 2 && journal.cuts == [first])
            _ = try journal.commit(JournalBatch(entries: [all[2], all[3]]))
            let second = try journal.cut()
            #expect(second.position == 4 && second.mark > first.mark)
            #expect(journal.cuts == [first, second])
            #expect(try !journal.setCuts([], replacing: [first]), "others are stored")
            #expect(journal.cuts == [first, second])
        }
    }

    @Test(arguments: Kind.allCases, Kind.allCases)
    func `24: a copy has the cuts of what it is of`(from: Kind, to: Kind) throws {
        try withJournal(from) { source in
            try withJournal(to) { target in
                _ = try source.commit(JournalBatch(entries: try entries("a", 3)))
                try source.cut()
                _ = try JournalCopy(from: source, to: target).run()
                #expect(target.cuts == source.cuts)
            }
        }
    }

    @Test func `24: a cut survives restart, packing, erasure and backup`() throws {
        let directory = try TemporaryDirectory()
        let copy = try TemporaryDirectory()
        let journal = try SQLiteJournal(directory: directory.path)
        let all = try entries("a", 4)
        _ = try journal.commit(JournalBatch(entries: all))
        let cut = try journal.cut()
        try journal.packAll()
        _ = try journal.rewrite(all[0].document, by: Rewriting())
        try journal.compact()
        journal.close()
        try SQLiteBackup.copy(from: directory.path, to: copy.path, isInUse: false)
        for path in [directory.path, copy.path] {
            let again = try SQLiteJournal(directory: path)
            #expect(again.cuts == [cut])
            again.close()
            let reading = try SQLiteJournal(readingFrom: path)
            #expect(reading.cuts == [cut])
            reading.close()
        }
    }

    /// Leaves bodies as they are, and nothing of the former ones.
    private final class Rewriting: EntryRewriting {
        let leavesNothing = true

        func body(of entry: JournalEntry) throws(JournalError) -> [UInt8] { entry.body + [0] }

        func end(after head: JournalHead) throws(JournalError) -> RewritingEnd { .stored }
    }

    @Test(.enabled(if: PostgreSQLServer.isHere))
    func `24: a database on another timeline, or restored elsewhere, is cut once`() throws {
        let server = try #require(PostgreSQLServer.shared)
        let url = try server.newDatabase()
        let address = try #require(PostgreSQLAddress(url))
        func open() throws -> PostgreSQLJournal {
            try PostgreSQLJournal(address, now: PostgreSQLServer.time())
        }
        let journal = try open()
        _ = try journal.commit(JournalBatch(entries: try entries("a", 3)))
        journal.close()
        let again = try open()
        #expect(again.cuts.isEmpty, "the same server")
        again.close()
        // As if another server had stored this.
        _ = try server.run(
            "UPDATE versiond_packing SET position = '\\x372f31' WHERE id = 2",
            in: #require(url.split(separator: "/").last.map(String.init)))
        let (one, other) = (try open(), try open())
        defer {
            one.close()
            other.close()
        }
        #expect(one.cuts.map(\.position) == [3])
        #expect(other.cuts == one.cuts)
    }
}
