import JSONTree
import Journaling
import Naming
import SelectiveUndo
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// Answers about an actor are right, whatever was done since they were found.
@Suite struct OwnUndoLookupTests {
    private static let actors: [Name] = ["ada", "bob", "cyd", "dan"]

    private func edit(_ generator: inout SeededGenerator) -> ChangeRequest.Action {
        .edit(["k\(generator.below(5))": JSON(generator.below(1_000))])
    }

    /// Any action on a history.
    private func action(
        _ scene: PrepareTests.Scene, by actor: Name, _ generator: inout SeededGenerator
    ) -> ChangeRequest.Action {
        switch generator.below(16) {
        case 0: .move(.undo(count: 1 + generator.below(4)))
        case 1: .move(.redo(count: 1))
        case 2: .move(.goTo(.version(generator.below(scene.document.nextRevision))))
        case 3, 4, 5: .revert(OwnUndoRequest(.actor(actor), policy: .mine))
        case 6, 7: .revert(OwnUndoRequest(.actor(actor), isRedo: true, policy: .mine))
        case 8: .revert(OwnUndoRequest(.change(generator.below(scene.document.nextRevision))))
        case 9 where generator.once(in: 4):
            .revertAll(ChangeSelection(label: "run"), also: [], .mine)
        case 9 where generator.once(in: 2):
            // Edits of any actor, as in the undo of a transaction of several actors.
            .revert(
                OwnUndoRequest(
                    .changes(
                        Array(
                            Set((0..<3).map { _ in generator.below(scene.document.nextRevision) }))),
                    isRedo: generator.once(in: 2), policy: .mine))
        case 10 where generator.once(in: 3): .pushScope(lifetime: nil, policy: .pop)
        case 11: .popScope(isForced: true)
        case 12 where generator.once(in: 2):
            .discardScope(isForced: true, isAll: generator.once(in: 2), policy: .mine)
        default: edit(&generator)
        }
    }

    /// The answer of the effect history of the whole line.
    private func slow(_ scene: PrepareTests.Scene, _ actor: Name) throws -> (Bool, Bool) {
        var reader = EffectReader(
            Preparation(scene.document, ChangeRequest(.delete), scene.context()))
        try reader.read(.from(-1), atLeast: 0)
        let line = try reader.effectHistory()
        return (line.hasEdits(of: actor) ?? false, line.hasUndone(by: actor) ?? false)
    }

    private func finds(
        _ scene: PrepareTests.Scene, _ actor: Name, isRedo: Bool, _ effects: inout OwnUndoLookup
    ) throws -> Bool {
        let preparation = Preparation(
            scene.document, ChangeRequest(.delete, actor: actor), scene.context())
        let question = OwnUndoLookup.Question(actor: actor, isRedo: isRedo)
        return try effects.next(question, in: preparation) != []
    }

    @Test(arguments: Seeds.of(24))
    func `12: what is known of an actor is what the whole line says`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var scene = try PrepareTests.Scene(nil)
        scene.document.activity = ActorActivity(block: 4)
        try scene.make(.put([:]))
        // The answer is kept, and later changes update it.
        var kept = OwnUndoLookup()
        for step in 0..<90 {
            if step == 30, seed.isMultiple(of: 2) {
                // As a checkpoint of an older format has it.
                scene.document.activity = ActorActivity(unknownUpTo: scene.document.revision)
                kept = OwnUndoLookup()
            }
            let actor = OwnUndoLookupTests.actors[generator.below(generator.once(in: 5) ? 4 : 2)]
            var request = ChangeRequest(action(scene, by: actor, &generator), actor: actor)
            if generator.once(in: 8) { request.label = "run" }
            let before = scene.document.history.currentID
            guard let change = try? scene.make(request) else { continue }
            kept.follow(change, from: before, to: scene.document)
            for actor in OwnUndoLookupTests.actors {
                let (undo, redo) = try slow(scene, actor)
                for (isRedo, expected) in [(false, undo), (true, redo)] {
                    var fresh = OwnUndoLookup()
                    let found = try finds(scene, actor, isRedo: isRedo, &fresh)
                    #expect(found == expected, "\(actor) \(isRedo) at \(change.revision)")
                    #expect(try finds(scene, actor, isRedo: isRedo, &kept) == expected, "kept")
                }
            }
            let log = RequestLog()
            var noted = RequestLog()
            let stored = try Document(scene.document.checkpoint(log), &noted)
            for actor in OwnUndoLookupTests.actors {
                #expect(
                    stored.activity.end(of: actor) == scene.document.activity.end(of: actor))
            }
        }
    }
}
