import JSONTree
import Naming
import SelectiveUndo
import TestSupport
import Testing
import VersioningKit

@testable import Documents

/// Own undo of what is long ago looks at what has to do with it, and does what it did when it
/// looked at everything.
@Suite struct NarrowingTests {
    private static let actors: [Name] = ["ada", "bob", "cyd"]

    // MARK: A law

    private static let value: JSON = [
        "a": 1, "b": ["x": 1, "y": ["z": 2], "0": 3], "c": [1, [2, 3], ["k": 4]],
        "text": "once upon a time there was a long text",
    ]

    /// An edit of some place; now and then of a place around it, or from one to another.
    private func edit(
        _ tree: JSON, _ generator: inout SeededGenerator
    ) -> ChangeRequest.Action {
        let number = JSON(generator.below(100))
        let places = ["/a", "/b/x", "/b/y/z", "/b/0", "/c/0", "/c/1/0", "/c/2/k", "/b/new", "/d"]
        let place = JSON(places[generator.below(places.count)])
        let other = JSON(places[generator.below(places.count)])
        let patch: JSON =
            switch generator.below(14) {
            case 0: [["op": "add", "path": "/c/0", "value": number]]
            case 1: [["op": "remove", "path": place]]
            case 2: [["op": "move", "from": place, "path": other]]
            case 3: [["op": "replace", "path": "/b", "value": ["x": number, "y": ["z": 0]]]]
            case 4: [["op": "add", "path": "/c", "value": [number, [1], ["k": 1]]]]
            case 5: [["op": "replace", "path": "", "value": tree.mutated(&generator, edits: 2)]]
            case 6, 7:
                [
                    ["op": "add", "path": place, "value": number],
                    ["op": "add", "path": other, "value": number],
                ]
            default: [["op": "add", "path": place, "value": number]]
            }
        if generator.once(in: 4), let text = tree["text"]?.string {
            return .append(
                .mergePatch(["text": JSON(typed(text, &generator))]), tag: nil, grouping: nil)
        }
        guard let patch = try? JSONPatch(patch) else { return .edit(["a": 0]) }
        return .append(.patch(patch), tag: nil, grouping: nil)
    }

    private func typed(_ text: String, _ generator: inout SeededGenerator) -> String {
        var text = text
        let place = text.index(text.startIndex, offsetBy: generator.below(text.count))
        if generator.once(in: 3) {
            text.remove(at: place)
        } else {
            text.insert(contentsOf: "letters\(generator.below(10))", at: place)
        }
        return text
    }

    private func target(
        _ scene: PrepareTests.Scene, _ generator: inout SeededGenerator
    ) -> OwnUndoRequest.Target {
        let next = scene.document.nextRevision
        return switch generator.below(5) {
        case 0: .change(generator.below(next))
        case 1: .changes(Array(Set((0..<2).map { _ in generator.below(next) })))
        default: .actor(NarrowingTests.actors[generator.below(3)])
        }
    }

    private func own(
        _ scene: PrepareTests.Scene, _ generator: inout SeededGenerator
    ) -> OwnUndoRequest {
        let policies: [ConflictPolicy] = [.reject, .mine, .theirs]
        return OwnUndoRequest(
            target(scene, &generator), isRedo: generator.once(in: 3),
            policy: policies[generator.below(3)])
    }

    private func action(
        _ scene: PrepareTests.Scene, _ generator: inout SeededGenerator
    ) -> ChangeRequest.Action {
        switch generator.below(20) {
        case 0: .move(.undo(count: 1 + generator.below(2)))
        case 1: .move(.redo(count: 1))
        case 2, 3, 4, 5: .revert(own(scene, &generator))
        case 6 where generator.once(in: 3): .pushScope(lifetime: nil, policy: .pop)
        case 7 where generator.once(in: 2): .popScope(isForced: true)
        default: edit(scene.document.tree, &generator)
        }
    }

    private struct Told: Equatable {
        var kind: Change.Kind?
        var tree: JSON?
        var error: PreparationError?
    }

    /// What an own undo is said to do.
    private func told(
        _ request: ChangeRequest, _ scene: PrepareTests.Scene, _ effects: inout EffectCache,
        longAgo: Int
    ) -> Told {
        var scene = scene
        scene.longAgo = longAgo
        var merging: Merging?
        do throws(PreparationError) {
            let prepared = try scene.document.prepare(
                request, scene.context(), &effects, &merging)
            return Told(kind: prepared.change?.kind, tree: prepared.tree)
        } catch { return Told(error: error) }
    }

    @Test(arguments: 0..<40)
    func `12: what is left out has nothing to do with what is undone`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var scene = try PrepareTests.Scene(nil)
        try scene.make(.put(NarrowingTests.value), "ada")
        scene.document.latestWork = LatestWork(block: 4)
        var kept = EffectCache()
        var narrow = 0
        for _ in 0..<70 {
            let actor = NarrowingTests.actors[generator.below(generator.once(in: 4) ? 3 : 1)]
            let before = scene.document.history.currentID
            let request = ChangeRequest(action(scene, &generator), actor: actor)
            guard let change = try? scene.make(request) else { continue }
            kept.advance(by: change, from: before, to: scene.document)
            for _ in 0..<4 {
                let own = own(scene, &generator)
                let asked = ChangeRequest(.revert(own), actor: "ada")
                var full = EffectCache()
                let expected = told(asked, scene, &full, longAgo: .max)
                var fresh = EffectCache()
                let found = told(asked, scene, &fresh, longAgo: 0)
                narrow += fresh.isNarrow ? 1 : 0
                #expect(found == expected, "\(own) at \(change.revision)")
                let again = told(asked, scene, &kept, longAgo: 0)
                kept.cancel()
                #expect(again == expected, "kept: \(own) at \(change.revision)")
            }
        }
        #expect(narrow > 0)
    }

    // MARK: Cases

    private func merge(_ value: JSON) -> ChangeRequest.Action {
        .append(.mergePatch(value), tag: nil, grouping: nil)
    }

    /// What an own undo does with a line of what has to do with it, and with all.
    private func both(
        _ request: OwnUndoRequest, _ scene: PrepareTests.Scene, _ kept: inout EffectCache
    ) -> (narrow: Told, full: Told) {
        let asked = ChangeRequest(.revert(request), actor: "ada")
        var all = EffectCache()
        let narrow = told(asked, scene, &kept, longAgo: 0)
        kept.cancel()
        return (narrow, told(asked, scene, &all, longAgo: .max))
    }

    @Test func `what others do elsewhere takes no memory`() throws {
        var scene = try PrepareTests.Scene(["a": 1, "b": 0])
        for number in 2...4 { try scene.make(merge(["a": JSON(number)]), "ada") }
        for number in 1...500 { try scene.make(merge(["b": JSON(number)]), "bob") }
        var kept = EffectCache()
        let told = both(OwnUndoRequest(.actor("ada")), scene, &kept)
        #expect(told.narrow == told.full && told.narrow.tree == ["a": 3, "b": 500])
        #expect(kept.isNarrow && kept.weight < 5_000, "\(kept.weight)")
        // What others do in the same place has to do with it.
        for number in 1...500 { try scene.make(merge(["a": JSON(-number)]), "bob") }
        kept = EffectCache()
        _ = both(OwnUndoRequest(.change(2), policy: .mine), scene, &kept)
        #expect(kept.isNarrow && kept.weight > 50_000)
    }

    @Test func `who goes back that far goes on without reading`() throws {
        var scene = try PrepareTests.Scene(["a": 0, "b": 0])
        scene.longAgo = 8
        for number in 1...6 { try scene.make(merge(["a": JSON(number)]), "ada") }
        for number in 1...20 { try scene.make(merge(["b": JSON(number)]), "bob") }
        try scene.make(.revert(OwnUndoRequest(.actor("ada"))), "ada")
        // From now on nothing old is at hand.
        for number in (0...4).reversed() {
            let undo = ChangeRequest(.revert(OwnUndoRequest(.actor("ada"))), actor: "ada")
            let prepared = try scene.prepare(undo, [])
            #expect(prepared.tree["a"] == JSON(number))
            try scene.adopt(prepared)
            try scene.make(merge(["b": JSON(-number)]), "bob")
        }
        #expect(scene.document.tree == ["a": 0, "b": 0])
    }

    @Test func `a redo puts back the newest undo, wherever that was`() throws {
        var scene = try PrepareTests.Scene(["a": 0, "d": 0])
        try scene.make(merge(["a": 1]), "ada")
        try scene.make(merge(["a": 2]), "ada")
        try scene.make(merge(["d": 3]), "ada")
        try scene.make(.revert(OwnUndoRequest(.change(1))), "ada")
        try scene.make(.revert(OwnUndoRequest(.change(3))), "ada")
        // The line of what the next undo takes knows nothing of the last one.
        var kept = EffectCache()
        let undo = both(OwnUndoRequest(.actor("ada")), scene, &kept)
        #expect(undo.narrow == undo.full && kept.isNarrow)
        let redo = both(OwnUndoRequest(.actor("ada"), isRedo: true), scene, &kept)
        #expect(redo.narrow == redo.full && redo.narrow.tree == ["a": 2, "d": 3])
    }

    @Test func `a scope that was popped is undone as one, in however many places`() throws {
        var scene = try PrepareTests.Scene([:])
        try scene.make(.pushScope(lifetime: nil, policy: .pop), "ada")
        for place in 0..<20 { try scene.make(merge(["k\(place)": 1]), "ada") }
        try scene.make(.popScope(isForced: false), "ada")
        for number in 1...5 { try scene.make(merge(["b": JSON(number)]), "bob") }
        var kept = EffectCache()
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
        try scene.make(merge(["b": 1]), "bob")
        var kept = EffectCache()
        let told = both(OwnUndoRequest(.actor("ada")), scene, &kept)
        #expect(told.narrow == told.full && kept.isNarrow)
        guard case .refused(.conflicts)? = told.narrow.error else {
            Issue.record("bob has edited what ada put in")
            return
        }
    }

    @Test func `a line of one change says nothing of others`() throws {
        var scene = try PrepareTests.Scene(["a": ["k": 0], "d": 0])
        try scene.make(merge(["a": ["x": ["y": 0]]]), "ada")
        try scene.make(merge(["a": ["x": ["y": 1]]]), "bob")
        try scene.make(merge(["d": 3]), "ada")
        var kept = EffectCache()
        let one = both(OwnUndoRequest(.change(1)), scene, &kept)
        #expect(one.narrow == one.full && one.narrow.error != nil && kept.isNarrow)
        let next = both(OwnUndoRequest(.actor("ada")), scene, &kept)
        #expect(next.narrow == next.full && next.narrow.tree?["d"] == 0)
    }

    // What is left out although it is the actor's own: more than is looked at stands in between.

    private func others(_ count: Int, _ scene: inout PrepareTests.Scene) throws {
        for number in 0..<count { try scene.make(merge(["b": JSON(number)]), "bob") }
    }

    @Test func `a scope that is popped later is undone as one, with what was left out`() throws {
        var scene = try PrepareTests.Scene(["q": 0])
        try scene.make(merge(["q": 1]), "bob")
        try scene.make(.pushScope(lifetime: nil, policy: .pop), "ada")
        try scene.make(merge(["l": 1]), "ada")
        try others(1_100, &scene)
        try scene.make(merge(["t": 1]), "ada")
        // The line must begin before the scope.
        try scene.make(.revert(OwnUndoRequest(.change(1))), "bob")
        scene.effects.drop()
        scene.longAgo = 0
        try scene.make(.revert(OwnUndoRequest(.actor("ada"))), "ada")
        #expect(scene.effects.isNarrow)
        try scene.make(.revert(OwnUndoRequest(.actor("ada"), isRedo: true)), "ada")
        try scene.make(.popScope(isForced: false), "ada")
        let undo = both(OwnUndoRequest(.actor("ada")), scene, &scene.effects)
        #expect(undo.narrow == undo.full && undo.narrow.tree?["l"] == nil)
    }

    @Test func `a redo puts back all that went with others' edits`() throws {
        var scene = try PrepareTests.Scene([:])
        for number in 0..<20 { try scene.make(merge(["k\(number)": 1]), "ada") }
        try scene.make(merge(["b": 1]), "bob")
        let all = OwnUndoRequest(.changes(Array(1...21)), policy: .mine)
        try scene.make(.revert(all), "ada")
        scene.effects.drop()
        try others(3, &scene)
        var kept = EffectCache()
        let redo = both(OwnUndoRequest(.actor("ada"), isRedo: true), scene, &kept)
        #expect(redo.narrow == redo.full && redo.narrow.tree?["k19"] == 1)
    }

    @Test func `an undo that stops at what is in conflict is not taken for the next one`() throws {
        var scene = try PrepareTests.Scene(["q": 0])
        try scene.make(merge(["q": 1]), "bob")
        try scene.make(merge(["a": [:]]), "ada")
        try scene.make(merge(["w": 1]), "ada")
        try others(1_100, &scene)
        try scene.make(merge(["a": ["x": 1]]), "ada")
        try scene.make(merge(["a": ["x": 2, "y": 2]]), "bob")
        try scene.make(.revert(OwnUndoRequest(.change(1))), "bob")
        var kept = EffectCache()
        let undo = both(OwnUndoRequest(.actor("ada")), scene, &kept)
        #expect(undo.narrow == undo.full && undo.narrow.tree?["w"] == nil)
    }
}
