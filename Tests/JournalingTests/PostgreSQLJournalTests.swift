import Foundation
import Journaling
import PostgreSQLJournaling
import SQLiteJournaling
import TestSupport
import Testing

/// Journal faults that only a database has. On a real server.
@Suite(.enabled(if: PostgreSQLServer.isHere)) struct PostgreSQLJournalTests {
    private func server() throws -> PostgreSQLServer { try #require(PostgreSQLServer.shared) }

    /// `step`: the milliseconds by which its time advances at each read.
    private func open(_ url: String, step: Int = 50) throws -> PostgreSQLJournal {
        try PostgreSQLJournal(
            #require(PostgreSQLAddress(url)), now: PostgreSQLServer.time(step: step))
    }

    /// A journal in a new database, and the name of that.
    private func journal(
        step: Int = 50
    ) throws -> (journal: PostgreSQLJournal, database: String) {
        let url = try server().newDatabase()
        return (try open(url, step: step), String(url.split(separator: "/").last ?? ""))
    }

    private func next(
        _ name: String, after last: JournalEntry? = nil, _ body: String = "b"
    ) throws -> JournalEntry {
        JournalEntry(
            document: try #require(DocumentID(name)), revision: (last?.revision ?? -1) + 1,
            body: Array(body.utf8), following: last?.chain ?? .start,
            lifecycle: last == nil ? .begins : .goesOn)
    }

    @Test func `a transaction that meets another one is tried again, and all is stored once`()
        throws
    {
        let (journal, database) = try journal()
        // Two of three statements fail, as on engines that never let writers wait.
        try server().run(
            """
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF random() < 0.4 THEN
                    RAISE EXCEPTION 'planned' USING ERRCODE =
                        (ARRAY['40001', '40P01', '55P03'])[1 + floor(random() * 3)];
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER t BEFORE INSERT ON versiond_order FOR EACH ROW EXECUTE FUNCTION fail();
            """, in: database)
        var (last, expected) = (nil as JournalEntry?, 0)
        for number in 0..<60 {
            let entry = try next("a", after: last, "\(number)")
            let other = try next("b\(number)")
            guard let fates = try? journal.commit(JournalBatch(entries: [entry, other])) else {
                // All attempts failed: then nothing was stored.
                #expect(try journal.head(of: other.document) == nil)
                continue
            }
            expected += 2
            #expect(fates == [.stored(sequence: expected - 1), .stored(sequence: expected)])
            last = entry
        }
        #expect(expected > 100)
        #expect(try journal.faults().isEmpty)
        #expect(
            try journal.entries(after: 0, prefix: "", limit: 999).entries.map(\.sequence)
                == Array(1...expected))
        journal.close()
    }

    @Test func `sessions that an administrator ends are made anew`() throws {
        let (journal, database) = try journal()
        var last: JournalEntry?
        for number in 0..<20 {
            if number % 4 == 1 {
                try server().run(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = '\(database)' AND pid <> pg_backend_pid()
                    """, in: database)
            }
            let entry = try next("a", after: last, "\(number)")
            #expect(
                try journal.commit(JournalBatch(entries: [entry]))
                    == [.stored(sequence: number + 1)])
            #expect(try journal.head(of: entry.document)?.revision == number)
            last = entry
        }
        journal.close()
    }

    @Test func `a server that could lose what it confirmed is refused`() throws {
        let (journal, database) = try journal()
        journal.close()
        // It can be set for the whole server only: another row says it here.
        try server().run(
            """
            CREATE SCHEMA other;
            CREATE VIEW other.pg_settings AS
                SELECT 'fsync'::text AS name, 'off'::text AS setting;
            ALTER DATABASE \(database) SET search_path = other, public, pg_catalog;
            """, in: database)
        #expect {
            try open(server().url(database))
        } throws: { error in
            "\(error)".contains("fsync is off")
        }
    }

    @Test(arguments: [("off", "on"), ("local", "on"), ("remote_apply", "remote_apply")])
    func `what is confirmed is safe, whatever the server is set to (PG9)`(
        setting: String, used: String
    ) throws {
        let (first, database) = try journal()
        first.close()
        try server().run(
            """
            ALTER DATABASE \(database) SET synchronous_commit = \(setting);
            CREATE TABLE seen(how text);
            CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                INSERT INTO seen VALUES (current_setting('synchronous_commit'));
                RETURN NEW;
            END $$;
            CREATE TRIGGER t BEFORE INSERT ON versiond_entry FOR EACH ROW EXECUTE FUNCTION see();
            """, in: database)
        let journal = try open(server().url(database))
        defer { journal.close() }
        _ = try journal.commit(JournalBatch(entries: [try next("a")]))
        #expect(try server().run("SELECT DISTINCT how FROM seen", in: database) == used)
    }

    // MARK: Readiness

    @Test func `a role that cannot write is not ready (PG10)`() throws {
        let (journal, database) = try journal(step: 1_000)
        defer { journal.close() }
        try until { journal.fault == nil }
        try server().run(
            "CREATE ROLE reader_\(database) LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public "
                + "TO reader_\(database)", in: database)
        let url = try server().url(database).replacing("versiond@", with: "reader_\(database)@")
        let other = try open(url, step: 1_000)
        defer { other.close() }
        try until { other.fault != nil }
        #expect("\(try #require(other.fault))".contains("permission denied"))
        try server().run(
            "GRANT ALL ON ALL TABLES IN SCHEMA public TO reader_\(database)", in: database)
        try until { other.fault == nil }
        #expect(try journal.faults().isEmpty, "nothing is left of what was tried")
    }

    @Test func `a full disk is told, and then that there is room again (PG10)`() throws {
        let (journal, database) = try journal(step: 1_000)
        defer { journal.close() }
        try server().run(
            """
            CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE EXCEPTION 'planned' USING ERRCODE = '53100';
            END $$;
            CREATE TRIGGER t BEFORE INSERT ON versiond_entry FOR EACH ROW EXECUTE FUNCTION fill();
            """, in: database)
        let entry = try next("a")
        #expect { try journal.commit(JournalBatch(entries: [entry])) } throws: { error in
            if case JournalError.full = error { true } else { false }
        }
        #expect(journal.fault != nil)
        try server().run("DROP TRIGGER t ON versiond_entry", in: database)
        try until { journal.fault == nil }
        #expect(try journal.commit(JournalBatch(entries: [entry])) == [.stored(sequence: 1)])
    }

    @Test func `a daemon stops to write when another version changes the tables (PG10)`() throws {
        let (journal, database) = try journal(step: 1_000)
        defer { journal.close() }
        let first = try next("a")
        _ = try journal.commit(JournalBatch(entries: [first]))
        try server().run("UPDATE versiond_schema SET version = 4", in: database)
        let condition = JournalCondition(first.document, endsAt: first.head)
        for batch in [
            JournalBatch(entries: [try next("a", after: first)]),
            JournalBatch(unit: [try next("b")], if: [condition]),
        ] {
            #expect { try journal.commit(batch) } throws: { error in
                "\(error)".contains("not of schema 3 any more")
            }
        }
        #expect(try journal.head(of: first.document)?.revision == 0)
        try until { journal.fault != nil }
        try server().run("UPDATE versiond_schema SET version = 3", in: database)
        try until { journal.fault == nil }
        #expect(try journal.faults().isEmpty)
    }

    @Test func `a database that only reads is refused, and tables of a newer version, too`()
        throws
    {
        let (journal, database) = try journal()
        journal.close()
        try server().run("UPDATE versiond_schema SET version = 99", in: database)
        #expect { try open(server().url(database)) } throws: { "\($0)".contains("newer") }
        try server().run("UPDATE versiond_schema SET version = 3", in: database)
        try server().run(
            "ALTER DATABASE \(database) SET default_transaction_read_only = on", in: database)
        #expect { try open(server().url(database)) } throws: { error in
            if case JournalError.unavailable = error { true } else { false }
        }
    }

    @Test func `a database that is not there is refused soon, without its password`() throws {
        let url = "postgresql://u:sesame@127.0.0.1:1/x?password=sesame&connect_timeout=1"
        #expect { try open(url) } throws: { error in
            guard case JournalError.unavailable(let reason) = error else { return false }
            return !reason.contains("sesame")
        }
        #expect(PostgreSQLAddress(url)?.description.contains("sesame") == false)
        #expect(PostgreSQLAddress("mysql://x") == nil)
    }

    @Test func `many daemons that start at once make the tables once`() async throws {
        let url = try server().newDatabase()
        let journals = try await withThrowingTaskGroup(of: PostgreSQLJournal.self) { group in
            for _ in 0..<5 { group.addTask { try open(url) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let entry = try next("a")
        let fates = try journals.map { try $0.commit(JournalBatch(entries: [entry])) }
        #expect(fates.first == [.stored(sequence: 1)])
        #expect(fates.dropFirst().allSatisfy { $0 == [.refused] })
        for journal in journals { journal.close() }
    }

    @Test func `a role without the right to make tables works on those that are there`() throws {
        let (journal, database) = try journal()
        journal.close()
        try server().run(
            """
            CREATE ROLE "\(database)" LOGIN;
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO "\(database)";
            """, in: database)
        let url = try server().url(database)
            .replacingOccurrences(of: "versiond@", with: "\(database)@")
        let limited = try open(url)
        #expect(
            try limited.commit(JournalBatch(entries: [next("a")])) == [.stored(sequence: 1)])
        limited.close()
    }

    @Test func `the printed tables are those that the daemon makes`() throws {
        let url = try server().newDatabase()
        let database = String(url.split(separator: "/").last ?? "")
        try server().run(#require(PostgreSQLJournal.schema()), in: database)
        let journal = try open(url)
        #expect(
            try journal.commit(JournalBatch(entries: [next("a")])) == [.stored(sequence: 1)])
        #expect(try server().run("SELECT version FROM versiond_schema", in: database) == "3")
        journal.close()
    }

    @Test func `an entry that was changed or is missing is noticed`() throws {
        let (journal, database) = try journal()
        let first = try next("a")
        let second = try next("a", after: first)
        _ = try journal.commit(JournalBatch(entries: [first, second]))
        #expect(try journal.faults().isEmpty)
        try server().run("UPDATE versiond_entry SET body = 'x' WHERE revision = 0", in: database)
        #expect {
            try journal.entries(of: first.document, from: 0, limit: 9)
        } throws: { error in
            if case JournalError.corrupt = error { true } else { false }
        }
        try server().run("DELETE FROM versiond_entry WHERE revision = 0", in: database)
        #expect(try journal.faults().count == 2)
        #expect {
            try journal.entries(of: first.document, from: 1, limit: 9)
        } throws: { error in
            if case JournalError.corrupt = error { true } else { false }
        }
        try server().run("DELETE FROM versiond_entry", in: database)
        // A follower of all documents does not miss it.
        #expect {
            try journal.entries(after: 0, prefix: "", limit: 9)
        } throws: { error in
            if case JournalError.corrupt = error { true } else { false }
        }
        journal.close()
    }

    /// Rewrites all bodies; before the second it lets another writer act.
    private final class Slow: EntryRewriting {
        let leavesNothing = false
        let word: String
        var meanwhile: (() throws -> Void)?

        init(_ word: String, meanwhile: (() throws -> Void)? = nil) {
            (self.word, self.meanwhile) = (word, meanwhile)
        }

        func body(of entry: JournalEntry) throws(JournalError) -> [UInt8] {
            if entry.revision == 1 {
                do { try meanwhile?() } catch { throw .unavailable("\(error)") }
                meanwhile = nil
            }
            return Array(word.utf8)
        }

        func end(after head: JournalHead) -> RewritingEnd { .stored }
    }

    @Test func `what one daemon erases, another one that was rewriting does not bring back`()
        throws
    {
        let url = try server().newDatabase()
        let (first, second) = (try open(url), try open(url))
        let entries = try (0..<3).reduce(into: [JournalEntry]()) { list, _ in
            list.append(try next("a", after: list.last, "secret"))
        }
        _ = try first.commit(JournalBatch(entries: entries))
        let id = entries[0].document
        let late = Slow("secret") { _ = try second.rewrite(id, by: Slow("erased")) }
        #expect {
            try first.rewrite(id, by: late)
        } throws: { error in
            "\(error)".contains("retry")
        }
        let bodies = try first.entries(of: id, from: 0, limit: 9).map {
            String(decoding: $0.body, as: UTF8.self)
        }
        #expect(bodies == ["erased", "erased", "erased"])
        first.close()
        second.close()
    }

    @Test func `where nothing can be prepared, a fault does not stay in the session`() throws {
        let (journal, database) = try journal()
        let entry = try next("a")
        try server().run(
            """
            CREATE FUNCTION once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF nextval('times') < 12 THEN RAISE EXCEPTION 'planned' USING ERRCODE = '53100';
                END IF;
                RETURN NEW;
            END $$;
            CREATE SEQUENCE times;
            CREATE TRIGGER t BEFORE INSERT ON versiond_order FOR EACH ROW EXECUTE FUNCTION once();
            """, in: database)
        var refusals = 0
        while (try? journal.commit(JournalBatch(entries: [entry]))) == nil {
            refusals += 1
            try #require(refusals < 20)
        }
        #expect(refusals == 11, "the disk is full eleven times, and then it is not")
        journal.close()
    }

    @Test(arguments: [
        "postgresql://u:sesame%zz@h/x", "postgresql://u:sesame@[h/x",
        "postgresql://u:sesame/s@h/x", "postgresql://u@h/x?sslpassword=sesame&nonsense=1",
    ])
    func `what is wrong in a URL is said without its password`(url: String) throws {
        #expect { try open(url) } throws: { !"\($0)".contains("sesame") }
        #expect(PostgreSQLAddress(url)?.description.contains("sesame") == false)
    }

    @Test func `what one journal commits another one hears of`() throws {
        let url = try server().newDatabase()
        let (first, second) = (try open(url), try open(url))
        #expect(first.isListening)
        let entry = try next("a")
        _ = try first.commit(JournalBatch(entries: [entry]))
        #expect(second.awaitEntry(after: 0) && second.lastSequence == 1)
        #expect(
            try second.places(after: 0, limit: 9)
                == [EntryPlace(sequence: 1, document: entry.document, revision: 0)])
        second.stopWaiting()
        #expect(second.awaitEntry(after: 1) == false)
        first.close()
        second.close()
    }

    @Test func `writers with turns never lose a race, and never wait in a circle`() async throws {
        let url = try server().newDatabase()
        let journals = try (0..<3).map { _ in try open(url) }
        // There is nothing to lock of a document that is not there.
        let firsts = try [next("a"), next("b")]
        _ = try journals[0].commit(JournalBatch(entries: firsts))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, journal) in journals.enumerated() {
                group.addTask {
                    for step in 0..<30 {
                        let name = ["a", "b"][(step + number) % 2]
                        let id = try #require(DocumentID(name))
                        let fates = try journal.commit(to: [DocumentRevision(id, -1)]) { all in
                            let last = all.missed[id]?.last
                            let entry = try? next(name, after: last, "\(number) \(step)")
                            return JournalBatch(entries: entry.map { [$0] } ?? [])
                        }
                        guard case .stored = fates.first else {
                            Issue.record("refused in its turn")
                            return
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let heads = try journals[0].heads(of: ["a", "b"].compactMap { DocumentID($0) })
        #expect(heads.values.reduce(0) { $0 + $1.revision + 1 } == 92)
        for journal in journals { journal.close() }
    }
}

/// The SQL, as text: what engines other than PostgreSQL do not have must not creep in.
@Suite struct PortableSQLTests {
    private static let source: String = {
        files.filter { $0.hasPrefix("Statements/") }.map(text).joined()
    }()

    private static let room = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/PostgreSQLJournaling").path

    private static let files: [String] =
        ((try? FileManager.default.subpathsOfDirectory(atPath: room)) ?? [])
        .filter { $0.hasSuffix(".swift") }

    private static func text(_ file: String) -> String {
        (try? String(contentsOfFile: "\(room)/\(file)", encoding: .utf8)) ?? ""
    }

    @Test(arguments: [
        "SERIAL", "IDENTITY", "nextval", "CREATE SEQUENCE", "advisory", "TRIGGER", "EXTENSION",
        "xid8", "pg_snapshot", "txid_", "CREATE DOMAIN", "range", "MERGE INTO", "LATERAL",
        "jsonb", "now()", "RULE", "PARTITION",
    ])
    func `only what several engines have`(word: String) {
        let code = PortableSQLTests.source.split(separator: "\n").filter {
            !$0.drop { $0 == " " }.hasPrefix("///") && !$0.hasPrefix("extension ")
        }.joined(separator: "\n")
        #expect(!code.isEmpty && !code.lowercased().contains(word.lowercased()))
    }

    @Test func `keys begin with the document, but for what is about the order of all`() {
        let tables = ["entry": "revision", "checkpoint": "revision", "segment": "first"]
        for (table, place) in tables {
            let rest = PortableSQLTests.source.split(separator: "EXISTS versiond_\(table)(")
            let columns = rest.dropFirst().first?.split(separator: "\"\"\"").first
            #expect(columns?.contains("PRIMARY KEY (document, \(place))") == true)
        }
        #expect(PortableSQLTests.source.contains("name bytea PRIMARY KEY"))
    }

    @Test func `SQL stands in one folder`() {
        #expect(PortableSQLTests.files.count > 10)
        for name in PortableSQLTests.files where !name.hasPrefix("Statements/") {
            let text = PortableSQLTests.text(name)
            for word in ["SELECT ", "INSERT INTO", "UPDATE versiond", "DELETE FROM"] {
                #expect(!text.contains(word), "\(name): \(word)")
            }
        }
    }
}
