import JSONTree
import Naming
import SelectiveUndo
import TestSupport
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// Random edits and undos of several people, and what own undo of something says it does.
enum Narrowed {
    static let actors: [Name] = ["ada", "bob", "cyd"]

    static let value: JSON = [
        "a": 1, "b": ["x": 1, "y": ["z": 2], "0": 3], "c": [1, [2, 3], ["k": 4]],
        "text": "once upon a time there was a long text",
    ]

    /// An edit of some place; now and then of a place around it, or from one to another.
    private static func edit(
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
        let isGrouped = generator.once(in: 8)
        return .append(
            .patch(patch), tag: nil, grouping: isGrouped ? .keyed("run", window: .seconds(9)) : nil)
    }

    private static func typed(_ text: String, _ generator: inout SeededGenerator) -> String {
        var text = text
        let place = text.index(text.startIndex, offsetBy: generator.below(text.count))
        if generator.once(in: 3) {
            text.remove(at: place)
        } else {
            text.insert(contentsOf: "letters\(generator.below(10))", at: place)
        }
        return text
    }

    private static func target(
        _ scene: PrepareTests.Scene, _ generator: inout SeededGenerator
    ) -> OwnUndoRequest.Target {
        let next = scene.document.nextRevision
        return switch generator.below(5) {
        case 0: .change(generator.below(next))
        case 1: .changes(Array(Set((0..<2).map { _ in generator.below(next) })))
        default: .actor(actors[generator.below(3)])
        }
    }

    static func own(
        _ scene: PrepareTests.Scene, _ generator: inout SeededGenerator
    ) -> OwnUndoRequest {
        let policies: [ConflictPolicy] = [.reject, .mine, .theirs]
        return OwnUndoRequest(
            target(scene, &generator), isRedo: generator.once(in: 3),
            policy: policies[generator.below(3)])
    }

    static func action(
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

    struct Told: Equatable {
        var kind: Change.Kind?
        var tree: JSON?
        var error: PreparationError?
    }

    /// The reported effect of an own undo.
    static func told(
        _ request: ChangeRequest, _ scene: PrepareTests.Scene, _ effects: inout OwnUndoLookup,
        longAgo: Int
    ) -> Told {
        var scene = scene
        scene.oldDistance = longAgo
        return told(request, scene.document, scene.context(), &effects)
    }

    /// The same, with what is known.
    static func told(
        _ request: ChangeRequest, _ document: Document, _ context: RequestContext,
        _ effects: inout OwnUndoLookup
    ) -> Told {
        var merging: MergeProgress?
        do throws(PreparationError) {
            let prepared = try document.prepare(request, context, &effects, &merging)
            return Told(kind: prepared.change?.kind, tree: prepared.tree)
        } catch { return Told(error: error) }
    }
}
