import JSONTree
import SelectiveUndo
import TestSupport
import Testing

/// The laws of rule 12, over random histories of three to five actors. The scene compares every
/// result of the kept line with that of a new line and with the slow model: value, changes in
/// effect, skipped versions, conflicts and their actors.
@Suite struct LawTests {
    static let options = [
        RandomHistory.Options(), .init(hasGroups: true), .init(hasMoves: true),
        .init(hasGroups: true, hasMoves: true),
    ]

    @Test(arguments: options)
    func `12: the value is what the changes in effect make, at every step`(
        options: RandomHistory.Options
    ) throws {
        for seed in Seeds.of(30) {
            do {
                var history = RandomHistory(seed: seed, options)
                try history.run(steps: 40)
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
    }

    @Test(arguments: options)
    func `12d: when everybody has undone everything, the start value is back`(
        options: RandomHistory.Options
    )
        throws
    {
        for seed in Seeds.of(30, from: 1_000) {
            do {
                var history = RandomHistory(seed: seed, options)
                try history.run(steps: 25)
                try history.undoEverything(skips: options.hasGroups)
                let back =
                    history.scene.line.isEmpty || history.scene.tree == history.scene.start
                if !back {
                    Issue.record("seed \(seed): \(history.scene.tree), not \(history.scene.start)")
                }
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }

    @Test func `12b: undo, then redo, restores what is in effect and the value`() throws {
        var count = 0
        for seed in Seeds.of(120, from: 2_000) {
            var history = RandomHistory(
                seed: seed, RandomHistory.Options(hasGroups: seed % 2 == 0))
            try history.run(steps: 20)
            for actor in UndoGenerator.actors {
                let before = history.scene.state
                guard case .success = try history.scene.revert(OwnUndoRequest(.actor(actor)))
                else { continue }
                let redo = OwnUndoRequest(.actor(actor), isRedo: true)
                if try history.scene.returns(to: before, by: redo, seed: seed) { count += 1 }
            }
        }
        #expect(count > Seeds.expected(100))
    }

    @Test func `12c: undoing two changes gives the same value in either order`() throws {
        var count = 0
        for seed in Seeds.of(150, from: 3_000) {
            var history = RandomHistory(seed: seed, RandomHistory.Options())
            try history.run(steps: 20)
            let revisions = history.scene.revisionsInEffect
            guard revisions.count > 1 else { continue }
            for _ in 0..<4 {
                let one = revisions[history.generator.random.below(revisions.count)]
                let other = revisions[history.generator.random.below(revisions.count)]
                guard one != other else { continue }
                var (first, second) = (history.scene, history.scene)
                first.comparesModel = false
                second.comparesModel = false
                func undo(_ revision: Int, _ scene: inout UndoScene) throws -> Bool {
                    if case .success = try scene.revert(OwnUndoRequest(.change(revision))) {
                        true
                    } else {
                        false
                    }
                }
                guard try undo(one, &first), try undo(other, &first), try undo(other, &second),
                    try undo(one, &second)
                else { continue }
                #expect(first.tree == second.tree, "seed \(seed): \(one), \(other)")
                count += 1
            }
        }
        #expect(count > Seeds.expected(150))
    }
}
