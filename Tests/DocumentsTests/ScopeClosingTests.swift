import JSONTree
import SelectiveUndo
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// Scopes whose time is over are closed before anything else, and that may take long: it is
/// prepared early, as requests are.
@Suite struct ScopeClosingTests {
    /// A scope of ada's with an edit, whose time is over, with nothing of it in memory.
    private func expired(_ policy: ScopeExpiry.Policy = .discard) throws -> LineScene {
        var scene = try LineScene.with(0)
        _ = scene.request(.scope(100, policy), "ada")
        _ = scene.request(.edit(1), "ada")
        for _ in 1...2 { _ = scene.commit() }
        return try scene.reloaded(at: scene.now.advanced(by: 100))
    }

    @Test func `the end of a scope is prepared early, and then the request`() throws {
        var scene = try expired()
        let request = ChangeRequest(.edit(7), actor: "bob")
        #expect(throws: PreparationError.self, "nothing of it is in memory") {
            try scene.prepareEarly(request)
        }
        let early = try #require(try scene.prepareEarly(request, fetched: scene.fetched(0...2)))
        #expect(early.early?.closing?.request.actor == "ada")
        #expect(scene.receive(request, early: early) == ["commit 3", "closed"])
        #expect(scene.line.prepared.tree == 0 && scene.line.prepared.history.scopeLevel == 0)
        let next = try #require(try scene.prepareEarly(request))
        #expect(next.early?.closing == nil)
        #expect(scene.receive(request, early: next) == ["commit 4"])
        for _ in 1...2 { _ = scene.commit() }
        #expect(scene.line.committed.tree == 7)
    }

    @Test func `what is only asked closes a scope whose time is over, too`() throws {
        var scene = try expired(.pop)
        var question = ChangeRequest(.edit(7), actor: "bob")
        question.isDryRun = true
        let early = try #require(try scene.prepareEarly(question, fetched: scene.fetched(0...2)))
        #expect(scene.receive(question, early: early) == ["commit 3", "closed"])
        #expect(scene.receive(question) == [])
        #expect(scene.commit().last == "reply 0: dry run")
        #expect(scene.line.committed.tree == 1 && scene.line.committed.history.scopeLevel == 0)
    }

    @Test func `a scope is closed once, whoever comes first`() throws {
        var scene = try expired()
        let (first, second) = (ChangeRequest(.edit(7), actor: "bob"), ChangeRequest(.edit(8)))
        let fetched = scene.fetched(0...2)
        let early = try #require(try scene.prepareEarly(first, fetched: fetched))
        #expect(scene.receive(second, fetched: fetched) == ["commit 3", "commit 4"])
        #expect(scene.receive(first, early: early) == ["overtaken"])
        let next = try #require(try scene.prepareEarly(first))
        #expect(next.early?.closing == nil)
        #expect(scene.receive(first, early: next) == ["commit 5"])
        #expect(scene.line.prepared.tree == 7)
    }

    @Test func `scopes in a scope whose time is over are closed one after the other`() throws {
        var scene = try LineScene.with(0)
        _ = scene.request(.scope(100), "ada")
        _ = scene.request(.edit(1), "ada")
        _ = scene.request(.scope(900), "ada")
        _ = scene.request(.edit(2), "ada")
        for _ in 1...4 { _ = scene.commit() }
        scene.now = scene.now.advanced(by: 200)
        let request = ChangeRequest(.edit(7), actor: "bob")
        for level in [1, 0] {
            let early = try #require(try scene.prepareEarly(request))
            #expect(scene.receive(request, early: early).last == "closed")
            #expect(scene.line.prepared.history.scopeLevel == level)
        }
        let early = try #require(try scene.prepareEarly(request))
        #expect(scene.receive(request, early: early) == ["commit 7"])
    }

    @Test func `what cannot be discarded is popped early, with a note of why`() throws {
        var (scene, fetched) = try LineScene.damagedScope()
        let request = ChangeRequest(.edit(7))
        let early = try #require(try scene.prepareEarly(request, fetched: fetched))
        #expect(early.early?.closing?.refusal != nil)
        #expect(scene.receive(request, early: early) == ["note a fault", "commit 4", "closed"])
        #expect(scene.line.prepared.tree == 42 && scene.line.prepared.history.scopeLevel == 0)
    }

    @Test func `a part of a transaction waits until the scope is closed`() throws {
        var scene = try expired()
        var part = ChangeRequest(.edit(7), actor: "bob")
        part.isPart = true
        #expect(try scene.prepareEarly(part, fetched: scene.fetched(0...2)) == nil)
        var line = scene.line
        var nothing: Groundwork?
        guard case .closing = line.prepare(part: part, at: scene.now, &nothing, isTurn: false)
        else {
            Issue.record("it does not wait")
            return
        }
    }

    @Test(arguments: [
        Change.Kind.popScope(isChanged: true, owner: nil), .discardScope(nil),
        .discardScope(Reversal(actor: "ada", off: [0], on: [])),
    ])
    func `a document without a scope stays as it is when one is to be closed`(
        kind: Change.Kind
    ) throws {
        var document = try LineScene.with(0).line.committed
        let before = document.checkpoint(RequestLog())
        let change = Change(
            revision: 1, kind: kind, patch: .empty, actor: "ada",
            time: Timestamp(milliseconds: 1), label: nil)
        let entry = change.entry(following: document)
        #expect(throws: VersionError.rootScope) {
            try document.advance(by: change, to: 1, entry: entry)
        }
        #expect(document.checkpoint(RequestLog()).body == before.body)
    }
}
