import JSONTree
import Naming
import SelectiveUndo
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// Own undo of old changes reads only related changes, and has the same effect as with all of them.
@Suite struct NarrowingTests {
    // MARK: A law

    @Test(arguments: Seeds.of(16))
    func `12: what is left out has nothing to do with what is undone`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var scene = try PrepareTests.Scene(nil)
        try scene.make(.put(Narrowed.value), "ada")
        scene.document.activity = ActorActivity(block: 4)
        var kept = OwnUndoLookup()
        var narrow = 0
        for _ in 0..<70 {
            let actor = Narrowed.actors[generator.below(generator.once(in: 4) ? 3 : 1)]
            let before = scene.document.history.currentID
            let request = ChangeRequest(Narrowed.action(scene, &generator), actor: actor)
            guard let change = try? scene.make(request) else { continue }
            kept.advance(by: change, from: before, to: scene.document)
            for _ in 0..<4 {
                let own = Narrowed.own(scene, &generator)
                let asked = ChangeRequest(.revert(own), actor: "ada")
                var full = OwnUndoLookup()
                let expected = Narrowed.told(asked, scene, &full, longAgo: .max)
                var fresh = OwnUndoLookup()
                let found = Narrowed.told(asked, scene, &fresh, longAgo: 0)
                narrow += fresh.effects.coverage != nil ? 1 : 0
                #expect(found == expected, "\(own) at \(change.revision)")
                let again = Narrowed.told(asked, scene, &kept, longAgo: 0)
                kept.effects.cancel()
                #expect(again == expected, "kept: \(own) at \(change.revision)")
            }
        }
        #expect(narrow > 0)
    }

    // MARK: Cases

    /// The effect of an own undo with a history of related changes, and with all.
    private func both(
        _ request: OwnUndoRequest, _ scene: PrepareTests.Scene, _ kept: inout OwnUndoLookup
    ) -> (narrow: Narrowed.Told, full: Narrowed.Told) {
        let asked = ChangeRequest(.revert(request), actor: "ada")
        var all = OwnUndoLookup()
        let narrow = Narrowed.told(asked, scene, &kept, longAgo: 0)
        kept.effects.cancel()
        return (narrow, Narrowed.told(asked, scene, &all, longAgo: .max))
    }

    @Test func `what others do elsewhere takes no memory`() throws {
        var scene = try PrepareTests.Scene(["a": 1, "b": 0])
        for number in 2...4 { try scene.make(.merging(["a": JSON(number)]), "ada") }
        for number in 1...500 { try scene.make(.merging(["b": JSON(number)]), "bob") }
        var kept = OwnUndoLookup()
        let told = both(OwnUndoRequest(.actor("ada")), scene, &kept)
        #expect(told.narrow == told.full && told.narrow.tree == ["a": 3, "b": 500])
        #expect(
            kept.effects.coverage != nil && kept.effects.weight < 5_000, "\(kept.effects.weight)")
        // Edits of others in the same place are related.
        for number in 1...500 { try scene.make(.merging(["a": JSON(-number)]), "bob") }
        kept = OwnUndoLookup()
        _ = both(OwnUndoRequest(.change(2), policy: .mine), scene, &kept)
        #expect(kept.effects.coverage != nil && kept.effects.weight > 50_000)
    }

    @Test func `who goes back that far goes on without reading`() throws {
        var scene = try PrepareTests.Scene(["a": 0, "b": 0])
        scene.oldDistance = 8
        for number in 1...6 { try scene.make(.merging(["a": JSON(number)]), "ada") }
        for number in 1...20 { try scene.make(.merging(["b": JSON(number)]), "bob") }
        try scene.make(.revert(OwnUndoRequest(.actor("ada"))), "ada")
        // From now on nothing old is at hand.
        for number in (0...4).reversed() {
            let undo = ChangeRequest(.revert(OwnUndoRequest(.actor("ada"))), actor: "ada")
            let prepared = try scene.prepare(undo, [])
            #expect(prepared.tree["a"] == JSON(number))
            try scene.adopt(prepared)
            try scene.make(.merging(["b": JSON(-number)]), "bob")
        }
        #expect(scene.document.tree == ["a": 0, "b": 0])
    }

    @Test func `a redo puts back the newest undo, wherever that was`() throws {
        var scene = try PrepareTests.Scene(["a": 0, "d": 0])
        try scene.make(.merging(["a": 1]), "ada")
        try scene.make(.merging(["a": 2]), "ada")
        try scene.make(.merging(["d": 3]), "ada")
        try scene.make(.revert(OwnUndoRequest(.change(1))), "ada")
        try scene.make(.revert(OwnUndoRequest(.change(3))), "ada")
        // The history for the next undo does not contain the last one.
        var kept = OwnUndoLookup()
        let undo = both(OwnUndoRequest(.actor("ada")), scene, &kept)
        #expect(undo.narrow == undo.full && kept.effects.coverage != nil)
        let redo = both(OwnUndoRequest(.actor("ada"), isRedo: true), scene, &kept)
        #expect(redo.narrow == redo.full && redo.narrow.tree == ["a": 2, "d": 3])
    }

    @Test func `a scope that was popped is undone as one, in however many places`() throws {
        var scene = try PrepareTests.Scene([:])
        try scene.make(.pushScope(lifetime: nil, policy: .pop), "ada")
        for place in 0..<20 { try scene.make(.merging(["k\(place)": 1]), "ada") }
        try scene.make(.popScope(isForced: false), "ada")
        for number in 1...5 { try scene.make(.merging(["b": JSON(number)]), "bob") }
        var kept = OwnUndoLookup()
        let undo = both(OwnUndoRequest(.actor("ada")), scene, &kept)
        #expect(undo.narrow == undo.full && undo.narrow.tree == ["b": 5])
    }

    @Test func `elements of an array have to do with one another`() throws {
        var scene = try PrepareTests.Scene(["list": [], "b": 0])
        let insert: JSON = [["op": "add", "path": "/list/0", "value": ["k": 1]]]
        let inside: JSON = [["op": "replace", "path": "/list/1/k", "value": 2]]
        let edits: [(JSON, Name)] = [(insert, "ada"), (insert, "bob"), (inside, "bob")]
        for (patch, actor) in edits {
            let action = ChangeRequest.Action.append(
                .patch(try JSONPatch(patch)), tag: nil, grouping: nil)
            try scene.make(action, actor)
        }
        try scene.make(.merging(["b": 1]), "bob")
        var kept = OwnUndoLookup()
        let told = both(OwnUndoRequest(.actor("ada")), scene, &kept)
        #expect(told.narrow == told.full && kept.effects.coverage != nil)
        guard case .refused(.conflicts)? = told.narrow.error else {
            Issue.record("bob has edited what ada put in")
            return
        }
    }

    @Test func `a line of one change says nothing of others`() throws {
        var scene = try PrepareTests.Scene(["a": ["k": 0], "d": 0])
        try scene.make(.merging(["a": ["x": ["y": 0]]]), "ada")
        try scene.make(.merging(["a": ["x": ["y": 1]]]), "bob")
        try scene.make(.merging(["d": 3]), "ada")
        var kept = OwnUndoLookup()
        let one = both(OwnUndoRequest(.change(1)), scene, &kept)
        #expect(one.narrow == one.full && one.narrow.error != nil && kept.effects.coverage != nil)
        let next = both(OwnUndoRequest(.actor("ada")), scene, &kept)
        #expect(next.narrow == next.full && next.narrow.tree?["d"] == 0)
    }

    // Own changes of the actor that are left out: too many others are in between.

    private func others(_ count: Int, _ scene: inout PrepareTests.Scene) throws {
        for number in 0..<count { try scene.make(.merging(["b": JSON(number)]), "bob") }
    }

    @Test func `a scope that is popped later is undone as one, with what was left out`() throws {
        var scene = try PrepareTests.Scene(["q": 0])
        try scene.make(.merging(["q": 1]), "bob")
        try scene.make(.pushScope(lifetime: nil, policy: .pop), "ada")
        try scene.make(.merging(["l": 1]), "ada")
        try others(1_100, &scene)
        try scene.make(.merging(["t": 1]), "ada")
        // The line must begin before the scope.
        try scene.make(.revert(OwnUndoRequest(.change(1))), "bob")
        scene.own.effects.drop()
        scene.oldDistance = 0
        try scene.make(.revert(OwnUndoRequest(.actor("ada"))), "ada")
        #expect(scene.own.effects.coverage != nil)
        try scene.make(.revert(OwnUndoRequest(.actor("ada"), isRedo: true)), "ada")
        try scene.make(.popScope(isForced: false), "ada")
        let undo = both(OwnUndoRequest(.actor("ada")), scene, &scene.own)
        #expect(undo.narrow == undo.full && undo.narrow.tree?["l"] == nil)
    }

    @Test func `a redo puts back all that went with others' edits`() throws {
        var scene = try PrepareTests.Scene([:])
        for number in 0..<20 { try scene.make(.merging(["k\(number)": 1]), "ada") }
        try scene.make(.merging(["b": 1]), "bob")
        let all = OwnUndoRequest(.changes(Array(1...21)), policy: .mine)
        try scene.make(.revert(all), "ada")
        scene.own.effects.drop()
        try others(3, &scene)
        var kept = OwnUndoLookup()
        let redo = both(OwnUndoRequest(.actor("ada"), isRedo: true), scene, &kept)
        #expect(redo.narrow == redo.full && redo.narrow.tree?["k19"] == 1)
    }

    @Test func `an undo that stops at what is in conflict is not taken for the next one`() throws {
        var scene = try PrepareTests.Scene(["q": 0])
        try scene.make(.merging(["q": 1]), "bob")
        try scene.make(.merging(["a": [:]]), "ada")
        try scene.make(.merging(["w": 1]), "ada")
        try others(1_100, &scene)
        try scene.make(.merging(["a": ["x": 1]]), "ada")
        try scene.make(.merging(["a": ["x": 2, "y": 2]]), "bob")
        try scene.make(.revert(OwnUndoRequest(.change(1))), "bob")
        var kept = OwnUndoLookup()
        let undo = both(OwnUndoRequest(.actor("ada")), scene, &kept)
        #expect(undo.narrow == undo.full && undo.narrow.tree?["w"] == nil)
    }
}
