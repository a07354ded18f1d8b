import JSONTree
import Journaling
import Naming
import SelectiveUndo
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// The memory of an own undo during its preparation has a bound; more is refused.
@Suite struct UndoMemoryTests {
    /// Room for about twenty changes of a small value.
    private static let room = 20 << 10

    /// Ada's edit, and then others' of the same place.
    private static func scene(_ count: Int) throws -> PrepareTests.Scene {
        var scene = try PrepareTests.Scene(["a": 0, "b": 0])
        try scene.make(.edit(["a": 1, "b": 0]), "ada")
        for number in 0..<count {
            try scene.make(.edit(["a": JSON(number + 2), "b": 0]), "bob")
        }
        return scene
    }

    private static func own(_ target: OwnUndoRequest.Target) -> ChangeRequest {
        ChangeRequest(.revert(OwnUndoRequest(target)), actor: "ada")
    }

    @Test(arguments: [0, OwnUndoLookup.oldDistance])
    func `an own undo that would hold more than it may is refused`(longAgo: Int) throws {
        var scene = try UndoMemoryTests.scene(100)
        scene.oldDistance = longAgo
        scene.undoBytesMax = UndoMemoryTests.room
        for request in [
            UndoMemoryTests.own(.actor("ada")), UndoMemoryTests.own(.change(1)),
            UndoMemoryTests.own(.changes([1, 50])),
            ChangeRequest(
                .revertAll(ChangeSelection(actor: "ada"), also: [], .reject), actor: "ada"),
        ] {
            guard case .changeTooOld(let reached, head: 101)? = scene.refusal(request) else {
                Issue.record("\(request.action) is refused")
                continue
            }
            #expect((70..<95).contains(reached), "it is told how far it came")
        }
        #expect(scene.document.revision == 101, "nothing was done")
        // The same with more room, and what is near with as much.
        #expect(scene.refusal(UndoMemoryTests.own(.change(90))) == nil)
        scene.undoBytesMax = 128 << 10
        #expect(scene.refusal(UndoMemoryTests.own(.actor("ada"))) == nil)
    }

    @Test func `what is long ago and elsewhere takes no room`() throws {
        var scene = try PrepareTests.Scene(["a": 0, "b": 0])
        try scene.make(.edit(["a": 1, "b": 0]), "ada")
        for number in 1...100 { try scene.make(.edit(["a": 1, "b": JSON(number)]), "bob") }
        scene.undoBytesMax = UndoMemoryTests.room
        #expect(scene.refusal(UndoMemoryTests.own(.actor("ada"))) != nil, "it is not long ago")
        scene.oldDistance = 10
        #expect(try scene.make(UndoMemoryTests.own(.actor("ada"))) != nil)
        #expect(scene.document.tree == ["a": 0, "b": 100])
    }

    @Test func `no more is read ahead than there is room for`() throws {
        var scene = try UndoMemoryTests.scene(30)
        // The last one had many, so the next one reads twice as many: not if that is too much.
        scene.own = OwnUndoLookup(count: 15)
        scene.undoBytesMax = UndoMemoryTests.room
        #expect(try scene.make(UndoMemoryTests.own(.change(20))) != nil)
    }

    @Test func `what is too much is told, though others write all the time`() throws {
        var first = try LineScene.with(["a": 0])
        _ = first.request(.edit(["a": 1]), "ada")
        for number in 2...60 { _ = first.request(.edit(["a": JSON(number)]), "bob") }
        for _ in 1...60 { _ = first.commit() }
        var scene = try LineScene(
            LoadedDocument(document: first.line.committed), undoBytesMax: UndoMemoryTests.room)
        var undo = UndoMemoryTests.own(.change(1))
        let fetched = first.fetched(0...60)
        let early = try #require(try scene.prepareEarly(undo, fetched: fetched))
        _ = scene.request(.edit(["a": 61]), "bob")
        #expect(scene.receive(undo, early: early) == [])
        let words = scene.commit()
        #expect(words.contains { $0.hasPrefix("reply 1: changeTooOld(") }, "\(words)")
        // Also as a part of a transaction.
        undo.isPart = true
        let part = try #require(try scene.prepareEarly(undo, fetched: fetched))
        _ = scene.request(.edit(["a": 62]), "bob")
        var line = scene.line
        var work: Groundwork? = part
        guard
            case .refused(.changeTooOld) = line.prepare(
                part: undo, at: scene.now, &work, isTurn: false)
        else {
            Issue.record("a part is refused")
            return
        }
    }

    @Test func `what is too much is told at once, though there is a line for what is near`() throws
    {
        var first = try LineScene.with(["a": 0])
        _ = first.request(.edit(["a": 1]), "ada")
        for number in 2...50 { _ = first.request(.edit(["a": JSON(number)]), "bob") }
        // Ada's newest edit is invisible, so her undo continues with the one before.
        _ = first.request(.edit(["a": 51]), "ada")
        _ = first.request(.edit(["a": 52]), "bob")
        for _ in 1...52 { _ = first.commit() }
        var scene = try LineScene(
            LoadedDocument(document: first.line.committed), undoBytesMax: UndoMemoryTests.room)
        let undo = UndoMemoryTests.own(.actor("ada"))
        let early = try #require(try scene.prepareEarly(undo, fetched: first.fetched(0...52)))
        #expect(early.effects.own?.effects.hasHistory == true)
        _ = scene.request(.edit(["a": 53]), "bob")
        #expect(scene.receive(undo, early: early) == [])
        let words = scene.commit()
        #expect(words.contains { $0.hasPrefix("reply 1: changeTooOld(") }, "\(words)")
    }

    @Test func `a scope whose time is over closes, though taking it back would hold too much`()
        throws
    {
        var scene = try LineScene(undoBytesMax: UndoMemoryTests.room)
        _ = scene.request(.put(["a": 0]), "ada")
        _ = scene.request(.scope(1_000, .discard), "ada")
        for number in 1...60 { _ = scene.request(.edit(["a": JSON(number)]), "ada") }
        _ = scene.request(.edit(["a": 60, "b": 1]), "bob")
        for _ in 1...63 { _ = scene.commit() }
        _ = scene.pass(2_000)
        let words = scene.receive(
            .closingExpired, fetched: scene.fetched(0...scene.line.committed.revision))
        #expect(words.contains { $0.hasPrefix("commit ") }, "\(words)")
        #expect(scene.line.prepared.tree == ["a": 60, "b": 1], "what was done in it stays")
        #expect(scene.line.prepared.history.state.scopes.isEmpty)
    }
}
