import JSONTree
import Journaling
import SelectiveUndo
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// An own undo that others overtake continues with its data.
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
        // A change lost with its commit is not a part of the past.
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
        var work: Groundwork? = try scene.prepareEarly(undo)
        for number in 2...400 {
            _ = scene.request(.edit(["a": 2, "b": JSON(number)]), "bob")
            _ = scene.commit()
        }
        #expect(scene.receive(undo, &work) == ["overtaken"], "too many to look at")

        // Only the changes in between are in memory: a second start would need older ones.
        let later = Array(scene.stored.suffix(399))
        let line = scene.line
        let base = EarlySource(
            epoch: 0, document: line.prepared, time: scene.now, recent: RecentChanges())
        #expect(throws: PreparationError.self) {
            var fresh = Groundwork()
            fresh.fetched.add(later)
            try fresh.prepare(undo, on: base, limits: .standard)
        }
        work?.noteOvertaken()
        work?.fetched.add(later)
        try work?.prepare(undo, on: base, limits: .standard)
        #expect(try work?.early?.prepared().tree == ["a": 1, "b": 400])
        // Once more others were faster, and then it is under the lock: it needs nothing older.
        _ = scene.request(.edit(["a": 2, "b": 401]), "bob")
        work?.noteOvertaken()
        #expect(scene.receive(undo, &work) == ["commit 404"])
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
        var early: Groundwork? = try scene.prepareEarly(undo, fetched: fetched)
        // It names a change that is not at hand while others wait.
        let named = ChangeRequest(.takeBack([1], isRedo: false, .reject), actor: "ada")
        var other: Groundwork? = try scene.prepareEarly(named, fetched: fetched)
        other?.fetched.letGo()
        _ = scene.request(.edit(["a": 1, "b": 2]), "bob")
        #expect(scene.receive(named, &other) == ["needs 1 alone from 1"])
        #expect(!scene.line.own.effects.hasHistory)
        #expect(
            other?.effects.own?.effects.hasHistory == true,
            "the next early result continues with it")

        // A copy of a very large history would take long.
        #expect(scene.receive(undo, &early) == ["commit 4"])
        #expect(early?.effects.own == nil)
        #expect(scene.line.own.effects.hasHistory)
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
        var work: Groundwork? = try scene.prepareEarly(undo, fetched: first.fetched(0...2))
        _ = scene.request(.edit(["a": 1, "b": 2]), "bob")
        var line = scene.line
        for attempt in 1...3 {
            let reception = line.prepare(part: undo, at: scene.now, &work, isTurn: false)
            guard case .ready(let part) = reception else {
                Issue.record("attempt \(attempt): \(reception)")
                return
            }
            #expect(part.prepared.tree == ["a": 0, "b": 2])
            // Another line was not ready.
            line.cancelPart(&work)
        }
    }

    @Test func `a line lends its place to the effect history of a part until that is stored`()
        throws
    {
        var scene = try LineScene.with(["a": 0, "b": 0])
        for number in 1...2 { _ = scene.request(.edit(["a": JSON(number), "b": 0]), "ada") }
        _ = scene.request(.edit(["a": 2, "b": 1]), "bob")
        _ = scene.request(.revert(OwnUndoRequest(.actor("bob"))), "bob")
        for _ in 1...4 { _ = scene.commit() }
        let count = scene.line.own.effects.count
        var undo = ChangeRequest(.revert(OwnUndoRequest(.change(1))), actor: "ada")
        undo.isPart = true
        var work: Groundwork? = try scene.prepareEarly(undo)
        var line = scene.line
        for _ in 1...3 {
            guard case .ready = line.prepare(part: undo, at: scene.now, &work, isTurn: false)
            else {
                Issue.record("it is made already")
                return
            }
            #expect(work?.effects.own == nil, "the line has it")
            #expect(line.own.effects.count > count)
            line.cancelPart(&work)
            #expect(work?.effects.own?.effects.hasHistory == true)
            #expect(line.own.effects.count == count, "the line has its own again")
        }
        guard
            case .ready(let part) = line.prepare(
                part: undo, at: scene.now, &work, isTurn: false)
        else {
            Issue.record("it is made already")
            return
        }
        let place = TransactionPart(number: 1, of: [part.place])
        let stamped = try #require(try part.stamped(at: scene.now, place, []))
        line.adopt(stamped, part, undo, Reply { _ in }, &work, isTurn: false)
        #expect(line.own.effects.hasHistory, "the undo that was done to it is recorded")
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
        var work: Groundwork? = try scene.prepareEarly(undo, fetched: fetched)
        _ = scene.request(.edit(["a": 1, "b": 2]), "bob")
        var line = scene.line
        // The change that it names is not at hand under the lock: it does not wait for it there.
        guard case .overtaken = line.prepare(part: undo, at: scene.now, &work, isTurn: false) else {
            Issue.record("it must be made anew, from what it had")
            return
        }
        work?.noteOvertaken()
        guard case .ready(let part) = line.prepare(part: undo, at: scene.now, &work, isTurn: false)
        else {
            Issue.record("all is at hand")
            return
        }
        #expect(part.prepared.tree == ["a": 0, "b": 2])
    }
}
