import Documents
import JSONTree
import Journaling
import TestSupport
import Testing

/// Requests over several documents, during the work of other clients.
@Suite struct UnfinishedWorkTests {
    @Test func `18: an undo of transactions that overlap ends, and takes all of them (A3)`() throws
    {
        let daemon = try LocalDaemon()
        let fields = LocalDaemon.json.by("ada")
        for changes in [
            #"{"document":"x1","value":{"n":1}},{"document":"x3","value":{"n":1}}"#,
            #"{"document":"x0","value":{"n":2}},{"document":"x1","value":{"n":2}},"#
                + #"{"document":"x3","merge":{"t":2}}"#,
            #"{"document":"x0","value":{"n":3}},{"document":"x3","value":{"n":3}}"#,
        ] {
            let made = try daemon.client.request(
                "POST", "/v1/transactions", fields, body: "{\"changes\":[\(changes)]}")
            #expect(made.status == 200, "\(made.text)")
        }
        let all = #"{"all":{"actor":"ada"},"prefix":"x"}"#
        for query in ["?dryRun", ""] {
            let undone = try daemon.client.request("POST", "/v1/undo" + query, fields, body: all)
            #expect(undone.status == 200, "\(undone.text)")
            #expect(try undone.json["changes"]?.count == 3)
        }
        for name in ["x0", "x1", "x3"] {
            let read = try daemon.client.request("GET", "/v1/documents/" + name, [:])
            #expect(read.code == "document-deleted")
        }
    }

    /// A journal that does something once, before it reads a document's entries.
    private final class HookedJournal: ForwardingJournal {
        let base: any Journal
        private let hook = TestLock<(DocumentID, @Sendable () -> Void)?>(nil)

        init(_ base: any Journal) { self.base = base }

        func before(reading document: DocumentID, _ body: @escaping @Sendable () -> Void) {
            hook.withLock { $0 = (document, body) }
        }

        func checkpoint(
            of document: DocumentID, notAfter revision: Int
        ) throws(JournalError) -> Checkpoint? {
            let body = hook.withLock { hook -> (@Sendable () -> Void)? in
                guard let (wanted, body) = hook, wanted == document else { return nil }
                hook = nil
                return body
            }
            body?()
            return try base.checkpoint(of: document, notAfter: revision)
        }
    }

    /// Documents q/1 and q/2 with one change since; in between the first is looked up, and then
    /// `action` is done to it before the second is read.
    private func restore(
        _ body: String, isDeleted: Bool = false, meanwhile action: ChangeRequest.Action
    ) throws -> (Answer, first: Answer) {
        let journal = HookedJournal(InMemoryJournal())
        let daemon = try LocalDaemon(journal: journal)
        let paths = ["/v1/documents/q%2F1", "/v1/documents/q%2F2"]
        for value in [#"{"n":0}"#, #"{"n":1}"#] {
            for path in paths {
                daemon.time.advance(by: 1_000)
                _ = try daemon.client.request("PUT", path, LocalDaemon.json, body: value)
            }
        }
        if isDeleted { _ = try daemon.client.request("DELETE", paths[0], [:]) }
        let (first, second) = (
            try #require(DocumentID("q/1")), try #require(DocumentID("q/2"))
        )
        journal.before(reading: second) { [store = daemon.store] in
            let isDone = TestLock(false)
            store.change(first, ChangeRequest(action, actor: "eve")) { _ in
                isDone.withLock { $0 = true }
            }
            try? until { isDone.withLock { $0 } }
        }
        let answer = try daemon.client.request("POST", "/v1/restore", LocalDaemon.json, body: body)
        return (answer, try daemon.client.request("GET", paths[0], [:]))
    }

    @Test func `18: a restore of many is computed again if one of them is deleted meanwhile (A7)`()
        throws
    {
        let (answer, first) = try restore(#"{"prefix":"q/","to":"cursor:2"}"#, meanwhile: .delete)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try answer.json["deletedSince"] == ["q/1"])
        #expect(try answer.json["changes"]?.count == 1)
        #expect(first.code == "document-deleted")
    }

    @Test func `18: a restore of many is computed again if one of them comes back meanwhile (A7)`()
        throws
    {
        let body = #"{"prefix":"q/","to":"cursor:2","deleted":"undelete"}"#
        let (answer, first) = try restore(body, isDeleted: true, meanwhile: .undelete)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try answer.json["deletedSince"] == [])
        #expect(try first.json == ["n": 0])
    }
}
