import Foundation
import Journaling
import PostgreSQLJournaling
import TestSupport
import Testing

/// What a network between a daemon and its database can do, on a real server.
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
        // The network delivers it when nobody expects it any more.
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

    @Test func `a commit whose answer is lost is stored once, and confirmed`() throws {
        let journal = try open(proxy.url(database))
        defer { journal.close() }
        let first = try next("a")
        proxy.plan(.unanswered)
        #expect(try journal.commit(JournalBatch(entries: [first])) == [.stored(sequence: 1)])
        #expect(proxy.isDone)
        #expect(try journal.faults().isEmpty)
    }
}
