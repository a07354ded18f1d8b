import Journaling
import TestSupport
import Testing
import VersiondAPI

/// Rule 27: an undo that asks whose edits it takes waits for those that are being stored.
@Suite struct OpenRunWaitingTests {
    @Test func `27: an undo takes an edit that is being stored`() throws {
        let journal = LateJournal()
        let daemon = try LocalDaemon(journal: journal)
        try daemon.put(#"{"n":5}"#)
        journal.hold()
        let patch = #"{"n":6}"#
        let agent = try RawConnection(port: daemon.server.port)
        agent.send(
            "PATCH /v1/documents/menu HTTP/1.1\r\nHost: localhost\r\nVersiond-Actor: agent/r1\r\n"
                + "Content-Type: application/merge-patch+json\r\n"
                + "Content-Length: \(patch.utf8.count)\r\n\r\n\(patch)")
        try until { journal.isHolding }
        let undone = try daemon.client.request(
            "POST", "/v1/undo", LocalDaemon.json.by("ada"),
            body: #"{"all":{"actor":"agent/r1"},"documents":["menu"]}"#)
        #expect(agent.receive()?.status == 200)
        #expect(undone.status == 200, "\(undone.text)")
        #expect(try daemon.client.request("GET", "/v1/documents/menu").json == ["n": 5])
    }
}

/// A journal that stores an entry only when it was sought.
private final class LateJournal: ForwardingJournal {
    private struct State {
        var holds = false
        var isHolding = false
    }

    let base: any Journal = InMemoryJournal()
    private let state = TestLock(State())

    /// The next entry waits.
    func hold() { state.withLock { $0.holds = true } }

    var isHolding: Bool { state.withLock { $0.isHolding } }

    func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate] {
        let waits = state.withLock { state in
            if state.holds, !batch.entries.isEmpty { state.isHolding = true }
            return state.isHolding
        }
        if waits { try? until { state.withLock { !$0.holds } } }
        return try base.commit(batch)
    }

    func entries(
        of document: DocumentID, upTo revision: Int, limit: Int
    ) throws(JournalError) -> [JournalEntry] {
        let found = try base.entries(of: document, upTo: revision, limit: limit)
        state.withLock { state in
            guard state.isHolding, found.last?.revision != revision else { return }
            (state.holds, state.isHolding) = (false, false)
        }
        return found
    }
}
