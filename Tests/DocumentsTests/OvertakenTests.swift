import JSONTree
import Journaling
import SelectiveUndo
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// An own undo that others overtake goes on from what it had.
@Suite struct OvertakenTests {
    @Test func `an own undo that was overtaken is made of what it had read`() throws {
        var scene = try LineScene.with(["a": 0, "b": 0])
        _ = scene.request(.edit(["a": 1, "b": 0]), "ada")
        _ = scene.commit()
        for number in 1...5 {
            _ = scene.request(.edit(["a": 1, "b": JSON(number)]), "bob")
            _ = scene.commit()
        }
        let undo = ChangeRequest(.revert(OwnUndoRequest(.actor("ada"))), actor: "ada")
        let early = try #require(try scene.prepareEarly(undo))
        _ = scene.request(.edit(["a": 1, "b": 6]), "bob")
        // Others never stop; it is not overtaken for ever.
        #expect(scene.receive(undo, early: early) == ["commit 8"])
        #expect(scene.line.prepared.tree == ["a": 0, "b": 6])
        // What was lost with its commit is no past.
        let redo = ChangeRequest(
            .revert(OwnUndoRequest(.actor("ada"), isRedo: true)), actor: "ada")
        let lost = try #require(try scene.prepareEarly(redo))
        _ = scene.fail(.full("no room"))
        #expect(scene.receive(redo, early: lost) == ["overtaken"])
    }

    @Test func `an own undo that was overtaken by many goes on from where it was`() throws {
        var scene = try LineScene.with(["a": 0, "b": 0])
        _ = scene.request(.edit(["a": 1, "b": 0]), "ada")
        _ = scene.request(.edit(["a": 2, "b": 0]), "ada")
        _ = scene.request(.edit(["a": 2, "b": 1]), "bob")
        for _ in 1...3 { _ = scene.commit() }
        let undo = ChangeRequest(.revert(OwnUndoRequest(.actor("ada"))), actor: "ada")
        let early = try #require(try scene.prepareEarly(undo))
        for number in 2...400 {
            _ = scene.request(.edit(["a": 2, "b": JSON(number)]), "bob")
            _ = scene.commit()
        }
        #expect(scene.receive(undo, early: early) == ["overtaken"], "too many to look at")

        // Only what came in between is at hand: who began anew would need older ones.
        var fetched = FetchedChanges()
        fetched.add(Array(scene.stored.suffix(399)))
        let line = scene.line
        let base = EarlySource(
            epoch: 0, document: line.prepared, time: scene.now, recent: RecentChanges())
        #expect(throws: PreparationError.self) {
            try EarlyResult.make(undo, on: base, limits: .standard, fetched: fetched)
        }
        fetched.note(overtaken: early)
        let next = try #require(
            try EarlyResult.make(undo, on: base, limits: .standard, fetched: fetched))
        #expect(try next.prepared().tree == ["a": 1, "b": 400])
        // Once more others were faster, and then it is under the lock: it needs nothing older.
        _ = scene.request(.edit(["a": 2, "b": 401]), "bob")
        fetched.note(overtaken: next)
        #expect(scene.receive(undo, fetched: fetched) == ["commit 404"])
        #expect(scene.line.prepared.tree == ["a": 1, "b": 401])
    }

    @Test func `what was made early is handed over, and goes back if it is not enough`() throws {
        var first = try LineScene.with(["a": 0, "b": 0])
        _ = first.request(.edit(["a": 1, "b": 0]), "ada")
        _ = first.request(.edit(["a": 1, "b": 1]), "bob")
        for _ in 1...2 { _ = first.commit() }
        var scene = try first.reloaded()
        let fetched = first.fetched(0...2)
        let undo = ChangeRequest(.revert(OwnUndoRequest(.actor("ada"))), actor: "ada")
        let early = try #require(try scene.prepareEarly(undo, fetched: fetched))
        // It names a change that is not at hand while others wait.
        let named = ChangeRequest(.takeBack([1], isRedo: false, .reject), actor: "ada")
        let other = try #require(try scene.prepareEarly(named, fetched: fetched))
        _ = scene.request(.edit(["a": 1, "b": 2]), "bob")
        #expect(scene.receive(named, early: other) == ["needs 1 alone from 1"])
        #expect(!scene.line.effects.hasLine)
        let before = try #require(other.effects.copy)
        #expect(before.hasLine, "the next early result goes on from there")

        // A copy of what may be very large would take long.
        #expect(scene.receive(undo, early: early) == ["commit 4"])
        #expect(early.effects.copy == nil)
        #expect(scene.line.effects.hasLine)
        #expect(scene.line.prepared.tree == ["a": 0, "b": 2])
    }

    @Test func `a part that waits for another one is ready again without being made anew`() throws {
        var first = try LineScene.with(["a": 0, "b": 0])
        _ = first.request(.edit(["a": 1, "b": 0]), "ada")
        _ = first.request(.edit(["a": 1, "b": 1]), "bob")
        for _ in 1...2 { _ = first.commit() }
        var scene = try first.reloaded()
        var undo = ChangeRequest(.revert(OwnUndoRequest(.actor("ada"))), actor: "ada")
        undo.isPart = true
        var help = PartPreparation()
        help.early = try scene.prepareEarly(undo, fetched: first.fetched(0...2))
        _ = scene.request(.edit(["a": 1, "b": 2]), "bob")
        var line = scene.line
        for attempt in 1...3 {
            let reception = line.prepare(part: undo, at: scene.now, help, isTurn: false)
            guard case .ready(let part) = reception else {
                Issue.record("attempt \(attempt): \(reception)")
                return
            }
            #expect(part.prepared.tree == ["a": 0, "b": 2])
            // Another line was not ready.
            line.cancelPart(help)
        }
    }

    @Test func `a part that was overtaken and needs more is made anew`() throws {
        var first = try LineScene.with(["a": 0, "b": 0])
        _ = first.request(.edit(["a": 1, "b": 0]), "ada")
        _ = first.request(.edit(["a": 1, "b": 1]), "bob")
        for _ in 1...2 { _ = first.commit() }
        var scene = try first.reloaded()
        var undo = ChangeRequest(.takeBack([1], isRedo: false, .reject), actor: "ada")
        undo.isPart = true
        var fetched = FetchedChanges()
        fetched.add(first.stored)
        var help = PartPreparation(fetched: fetched)
        help.early = try scene.prepareEarly(undo, fetched: fetched)
        _ = scene.request(.edit(["a": 1, "b": 2]), "bob")
        var line = scene.line
        // The change that it names is not at hand under the lock: it does not wait for it there.
        guard case .overtaken = line.prepare(part: undo, at: scene.now, help, isTurn: false) else {
            Issue.record("it must be made anew, from what it had")
            return
        }
        help.noteOvertaken()
        guard case .ready(let part) = line.prepare(part: undo, at: scene.now, help, isTurn: false)
        else {
            Issue.record("all is at hand")
            return
        }
        #expect(part.prepared.tree == ["a": 0, "b": 2])
    }
}
