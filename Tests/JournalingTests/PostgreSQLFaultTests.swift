import Foundation
import Journaling
import TestSupport
import Threading

@testable import PostgreSQLJournaling
import Testing

/// Faults of a network between a daemon and its database, on a real server.
@Suite(.enabled(if: PostgreSQLServer.isHere)) struct PostgreSQLFaultTests {
    private let server: PostgreSQLServer
    private let proxy: DatabaseProxy
    private let database: String

    init() throws {
        server = try #require(PostgreSQLServer.shared)
        database = String(try server.newDatabase().split(separator: "/").last ?? "")
        proxy = try server.proxy()
    }

    private func open(_ url: String) throws -> PostgreSQLJournal {
        try PostgreSQLJournal(#require(PostgreSQLAddress(url)), now: PostgreSQLServer.time())
    }

    private func next(_ name: String, after last: JournalEntry? = nil) throws -> JournalEntry {
        JournalEntry(
            document: try #require(DocumentID(name)), revision: (last?.revision ?? -1) + 1,
            body: Array("b".utf8), following: last?.chain ?? .start,
            lifecycle: last == nil ? .begins : .goesOn)
    }

    @Test func `while a commit may still arrive, nobody says that nothing was stored (PG1)`()
        throws
    {
        let (near, far) = (try open(proxy.url(database)), try open(server.url(database)))
        defer { [near, far].forEach { $0.close() } }
        let first = try next("a")
        _ = try near.commit(JournalBatch(entries: [first]))
        proxy.plan(.late)
        // It is asked what became of it, and then the network is gone.
        proxy.admit(1)
        let second = try next("a", after: first)
        #expect { try near.commit(JournalBatch(entries: [second])) } throws: { error in
            if case JournalError.uncertain = error { true } else { false }
        }
        #expect(proxy.isDone)
        // The network delivers it when no commit waits for it any more.
        proxy.deliver()
        try until { try far.head(of: second.document)?.revision == 1 }
        #expect(try far.faults().isEmpty)
    }

    @Test func `a commit that is late finds its place taken by the one that was sent again`()
        throws
    {
        let journal = try open(proxy.url(database))
        defer { journal.close() }
        let first = try next("a")
        _ = try journal.commit(JournalBatch(entries: [first]))
        proxy.plan(.late)
        let second = try next("a", after: first)
        #expect(
            try journal.commit(JournalBatch(entries: [second])) == [.stored(sequence: 2)])
        #expect(proxy.isDone)
        proxy.deliver()
        let third = try next("a", after: second)
        #expect(try journal.commit(JournalBatch(entries: [third])) == [.stored(sequence: 3)])
        #expect(try journal.faults().isEmpty)
    }

    @Test func `a commit that arrives just before it is sent again is found, and confirmed (PG1)`()
        throws
    {
        let (near, far) = (try open(proxy.url(database)), try open(server.url(database)))
        defer { [near, far].forEach { $0.close() } }
        let first = try next("a")
        _ = try near.commit(JournalBatch(entries: [first]))
        let second = try next("a", after: first)
        proxy.plan(.late)
        proxy.beforeCommit { [proxy] in
            proxy.deliver()
            try? until { try far.head(of: second.document)?.revision == 1 }
        }
        // Otherwise it would be made a second time, on top of itself.
        #expect(
            try near.commit(JournalBatch(entries: [second])) == [.stored(sequence: 2)])
        let third = try next("a", after: second)
        #expect(try near.commit(JournalBatch(entries: [third])) == [.stored(sequence: 3)])
        #expect(try near.faults().isEmpty)
    }

    @Test func `a commit whose answer is lost is stored once, and confirmed`() throws {
        let journal = try open(proxy.url(database))
        defer { journal.close() }
        let first = try next("a")
        proxy.plan(.unanswered)
        #expect(try journal.commit(JournalBatch(entries: [first])) == [.stored(sequence: 1)])
        #expect(proxy.isDone)
        #expect(try journal.faults().isEmpty)
    }

    @Test(arguments: [false, true])
    func `of a commit only what lost a race is refused, also if its answer is lost (PG12)`(
        isLost: Bool
    ) throws {
        let (near, far) = (try open(proxy.url(database)), try open(server.url(database)))
        defer { [near, far].forEach { $0.close() } }
        let firsts = try ["a", "b", "c"].map { try next($0) }
        _ = try near.commit(JournalBatch(entries: firsts))
        _ = try far.commit(JournalBatch(entries: [try next("b", after: firsts[0 + 1])]))
        let late = JournalEntry(
            document: firsts[1].document, revision: 1, body: Array("late".utf8),
            following: firsts[1].chain)
        let seconds = [
            late, try next("c", after: firsts[2]), try next("d"), try next("a", after: firsts[0]),
        ]
        if isLost { proxy.plan(.unanswered) }
        #expect(
            try near.commit(JournalBatch(entries: seconds))
                == [.refused, .stored(sequence: 5), .stored(sequence: 6), .stored(sequence: 7)])
        #expect(proxy.isDone)
        let places = try far.places(after: 4, limit: 10).map(\.document.name)
        #expect(places == ["c", "d", "a"])
        #expect(try far.faults().isEmpty)
        // All that is new lost its race: nothing is stored, and nothing is wrong.
        #expect(try near.commit(JournalBatch(entries: [late])) == [.refused])
    }

    @Test
    func `a silent connection is given up soon, and what became of the commit found out (PG3)`()
        throws
    {
        let address = try #require(PostgreSQLAddress(proxy.url(database)))
        let journal = try PostgreSQLJournal(
            address, patience: .milliseconds(300), now: PostgreSQLServer.time())
        defer { journal.close() }
        let first = try next("a")
        proxy.plan(.silent)
        #expect(try journal.commit(JournalBatch(entries: [first])) == [.stored(sequence: 1)])
        #expect(proxy.isDone)
        #expect(try journal.faults().isEmpty)
    }

    @Test func `nobody is sent where a commit has no answer (PG3)`() throws {
        let address = try #require(PostgreSQLAddress(proxy.url(database)))
        let journal = try PostgreSQLJournal(
            address, patience: .seconds(2), now: PostgreSQLServer.time())
        defer { journal.close() }
        try until { journal.fault == nil }
        proxy.plan(.silent)
        let (entry, isStored) = (try next("a"), Lock(false))
        Thread.detachNewThread {
            _ = try? journal.commit(JournalBatch(entries: [entry]))
            isStored.withLock { $0 = true }
        }
        try until { proxy.isDone }
        try until { journal.fault != nil }
        #expect("\(try #require(journal.fault))".contains("under way"))
        try until { isStored.withLock { $0 } }
        #expect(journal.fault == nil)
        #expect(try journal.head(of: entry.document)?.revision == 0)
    }

    @Test func `a commit whose wait for a standby was cut off is not confirmed (PG4)`() throws {
        let own = try PostgreSQLServer()
        let url = try own.newDatabase()
        let database = String(url.split(separator: "/").last ?? "")
        let address = try #require(PostgreSQLAddress(url))
        let journal = try PostgreSQLJournal(
            address, patience: .milliseconds(500), now: PostgreSQLServer.time(step: 1_000))
        defer { journal.close() }
        try until { journal.fault == nil }
        func set(_ standbys: String) throws {
            try own.run("ALTER SYSTEM SET synchronous_standby_names = '\(standbys)'", in: database)
            try own.run("SELECT pg_reload_conf()", in: database)
        }
        try set("nobody")
        let (entry, outcome) = (try next("a"), Lock<Result<[EntryFate], JournalError>?>(nil))
        Thread.detachNewThread {
            let result = Result { () throws(JournalError) in
                try journal.commit(JournalBatch(entries: [entry]))
            }
            outcome.withLock { $0 = result }
        }
        // A client that cancels it makes the server report success, with a warning.
        try until {
            try own.run(
                """
                SELECT pg_cancel_backend(pid) FROM pg_stat_activity
                WHERE wait_event = 'SyncRep' AND datname = '\(database)'
                """, in: database)
            return outcome.withLock { $0 } != nil
        }
        guard case .failure(.uncertain) = try #require(outcome.withLock { $0 }) else {
            Issue.record("\(String(describing: outcome.withLock { $0 }))")
            return
        }
        try set("")
        #expect(try journal.head(of: entry.document)?.revision == 0, "it is there after all")
    }
}

/// A document that another session of the database keeps.
@Suite(.enabled(if: PostgreSQLServer.isHere)) struct PostgreSQLLockTests {
    /// Waits that are longer than for a moment.
    private static let longWaits = """
        SELECT 1::bigint FROM pg_stat_activity WHERE wait_event_type = 'Lock'
            AND datname = current_database() AND clock_timestamp() - query_start > '400ms'
        """

    private let journal: PostgreSQLJournal
    private let connection: PostgreSQLConnection
    private let observer: PostgreSQLConnection

    init() throws {
        let server = try #require(PostgreSQLServer.shared)
        let address = try #require(PostgreSQLAddress(try server.newDatabase()))
        journal = try PostgreSQLJournal(address, now: PostgreSQLServer.time())
        connection = try PostgreSQLConnection(address, isPreparing: false)
        observer = try PostgreSQLConnection(address, isPreparing: false)
        _ = try journal.commit(JournalBatch(entries: [try entry("big"), try entry("a")]))
    }

    private func entry(_ name: String, _ revision: Int = 0) throws -> JournalEntry {
        let before = revision == 0 ? nil : try entry(name, revision - 1)
        return JournalEntry(
            document: try #require(DocumentID(name)), revision: revision, body: Array("b".utf8),
            following: before?.chain ?? .start, lifecycle: revision == 0 ? .begins : .goesOn)
    }

    private func keep(_ name: String) throws {
        let id = try #require(DocumentID(name))
        try connection.run([.init(.begin), .init(.lock, [PostgreSQLConnection.names([id])])])
    }

    @Test func `a document that somebody keeps delays no other (PG11)`() throws {
        try keep("big")
        let batch = JournalBatch(entries: [
            try entry("big", 1), try entry("a", 1), try entry("big", 2), try entry("b"),
        ])
        let fates = try journal.commit(batch)
        #expect(fates == [.held, .stored(sequence: 3), .held, .stored(sequence: 4)])
        // While it is kept, it is not waited for again.
        for revision in 2..<6 {
            let more = JournalBatch(entries: [try entry("big", 1), try entry("a", revision)])
            #expect(try journal.commit(more) == [.held, .stored(sequence: revision + 3)])
        }
        try connection.run([.init(.rollback)])
        let rest = JournalBatch(entries: [try entry("big", 1), try entry("big", 2)])
        #expect(try journal.commit(rest) == [.stored(sequence: 9), .stored(sequence: 10)])
        #expect(try journal.faults().isEmpty)
        journal.close()
    }

    @Test func `a document that somebody keeps delays no turn of another (PG11)`() throws {
        let (big, a) = (try #require(DocumentID("big")), try #require(DocumentID("a")))
        try keep("big")
        func turn(_ documents: [DocumentID], _ revision: Int) throws -> (TurnBeginning, [EntryFate])
        {
            var begun = TurnBeginning()
            let known = documents.map { DocumentRevision($0, 0) }
            let entry = try entry("a", revision)
            let fates = try journal.commit(to: known) { beginning in
                begun = beginning
                return JournalBatch(entries: documents.contains(a) ? [entry] : [])
            }
            return (begun, fates)
        }
        for revision in 1..<4 {
            let (begun, fates) = try turn([big, a], revision)
            #expect(begun.missed[big] == nil && begun.missed[a]?.count == revision - 1)
            #expect(fates == [.stored(sequence: 2 + revision)])
        }
        // It is not waited for without end.
        var begun = TurnBeginning()
        for _ in 0..<1_000 where begun.overdue.isEmpty { begun = try turn([big], 0).0 }
        #expect(begun.overdue[big] != nil)
        try connection.run([.init(.rollback)])
        #expect(try turn([big], 0).0.missed[big] == [])
        #expect(try journal.faults().isEmpty)
        journal.close()
    }

    @Test func `what is made in a turn waits for the order, and is never given up`() throws {
        let a = try #require(DocumentID("a"))
        // Another daemon commits, and waits for its disk.
        try connection.run([.init(.begin), .init(.touch)])
        let (entry, result) = (try entry("a", 1), Lock<Result<[EntryFate], JournalError>?>(nil))
        Thread.detachNewThread { [journal] in
            let ended = Result { () throws(JournalError) in
                try journal.commit(to: [DocumentRevision(a, 0)]) { _ in
                    JournalBatch(entries: [entry])
                }
            }
            result.withLock { $0 = ended }
        }
        try until {
            let waiting = try observer.run(
                [.init(Statement(name: "", sql: PostgreSQLLockTests.longWaits))])[0].rows.count
            return waiting > 0 || result.withLock { $0 } != nil
        }
        try connection.run([.init(.rollback)])
        try until { result.withLock { $0 } != nil }
        #expect(try result.withLock { $0 }?.get() == [.stored(sequence: 3)])
        journal.close()
    }

    @Test func `a document that is damaged fails no turn of another`() throws {
        let (big, a) = (try #require(DocumentID("big")), try #require(DocumentID("a")))
        _ = try journal.commit(JournalBatch(entries: [try entry("big", 1)]))
        try connection.run([
            .init(
                Statement(name: "", sql: "UPDATE versiond_entry SET body = 'x' WHERE revision = 1"))
        ])
        var begun = TurnBeginning()
        let entry = try entry("a", 1)
        let fates = try journal.commit(to: [big, a].map { DocumentRevision($0, 0) }) {
            begun = $0
            return JournalBatch(entries: [entry])
        }
        #expect(fates == [.stored(sequence: 4)])
        #expect(begun.missed[big] == nil && begun.overdue[big] != nil)
        journal.close()
    }

    @Test func `of a transaction all parts wait, with what is made after them (PG11)`() throws {
        try keep("big")
        let units = [JournalUnit(1..<3)]
        let batch = JournalBatch(
            entries: [
                try entry("b"), try entry("a", 1), try entry("big", 1), try entry("a", 2),
                try entry("c"),
            ], units: units)
        #expect(
            try journal.commit(batch)
                == [.stored(sequence: 3), .held, .held, .held, .stored(sequence: 4)])
        try connection.run([.init(.rollback)])
        let rest = batch.keeping([false, true, true, true, false]).batch
        #expect(rest.units == [JournalUnit(0..<2)])
        #expect(
            try journal.commit(rest)
                == [.stored(sequence: 5), .stored(sequence: 6), .stored(sequence: 7)])
        #expect(try journal.faults().isEmpty)
        journal.close()
    }

    @Test func `it is not waited for without end (PG11)`() throws {
        try keep("big")
        var fates: [EntryFate] = []
        let batch = JournalBatch(entries: [try entry("big", 1), try entry("b")])
        fates = try journal.commit(batch)
        #expect(fates == [.held, .stored(sequence: 3)])
        for _ in 0..<1_000 where fates[0] == .held {
            fates = try journal.commit(JournalBatch(entries: [try entry("big", 1)]))
        }
        guard case .failed(.unavailable) = fates[0] else {
            Issue.record("\(fates)")
            return
        }
        try connection.run([.init(.rollback)])
        #expect(
            try journal.commit(JournalBatch(entries: [try entry("big", 1)]))
                == [.stored(sequence: 4)])
        journal.close()
    }
}

/// A database that is not what it was.
@Suite(.enabled(if: PostgreSQLServer.isHere)) struct PostgreSQLIdentityTests {
    private func entries(_ count: Int) throws -> [JournalEntry] {
        var entries: [JournalEntry] = []
        for revision in 0..<count {
            entries.append(
                JournalEntry(
                    document: try #require(DocumentID("a")), revision: revision,
                    body: Array("b".utf8), following: entries.last?.chain ?? .start,
                    lifecycle: revision == 0 ? .begins : .goesOn))
        }
        return entries
    }

    /// A journal with three changes, and its database.
    private func journal(
        of server: PostgreSQLServer
    ) throws -> (journal: PostgreSQLJournal, database: String) {
        let url = try server.newDatabase()
        let journal = try PostgreSQLJournal(
            #require(PostgreSQLAddress(url)), now: PostgreSQLServer.time())
        for entry in try entries(3) { _ = try journal.commit(JournalBatch(entries: [entry])) }
        return (journal, String(url.split(separator: "/").last ?? ""))
    }

    private func isStopped(_ body: () throws -> Void) -> Bool {
        do { try body() } catch JournalError.stopped(let reason) {
            return reason.contains("lost changes")
        } catch {}
        return false
    }

    @Test(arguments: [false, true])
    func `a database that went back is noticed, and nothing goes on (PG8)`(
        isOvertaken: Bool
    ) throws {
        let server = try #require(PostgreSQLServer.shared)
        let (journal, database) = try journal(of: server)
        defer { journal.close() }
        let all = try entries(4)
        // As after a failover to a standby that was behind.
        try server.run(
            """
            DELETE FROM versiond_entry WHERE revision > 0;
            DELETE FROM versiond_order WHERE last > 1;
            UPDATE versiond_document SET revision = 0, chain = (SELECT chain FROM versiond_entry);
            """, in: database)
        if isOvertaken {
            // Other daemons have continued there since: no number shows it.
            let other = try PostgreSQLJournal(
                #require(PostgreSQLAddress(server.url(database))), now: PostgreSQLServer.time())
            for entry in all[1...] { _ = try other.commit(JournalBatch(entries: [entry])) }
            other.close()
            try server.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = "
                    + "'\(database)' AND pid <> pg_backend_pid()", in: database)
        }
        #expect(isStopped { _ = try journal.heads(of: [all[0].document]) })
        #expect(isStopped { _ = try journal.newestSequence() })
        #expect(isStopped { _ = try journal.commit(JournalBatch(entries: [all[3]])) })
        #expect(isStopped { if let fault = journal.fault { throw fault } })
    }

    @Test func `another cluster is not taken for the database (PG8)`() throws {
        let (first, second) = (try PostgreSQLServer(), try PostgreSQLServer())
        let proxy = try first.proxy()
        let names = try [first, second].map { try $0.newDatabase().split(separator: "/").last }
        #expect(names[0] == names[1])
        let url = proxy.url(String(try #require(names[0])))
        let journal = try PostgreSQLJournal(
            #require(PostgreSQLAddress(url)), now: PostgreSQLServer.time())
        defer { journal.close() }
        let all = try entries(2)
        _ = try journal.commit(JournalBatch(entries: [all[0]]))
        proxy.lead(to: second)
        #expect { try journal.commit(JournalBatch(entries: [all[1]])) } throws: { error in
            "\(error)".contains("another database cluster")
        }
        proxy.lead(to: first)
        #expect(try journal.commit(JournalBatch(entries: [all[1]])) == [.stored(sequence: 2)])
    }

    @Test func `a former primary is not taken for the new one (PG8)`() throws {
        let identity = DatabaseIdentity()
        try identity.check(.init(system: 7, timeline: 1))
        try identity.check(.init(system: 7, timeline: 2))
        #expect { try identity.check(.init(system: 7, timeline: 1)) } throws: { error in
            "\(error)".contains("former primary")
        }
        try identity.check(.init(system: 7, timeline: 2))
        #expect(identity.loss == nil)
    }
}

/// Whose clock counts where daemons share a database.
@Suite(.enabled(if: PostgreSQLServer.isHere)) struct PostgreSQLClockTests {
    private func journal(_ lead: Duration) throws -> PostgreSQLJournal {
        let server = try #require(PostgreSQLServer.shared)
        let clock = ContinuousClock()
        let start = clock.now
        return try PostgreSQLJournal(
            #require(PostgreSQLAddress(server.newDatabase())),
            wall: { .seconds(Date().timeIntervalSince1970) + lead }, now: { clock.now - start })
    }

    @Test func `the database's clock is the authority, whatever the machine's shows (PG6)`()
        throws
    {
        let journal = try journal(.seconds(365 * 86_400))
        defer { journal.close() }
        let time = try #require(journal.time)
        let difference = time - .seconds(Date().timeIntervalSince1970)
        #expect(difference < .seconds(60) && difference > .seconds(-60))
        #expect(try #require(journal.time) > time, "and goes on")
    }

    @Test(arguments: [-3_600, -5, 5, 3_600])
    func `a daemon whose clock is off says so, and is not ready (PG6)`(seconds: Int) throws {
        let journal = try journal(.seconds(seconds))
        defer { journal.close() }
        guard abs(seconds) > 10 else { return try until { journal.fault == nil } }
        let words = seconds > 0 ? "ahead of" : "behind"
        try until { journal.fault.map { "\($0)" }?.contains(words) == true }
        #expect(abs((journal.figures["database_clock_lead_seconds"] ?? 0) - Double(seconds)) < 60)
    }
}
