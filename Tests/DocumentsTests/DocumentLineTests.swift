import JSONTree
import Journaling
import SelectiveUndo
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// The line of one document: event in, actions out.
@Suite struct DocumentLineTests {
    // MARK: Commits

    @Test func `a change is shown, published and replied to when it is durable`() throws {
        var scene = try LineScene()
        #expect(scene.request(.put(1)) == ["commit 0"])
        #expect(!scene.line.committed.exists && scene.line.prepared.exists)
        #expect(scene.commit() == ["show 0", "publish 0 as 1", "reply 0: revision 0"])
        #expect(scene.line.committed.tree == 1)
    }

    @Test func `changes are prepared on changes in flight, and end in their order`() throws {
        var scene = try LineScene()
        #expect(scene.request(.put(0)) == ["commit 0"])
        #expect(scene.request(.edit(1)) == ["commit 1"])
        #expect(scene.request(.edit(2)) == ["commit 2"])
        #expect(scene.line.pending == 3)
        #expect(scene.commit().last == "reply 0: revision 0")
        #expect(scene.line.committed.tree == 0 && scene.line.prepared.tree == 2)
        #expect(scene.commit().last == "reply 1: revision 1")
        #expect(scene.commit().last == "reply 2: revision 2")
        #expect(scene.line.pending == 0)
    }

    @Test func `a refusal comes at once, if it rests on nothing in flight`() throws {
        var scene = try LineScene()
        #expect(scene.request(.undo) == ["reply 0: unknownDocument"])
        scene = try .with(0)
        #expect(
            scene.request(.undo) == [
                "reply 1: \(ChangeError.version(.nothingToUndo(available: 0)))"
            ])
        #expect(scene.request(.edit(0)) == ["reply 2: nothing to do"])
    }

    @Test func `a result that rests on changes in flight waits for them`() throws {
        var scene = try LineScene.with(0)
        _ = scene.request(.edit(1))
        _ = scene.request(.edit(2))
        #expect(scene.request(.edit(2)) == [], "nothing to do, if 2 becomes durable")
        #expect(scene.request(.redo) == [], "refused, if 2 becomes durable")
        #expect(scene.commit() == ["show 1", "publish 1 as 2", "reply 1: revision 1"])
        #expect(
            scene.commit() == [
                "show 2", "publish 2 as 3", "reply 2: revision 2", "reply 3: nothing to do",
                "reply 4: \(ChangeError.version(.nothingToRedo(available: 0)))",
            ])
    }

    @Test func `a dry run commits nothing`() throws {
        var scene = try LineScene.with(0)
        var request = ChangeRequest(.edit(1))
        request.isDryRun = true
        #expect(scene.receive(request) == ["reply 1: dry run"])
        _ = scene.request(.edit(2))
        #expect(scene.receive(request) == [])
        #expect(scene.commit().last == "reply 3: dry run")
        #expect(scene.line.prepared.tree == 2)
    }

    // MARK: Failures

    @Test func `when a commit fails, nothing of it and of what rests on it has happened`() throws {
        var scene = try LineScene.with(0)
        _ = scene.request(.edit(1))
        _ = scene.request(.edit(2))
        #expect(scene.request(.edit(2)) == [])
        let full = JournalError.full("no room")
        #expect(
            scene.fail(full) == [
                "note a fault", "reply 1: \(ChangeError.journal(full))",
                "reply 3: \(ChangeError.journal(full))",
            ])
        #expect(scene.line.prepared.tree == 0 && scene.line.pending == 0)
        // The second was queued already: it is refused, and its client receives the cause.
        #expect(scene.fail(.conflict) == ["reply 2: \(ChangeError.journal(full))"])
        #expect(!scene.line.isRetired, "nobody else has written")
    }

    @Test func `after a failed commit the next change follows what is durable`() throws {
        var scene = try LineScene.with(0)
        _ = scene.request(.edit(1))
        _ = scene.request(.edit(2))
        _ = scene.fail(.unavailable("gone"))
        #expect(scene.request(.edit(3)) == ["commit 1"], "while the other is still in flight")
        #expect(scene.fail(.conflict) == ["reply 2: \(ChangeError.journal(.unavailable("gone")))"])
        #expect(scene.commit() == ["show 1", "publish 1 as 2", "reply 3: revision 1"])
        #expect(scene.line.committed.tree == 3)
    }

    @Test func `a creation that fails leaves no document`() throws {
        var scene = try LineScene()
        _ = scene.request(.put(1))
        _ = scene.fail(.full("no room"))
        #expect(scene.line.prepared.life == .unborn)
        #expect(scene.request(.edit(2)) == ["reply 1: unknownDocument"])
        #expect(scene.request(.put(3)) == ["commit 0"])
        #expect(scene.commit().last == "reply 2: revision 0")
    }

    @Test func `a key that was lost with its commit is free again`() throws {
        var scene = try LineScene.with(0)
        var request = ChangeRequest(.edit(1))
        request.token = RequestToken(key: "k", fingerprint: JSON(1).contentHash)
        _ = scene.receive(request)
        #expect(scene.receive(request) == [], "deferred: it is not durable yet")
        _ = scene.fail(.full("no room"))
        #expect(scene.receive(request) == ["commit 1"])
        _ = scene.commit()
        #expect(scene.receive(request) == ["reply 4: \(ChangeError.repeated(revision: 1))"])
        request.token = RequestToken(key: "k", fingerprint: JSON(2).contentHash)
        #expect(
            scene.receive(request) == [
                "reply 5: \(ChangeError.otherRequest(key: "k", revision: 1))"
            ])
    }

    @Test func `after a conflict all that is in flight is carried out again elsewhere`() throws {
        var scene = try LineScene.with(0)
        _ = scene.request(.edit(1))
        _ = scene.request(.edit(2))
        _ = scene.request(.edit(2))
        #expect(
            scene.fail(.conflict) == [
                "note a fault", "forget", "resubmit 1, conflict 1", "resubmit 3, conflict 1",
            ])
        #expect(scene.line.isRetired)
        #expect(scene.request(.edit(9)) == ["retired"])
        #expect(scene.fail(.conflict) == ["resubmit 2, conflict 1"])
    }

    @Test func `an orphan is stored if somebody else has stored the entry before it`() throws {
        var scene = try LineScene.with(0)
        _ = scene.request(.edit(1))
        _ = scene.request(.edit(2))
        _ = scene.request(.edit(3))
        // Two daemons close the same scope at the same time, for example.
        #expect(scene.fail(.conflict) == ["note a fault", "forget", "resubmit 1, conflict 1"])
        #expect(scene.commit() == ["publish 2 as 2", "reply 2: revision 2"])
        #expect(scene.fail(.conflict) == ["resubmit 3, conflict 1"])
        scene = try .with(0)
        _ = scene.request(.edit(1))
        _ = scene.request(.edit(2))
        _ = scene.fail(.full("no room"))
        #expect(scene.commit() == ["forget", "publish 2 as 2", "reply 2: revision 2"])
        #expect(scene.line.isRetired, "what is here is not what is committed")
    }

    @Test func `a request is given up after too many conflicts`() throws {
        var request = ChangeRequest(.edit(1))
        for conflict in 1...ChangeRequest.conflictsMax {
            var scene = try LineScene.with(0)
            _ = scene.receive(request)
            #expect(
                scene.fail(.conflict) == [
                    "note a fault", "forget", "resubmit 1, conflict \(conflict)",
                ])
            request.conflicts = conflict
        }
        var scene = try LineScene.with(0)
        _ = scene.receive(request)
        #expect(
            scene.fail(.conflict) == [
                "note a fault", "forget", "reply 1: \(ChangeError.journal(.conflict))",
            ])
    }

    // MARK: Early results and fetched changes

    @Test func `a early is adopted in the epoch that it was made in, and in no other`() throws {
        var scene = try LineScene.with(0)
        let request = ChangeRequest(.edit(5))
        let first = try #require(try scene.prepareEarly(request))
        let second = try #require(try scene.prepareEarly(request))
        #expect(scene.receive(request, early: first) == ["commit 1"])
        #expect(scene.receive(request, early: second) == ["overtaken"])
        _ = scene.fail(.full("no room"))
        #expect(scene.receive(request, early: second) == ["overtaken"], "another epoch, same state")
        let third = try #require(try scene.prepareEarly(request))
        _ = scene.seal()
        #expect(scene.receive(request, early: third) == ["overtaken"], "sealing counts")
    }

    @Test func `a merge that was overtaken goes on from where it was`() throws {
        var scene = try LineScene.with("b")
        for letter in ["c", "d", "e"] { _ = try type(letter, &scene) }
        var request = ChangeRequest(.typing("a", at: 0))
        request.base = EditBase(.revision(0))
        var work = try #require(try scene.prepareEarly(request))
        let last = try type("f", &scene)
        #expect(scene.receive(request, early: work) == ["overtaken"])

        // Only the newest change is in memory: a second start would need the older ones.
        let line = scene.line
        let base = EarlySource(
            epoch: 0, document: line.prepared, time: scene.now, recent: RecentChanges())
        var fetched = FetchedChanges()
        fetched.add([last])
        #expect(throws: PreparationError.self) {
            var fresh = Groundwork(fetched: fetched)
            try fresh.prepare(request, on: base, limits: .standard)
        }
        work.noteOvertaken()
        work.fetched.add([last])
        try work.prepare(request, on: base, limits: .standard)
        let next = try #require(try work.early?.prepared())
        let anew = try #require(try scene.prepareEarly(request)?.early?.prepared())
        #expect(next.tree == "abcdef")
        #expect(next.change == anew.change)
        #expect(next.merge?.missed == anew.merge?.missed)
    }

    @Test func `a merge over a change that failed begins anew`() throws {
        var scene = try LineScene.with("b")
        _ = try type("c", &scene)
        _ = scene.request(.edit("lost"))
        var request = ChangeRequest(.typing("a", at: 0))
        request.base = EditBase(.revision(0), policy: .mine)
        var work = try #require(try scene.prepareEarly(request))
        _ = scene.fail(.full("no room"))
        _ = try type("d", &scene)
        work.noteOvertaken()
        try scene.prepareEarly(request, &work)
        #expect(try work.early?.prepared().tree == "abcd")
    }

    /// An actor adds a letter at the end.
    private func type(_ letter: String, _ scene: inout LineScene) throws -> Change {
        let end = try #require(scene.line.prepared.tree.string).utf16.count
        _ = scene.request(.typing(letter, at: end))
        _ = scene.commit()
        return try #require(scene.stored.last)
    }

    @Test func `a early that was refused is replied to as such`() throws {
        var scene = try LineScene.with(0)
        let request = ChangeRequest(.undo)
        let early = try #require(try scene.prepareEarly(request))
        #expect(
            scene.receive(request, early: early) == [
                "reply 1: \(ChangeError.version(.nothingToUndo(available: 0)))"
            ])
    }

    @Test func `what is not in memory is asked for, and then the request goes on`() throws {
        var scene = try LineScene.with(0)
        for value in 1...4 {
            _ = scene.request(.edit(JSON(value)))
            _ = scene.commit()
        }
        var later = try scene.reloaded()
        let undo = ChangeRequest(.move(.undo(count: 2)))
        #expect(later.receive(undo) == ["needs 32 backward from 4"])
        #expect(
            later.receive(undo, fetched: later.fetched(4...4)) == ["needs 32 backward from 3"])
        #expect(later.receive(undo, fetched: later.fetched(3...4)) == ["commit 5"])
        _ = later.commit()
        #expect(later.line.committed.tree == 2)
        // The changes of an own undo are read on the same way.
        var third = try scene.reloaded()
        let own = ChangeRequest(.revert(OwnUndoRequest(.actor(""))))
        #expect(third.receive(own) == ["needs 32 backward from 4"])
        #expect(third.receive(own, fetched: scene.fetched(0...4)) == ["commit 5"])
    }

    @Test func `what was fetched for a request is there for the next ones`() throws {
        var scene = try LineScene.with(0)
        for value in 1...40 {
            _ = scene.request(.edit(JSON(value)))
            _ = scene.commit()
        }
        var later = try scene.reloaded()
        let undo = ChangeRequest(.move(.undo(count: 1)))
        #expect(later.receive(undo) == ["needs 32 backward from 40"])
        #expect(later.receive(undo, fetched: later.fetched(9...40)) == ["commit 41"])
        for revision in 42...72 { #expect(later.receive(undo) == ["commit \(revision)"]) }
        #expect(later.receive(undo) == ["needs 32 backward from 8"])
        let weight = later.line.weight
        _ = later.receive(undo, fetched: FetchedChanges())
        #expect(later.line.weight < weight - 32 * 512, "what it took is counted")
    }

    @Test func `what was fetched is not kept if it takes much`() throws {
        var scene = try LineScene.with(0)
        for value in 1...4 {
            _ = scene.request(.edit(JSON(String(repeating: "\(value)", count: 100_000))))
            _ = scene.commit()
        }
        var later = try scene.reloaded()
        let undo = ChangeRequest(.move(.undo(count: 1)))
        #expect(later.receive(undo, fetched: later.fetched(2...4)) == ["commit 5"])
        #expect(later.receive(undo) == ["needs 32 backward from 4"])
    }

    @Test func `versions that were packed for a checkpoint are adopted while commits go on`()
        throws
    {
        var scene = try LineScene.with(0)
        for value in 1...1_000 {
            _ = scene.request(.edit(JSON(value)))
            _ = scene.commit()
        }
        let original = scene.line.committed
        var checkpointed = original
        checkpointed.packVersions()
        _ = scene.request(.move(.undo(count: 3)))
        _ = scene.request(.edit("other"))
        scene.adoptVersions(of: checkpointed, madeFrom: original)
        #expect(scene.line.prepared.history.state.versions.packedCount == 960)
        for _ in 0..<2 { _ = scene.commit() }
        _ = scene.request(.edit("last"))
        _ = scene.commit()
        let history = scene.line.committed.history
        #expect(history.state.versions.packedCount == 960)
        let slow = try scene.replayed().history
        #expect(history.state.versions.elementsEqual(slow.state.versions))
    }

    @Test func `changes in memory are read at once, but not hundreds of them`() throws {
        var scene = try LineScene.with(0)
        for value in 1...300 {
            _ = scene.request(.edit(JSON(value)))
            _ = scene.commit()
        }
        let long = ChangeRequest(.move(.undo(count: 299)))
        #expect(scene.receive(ChangeRequest(.move(.undo(count: 200)))) == ["commit 301"])
        #expect(scene.receive(ChangeRequest(.move(.redo(count: 200)))) == ["commit 302"])
        _ = scene.commit()
        _ = scene.commit()
        #expect(scene.receive(long) == ["takes long"])
        #expect(scene.receive(long, fetched: FetchedChanges()) == ["commit 303"])
    }

    @Test func `what is large, or looks at many values, is not done while others wait (D3)`() throws
    {
        let large = JSON(String(repeating: "a", count: 300_000))
        var scene = try LineScene.with(["a": 0])
        let growing = ChangeRequest(.edit(large))
        #expect(scene.receive(growing) == ["takes long"])
        let early = try #require(try scene.prepareEarly(growing))
        #expect(scene.receive(growing, early: early) == ["commit 1"])
        _ = scene.commit()
        #expect(scene.receive(ChangeRequest(.edit(0))) == ["takes long"], "what it takes away")
        let undo = ChangeRequest(.undo)
        #expect(scene.receive(undo) == ["needs 32 backward from 1"], "and what it puts back")
        #expect(scene.receive(undo, fetched: scene.fetched(0...1)) == ["commit 2"])
        _ = scene.commit()
        let many = ChangeRequest(.edit(JSON(elements: (0..<10_001).map { ["n": JSON($0)] })))
        #expect(scene.receive(many).first == "commit 3")
        _ = scene.commit()
        var settings = SettingsChange()
        settings.ignored = ["/*/n"].compactMap { PointerPattern(parsing: $0) }
        _ = scene.request(.settings(settings))
        _ = scene.commit()
        let small = try JSONPatch([["op": "remove", "path": "/0"]], limits: .standard)
        let patch = ChangeRequest(.append(.patch(small), tag: nil, grouping: nil))
        #expect(scene.receive(patch) == ["takes long"])
    }

    // MARK: Scopes

    @Test func `scopes whose time is over are closed before the request`() throws {
        var scene = try LineScene.with(0)
        #expect(scene.request(.scope(100), "ada") == ["commit 1"])
        #expect(scene.commit().contains("wake at 100"))
        _ = scene.request(.edit(1), "ada")
        _ = scene.commit()
        scene.now = scene.now.advanced(by: 500)
        #expect(scene.request(.edit(2), "bob") == ["commit 3", "commit 4"])
        #expect(scene.line.prepared.history.scopeLevel == 0)
        #expect(scene.commit() == ["show 3", "publish 3 as 4"], "nobody asked for it")
        #expect(scene.commit().last == "reply 3: revision 4")
    }

    @Test func `a scope that is discarded takes back its owner's work only`() throws {
        var scene = try LineScene.with(["a": 0, "b": 0])
        _ = scene.request(.scope(100, .discard), "ada")
        _ = scene.request(.edit(["a": 1, "b": 0]), "ada")
        _ = scene.request(.edit(["a": 1, "b": 2]), "bob")
        scene.now = scene.now.advanced(by: 1_000)
        #expect(scene.request(.edit(["a": 5, "b": 2]), "bob") == ["commit 4", "commit 5"])
        for _ in 1...4 { _ = scene.commit() }
        #expect(scene.line.committed.tree == ["a": 0, "b": 2])
        _ = scene.commit()
        #expect(scene.line.committed.tree == ["a": 5, "b": 2])
    }

    @Test func `a scope that cannot be discarded is popped, so that nothing is blocked`() throws {
        var (scene, fetched) = try LineScene.damagedScope()
        #expect(
            scene.receive(ChangeRequest(.edit(7)), fetched: fetched)
                == ["note a fault", "commit 4", "commit 5"])
        _ = scene.commit()
        #expect(scene.line.committed.tree == 42 && scene.line.committed.history.scopeLevel == 0)
    }

    @Test func `closing a scope that needs old changes is postponed with its request`() throws {
        var scene = try LineScene.with(0)
        _ = scene.request(.scope(100, .discard), "ada")
        _ = scene.request(.edit(1), "ada")
        _ = scene.commit()
        _ = scene.commit()
        var later = try scene.reloaded()
        later.now = later.now.advanced(by: 1_000)
        let request = ChangeRequest(.edit(7), actor: "bob")
        #expect(later.receive(request) == ["needs 32 backward from 2"])
        #expect(later.line.prepared.revision == 2, "nothing half done")
        #expect(
            later.receive(request, fetched: later.fetched(0...2)) == ["commit 3", "commit 4"])
        _ = later.commit()
        #expect(later.line.committed.tree == 0 && later.line.prepared.tree == 7)
    }

    // MARK: Time

    @Test func `a group is sealed when its time is over, and not before`() throws {
        var scene = try LineScene.with(0)
        _ = scene.request(.edit(1, window: 500))
        #expect(scene.commit().contains("wake at 500"))
        scene.now = scene.now.advanced(by: 300)
        _ = scene.request(.edit(2, window: 500))
        #expect(!scene.commit().contains { $0.hasPrefix("wake") }, "it is awake before that")
        #expect(scene.pass(200) == ["wake at 800"])
        #expect(scene.pass(300) == ["show 2", "publish seal of 1"])
        #expect(scene.pass(1_000) == [])
    }

    @Test func `a seal is published after the change that it ends with`() throws {
        var scene = try LineScene.with(0)
        _ = scene.request(.edit(1, window: 500))
        #expect(scene.seal() == [], "it is not durable yet")
        #expect(
            scene.commit() == [
                "show 1", "publish 1 as 2", "publish seal of 1", "reply 1: revision 1",
            ])
    }

    @Test func `a change that begins a new version publishes the end of the last one first`() throws
    {
        var scene = try LineScene.with(0)
        _ = scene.request(.edit(1, window: 500), "ada")
        _ = scene.commit()
        _ = scene.request(.edit(2, window: 500), "bob")
        #expect(
            scene.commit().prefix(3) == ["publish seal of 1", "show 2", "publish 2 as 3"])
        // With a tag, an edit is the last one of its own version.
        _ = scene.request(
            .append(
                .value(3), tag: "t",
                grouping: Grouping(window: .milliseconds(500), max: .seconds(5))), "bob")
        #expect(
            scene.commit().prefix(3) == ["show 3", "publish 3 as 4", "publish seal of 2"])
    }

    @Test func `what failed is not sealed by name`() throws {
        var scene = try LineScene.with(0)
        _ = scene.request(.edit(1, window: 500))
        _ = scene.commit()
        _ = scene.request(.edit(2, window: 500))
        #expect(scene.seal() == [])
        #expect(
            scene.fail(.full("no room")).contains("publish seal of 1"),
            "what is left of the group is sealed all the same")
        #expect(scene.line.committed.history.openGroup == nil)
    }

    @Test func `the end of a scope's time is reported, for its closing is a change`() throws {
        var scene = try LineScene.with(0)
        _ = scene.request(.scope(100))
        _ = scene.commit()
        #expect(scene.pass(99) == ["wake at 100"])
        #expect(scene.pass(1) == ["scope expired"])
        #expect(scene.receive(.closingExpired) == ["commit 2"])
        #expect(scene.commit() == ["show 2", "publish 2 as 3", "reply 2: nothing to do"])
    }

    // MARK: Checkpoints and letting go

    @Test func `a checkpoint is written when replay would take long, and once`() throws {
        var scene = try LineScene.with(0)
        var written: [Int] = []
        for value in 1...2_100 {
            _ = scene.request(.edit(JSON(value)))
            if scene.commit().contains("write a checkpoint") { written.append(value) }
        }
        #expect(written == [999, 1_999])
    }

    @Test func `a line is not let go while a commit is in flight`() throws {
        var scene = try LineScene.with(0)
        _ = scene.request(.edit(1, window: 500))
        #expect(scene.retire() == ["stays"])
        _ = scene.commit()
        #expect(scene.retire() == ["show 1", "publish seal of 1", "retired"])
        #expect(scene.request(.edit(2)) == ["retired"])
        #expect(scene.pass(9_999) == [] && scene.retire() == ["stays"])
    }
}
