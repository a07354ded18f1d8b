import Foundation
import JSONTree
import Journaling
import TestSupport
import Testing

@testable import DocumentCore
@testable import Documents

/// The checks of a merge of several drafts when it is carried out, and when it is repeated.
@Suite struct ReleaseRequestTests {
    private let menu = DocumentID("menu")!
    private let wine = DocumentID("wine")!
    private let drafts = ["spring~/menu", "spring~/wine"].map { DocumentID($0)! }

    /// Two documents with a draft each, of which the second one has an edit.
    private func store() async throws -> DocumentStore {
        let time = ManualTime()
        let store = DocumentStore(journal: InMemoryJournal(), now: { time.now })
        for (origin, draft) in zip([menu, wine], drafts) {
            _ = try await store.change(origin, ChangeRequest(.put(["a": 1])))
            let head = try await store.read(origin)
            var request = ChangeRequest(.put(head.tree))
            request.start = DraftStart(at: head, head.settings)
            _ = try await store.change(draft, request)
        }
        _ = try await store.change(drafts[1], ChangeRequest(.put(["a": 2])))
        return store
    }

    /// Changes a document, and waits for it.
    private static func change(_ document: DocumentID, in store: DocumentStore) {
        let end = DispatchSemaphore(value: 0)
        store.change(document, ChangeRequest(.put(["a": 7]))) { _ in end.signal() }
        end.wait()
    }

    @Test(arguments: ["menu", "spring~/menu"])
    func `13: match is also about documents that the merge does not change`(
        name: String
    ) async throws {
        let store = try await store()
        defer { store.close() }
        let id = DocumentID(name)!
        var each = DraftRequest(drafts[0])
        // The last origin is read after the document in question.
        each.mayReach = { [wine] origin in
            if origin == wine { Self.change(id, in: store) }
        }
        var request = MergeOfMany(drafts, each: each, owner: "")
        request.match = MatchOfMany([id: 0])
        do throws(MergeOfManyRefusal) {
            _ = try await store.merge(request)
            Issue.record("the document has changed meanwhile")
        } catch {
            #expect(error.document == id && error.refusal.error == .stale(head: 1))
        }
        #expect(try await store.read(wine).tree == ["a": 1])
    }

    @Test func `13: a repetition is refused to a client that may not reach a draft`() async throws {
        let store = try await store()
        defer { store.close() }
        var each = DraftRequest(drafts[0])
        each.token = RequestToken(key: "one", fingerprint: ContentHash(high: 1, low: 2))
        let request = MergeOfMany(drafts, each: each, owner: "")
        let first = try await store.merge(request)
        var same = TransactionRequest([])
        (same.token, same.isFoundByKey) = (each.token, true)
        let memory = store.firstMemory
        let made = try #require(try await store.repetition(byKeyOf: same, memory))
        let again = try await store.outcome(of: request, repeating: made)
        #expect(again.leader == first.leader && again.merged.count == 1)
        same.mayReach = { [drafts] in $0 != drafts[1] }
        do throws(TransactionRefusal) {
            _ = try await store.repetition(byKeyOf: same, memory)
            Issue.record("a draft is out of reach")
        } catch {
            #expect(error.refusal.error == .outOfReach)
        }
    }
}
