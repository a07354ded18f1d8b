import JSONTree
import Naming
import SelectiveUndo
import TestSupport
import Testing

/// The laws of rule 18, over random histories: many changes at once against the same one by one.
@Suite struct SelectionLawTests {
    /// Chooses from the changes in effect, the newest first, as a user would: of one actor, or
    /// since a revision.
    private func chosen(_ history: inout RandomHistory) -> [Int] {
        let inEffect = Set(history.scene.revisionsInEffect)
        let edits = history.scene.line.filter { inEffect.contains($0.revision) }.reversed()
        if history.generator.random.once(in: 2) {
            let actor = UndoGenerator.actors[history.generator.random.below(4)]
            return edits.filter { $0.actor == actor }.map(\.revision)
        }
        let since = history.generator.random.below(history.scene.revision + 1)
        return edits.map(\.revision).filter { $0 > since }
    }

    /// The same, one change after the other, the newest first; `nil` if one is refused.
    private func oneByOne(_ revisions: [Int], _ scene: UndoScene) throws -> UndoScene? {
        var scene = scene
        for revision in revisions {
            guard case .success = try scene.revert(OwnUndoRequest(.change(revision))) else {
                return nil
            }
        }
        return scene
    }

    @Test(arguments: LawTests.options)
    func `18: a selection gives what the same changes give one by one, and a redo puts all back`(
        options: RandomHistory.Options
    ) throws {
        var (equal, refused) = (0, 0)
        for seed in Seeds.of(75, from: 18_000) {
            var history = RandomHistory(seed: seed, options)
            try history.run(steps: 30)
            let revisions = chosen(&history)
            if revisions.isEmpty { continue }
            var scene = history.scene
            let before = (scene.tree, scene.revisionsInEffect)
            let single = try oneByOne(revisions, scene)
            switch try scene.discard(revisions, by: .nobody) {
            case .failure:
                #expect(single == nil, "seed \(seed): one by one it is not refused")
                #expect(scene.tree == before.0 && scene.revisionsInEffect == before.1)
                refused += 1
            case .success:
                if let single {
                    #expect(scene.tree == single.tree, "seed \(seed)")
                    #expect(scene.revisionsInEffect == single.revisionsInEffect, "seed \(seed)")
                    equal += 1
                }
                let back = OwnUndoRequest(.change(scene.revision))
                _ = try scene.returns(to: before, by: back, seed: seed)
            }
        }
        #expect(
            equal > Seeds.expected(40) && refused > Seeds.expected(1),
            "\(equal) equal, \(refused) refused")
    }
}
