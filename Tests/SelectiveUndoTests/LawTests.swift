import JSONTree
import SelectiveUndo
import TestSupport
import Testing

/// The laws of rule 12, over random histories of three to five actors. The scene compares every
/// answer of the kept line with that of a line made anew and with the slow model: value, what is in
/// effect, what was passed, what is in conflict with whom.
@Suite struct LawTests {
    struct Options: Sendable, CustomTestStringConvertible {
        var seeds = 0..<60
        var hasGroups = false
        var hasMoves = false
        var testDescription: String { "groups: \(hasGroups), shared undo: \(hasMoves)" }
    }

    static let options = [
        Options(), Options(seeds: 100..<160, hasGroups: true),
        Options(seeds: 200..<260, hasMoves: true),
        Options(seeds: 300..<360, hasGroups: true, hasMoves: true),
    ]

    @Test(arguments: options)
    func `12: the value is what the changes in effect make, at every step`(options: Options) throws
    {
        for seed in options.seeds {
            do {
                var history = RandomHistory(seed: UInt64(seed), options)
                try history.run(steps: 40)
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
    }

    @Test(arguments: options)
    func `12d: when everybody has undone everything, the start value is back`(options: Options)
        throws
    {
        for seed in options.seeds {
            do {
                var history = RandomHistory(seed: UInt64(seed) + 1000, options)
                try history.run(steps: 25)
                try history.undoEverything(skips: options.hasGroups)
                let back =
                    try history.scene.line.isEmpty || history.scene.tree == history.scene.start
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
        for seed in 0..<120 {
            var history = RandomHistory(
                seed: UInt64(seed) + 2000, Options(hasGroups: seed % 2 == 0))
            try history.run(steps: 20)
            for actor in UndoGenerator.actors {
                let before = (history.scene.tree, history.scene.revisionsInEffect)
                guard case .success = try history.scene.revert(OwnUndoRequest(.actor(actor)))
                else { continue }
                let redo = try history.scene.revert(OwnUndoRequest(.actor(actor), isRedo: true))
                guard case .success = redo else {
                    Issue.record("seed \(seed): redo at once is refused: \(redo)")
                    continue
                }
                #expect(history.scene.tree == before.0, "seed \(seed)")
                #expect(history.scene.revisionsInEffect == before.1, "seed \(seed)")
                count += 1
            }
        }
        #expect(count > 100)
    }

    @Test func `12c: undoing two changes gives the same value in either order`() throws {
        var count = 0
        for seed in 0..<150 {
            var history = RandomHistory(seed: UInt64(seed) + 3000, Options())
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
        #expect(count > 150)
    }
}

/// A history that makes itself.
struct RandomHistory {
    var scene: UndoScene
    var generator: UndoGenerator
    private var groups: [String: Int] = [:]
    private let options: LawTests.Options

    init(seed: UInt64, _ options: LawTests.Options) {
        generator = UndoGenerator(SeededGenerator(seed: seed))
        scene = UndoScene(generator.start())
        self.options = options
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps { try step() }
    }

    private mutating func step() throws {
        let actor = UndoGenerator.actors[generator.random.below(4)]
        switch generator.random.below(20) {
        case 0...10: try edit(actor)
        case 11...13: _ = try scene.revert(OwnUndoRequest(.actor(actor), policy: policy()))
        case 14, 15:
            _ = try scene.revert(OwnUndoRequest(.actor(actor), isRedo: true, policy: policy()))
        case 16:
            let revision = 1 + generator.random.below(max(1, scene.revision))
            _ = try scene.revert(
                OwnUndoRequest(.change(revision), isRedo: generator.random.once(in: 2)))
        case 17 where options.hasMoves: _ = try move(.undo)
        case 18 where options.hasMoves: _ = try move(.redo)
        case 19 where options.hasMoves:
            _ = try move(.goTo(generator.random.below(scene.revision + 1)))
        default: try edit(actor)
        }
    }

    private mutating func move(_ move: UndoScene.Move) throws -> Bool {
        groups = [:]
        return try scene.move(move)
    }

    private mutating func policy() -> OwnUndoRequest.Policy {
        switch generator.random.below(6) {
        case 0: .force
        case 1: .skip
        default: .refuse
        }
    }

    private mutating func edit(_ actor: String) throws {
        guard let patch = generator.patch(on: scene.tree) else { return }
        let joins = options.hasGroups && generator.random.once(in: 2)
        let group = joins ? groups[actor] : nil
        let revision = try scene.edit(by: actor, group: group, patch)
        if let revision { groups[actor] = group ?? revision }
    }

    /// Everybody undoes until nothing is left.
    mutating func undoEverything(skips: Bool) throws {
        let policy: OwnUndoRequest.Policy = skips ? .skip : .refuse
        for _ in 0..<200 {
            var hasMoved = false
            for actor in UndoGenerator.actors {
                let request = OwnUndoRequest(.actor(actor), policy: policy)
                if case .success = try scene.revert(request) { hasMoved = true }
            }
            if !hasMoved { return }
        }
    }
}
