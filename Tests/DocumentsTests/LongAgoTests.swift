import JSONTree
import Journaling
import Naming
import SelectiveUndo
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// Who has not worked lately is told at once, and told the truth.
@Suite struct LongAgoTests {
    private static let actors: [Name] = ["ada", "bob", "cyd", "dan"]

    private func edit(_ generator: inout SeededGenerator) -> ChangeRequest.Action {
        .edit(["k\(generator.below(5))": JSON(generator.below(1_000))])
    }

    /// Whatever can be done to a history.
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
            // Edits of whomever, as a transaction of several people's is taken back.
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

    /// What the effect history of the whole line says.
    private func slow(_ scene: PrepareTests.Scene, _ actor: Name) throws -> (Bool, Bool) {
        var reader = EffectReader(
            Preparation(scene.document, ChangeRequest(.delete), scene.context()))
        try reader.read(.from(-1), atLeast: 0)
        let line = try reader.line()
        return (line.hasEdits(of: actor) ?? false, line.hasUndone(by: actor) ?? false)
    }

    private func finds(
        _ scene: PrepareTests.Scene, _ actor: Name, isRedo: Bool, _ effects: inout EffectCache
    ) throws -> Bool {
        let preparation = Preparation(
            scene.document, ChangeRequest(.delete, actor: actor), scene.context())
        do throws(PreparationError) {
            _ = try preparation.known(OwnUndoRequest(.actor(actor), isRedo: isRedo), &effects)
            return true
        } catch {
            guard case .refused(.nothingOwn) = error else { throw error }
            return false
        }
    }

    @Test(arguments: Seeds.of(24))
    func `12: what is known of an actor is what the whole line says`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var scene = try PrepareTests.Scene(nil)
        scene.document.latestWork = LatestWork(block: 4)
        try scene.make(.put([:]))
        // What was found out is kept, and what is done since makes it another.
        var kept = EffectCache()
        for step in 0..<90 {
            if step == 30, seed.isMultiple(of: 2) {
                // As a checkpoint of an older format has it.
                scene.document.latestWork = LatestWork(unknownUpTo: scene.document.revision)
                kept = EffectCache()
            }
            let actor = LongAgoTests.actors[generator.below(generator.once(in: 5) ? 4 : 2)]
            var request = ChangeRequest(action(scene, by: actor, &generator), actor: actor)
            if generator.once(in: 8) { request.label = "run" }
            let before = scene.document.history.currentID
            guard let change = try? scene.make(request) else { continue }
            kept.longAgo.advance(by: change, from: before, scene.document.latestWork)
            for actor in LongAgoTests.actors {
                let (undo, redo) = try slow(scene, actor)
                for (isRedo, expected) in [(false, undo), (true, redo)] {
                    var fresh = EffectCache()
                    let found = try finds(scene, actor, isRedo: isRedo, &fresh)
                    #expect(found == expected, "\(actor) \(isRedo) at \(change.revision)")
                    #expect(try finds(scene, actor, isRedo: isRedo, &kept) == expected, "kept")
                }
            }
            let log = RequestLog()
            var noted = RequestLog()
            let stored = try Document(scene.document.checkpoint(log), &noted)
            for actor in LongAgoTests.actors {
                #expect(
                    stored.latestWork.end(of: actor) == scene.document.latestWork.end(of: actor))
            }
        }
    }
}
