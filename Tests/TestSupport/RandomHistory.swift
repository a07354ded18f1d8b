import JSONTree
import Naming
import SelectiveUndo

/// A history that makes itself.
public struct RandomHistory {
    /// The further events in it besides edits and own undo.
    public struct Options: Sendable {
        public var hasGroups: Bool
        public var hasMoves: Bool

        public init(hasGroups: Bool = false, hasMoves: Bool = false) {
            self.hasGroups = hasGroups
            self.hasMoves = hasMoves
        }
    }

    public var scene: UndoScene
    public var generator: UndoGenerator
    private var groups: [Name: Int] = [:]
    private let options: Options

    public init(seed: UInt64, _ options: Options) {
        generator = UndoGenerator(SeededGenerator(seed: seed))
        scene = UndoScene(generator.start())
        self.options = options
    }

    public mutating func run(steps: Int) throws {
        for _ in 0..<steps { try step() }
    }

    private mutating func step() throws {
        let actor = UndoGenerator.actors[generator.random.below(4)]
        switch generator.random.below(20) {
        case 0...9: try edit(actor)
        case 10: try editOld(actor)
        case 11...13: _ = try scene.revert(OwnUndoRequest(.actor(actor), policy: policy()))
        case 14, 15:
            _ = try scene.revert(OwnUndoRequest(.actor(actor), isRedo: true, policy: policy()))
        case 16:
            let revision = 1 + generator.random.below(max(1, scene.revision))
            _ = try scene.revert(
                OwnUndoRequest(.change(revision), isRedo: generator.random.once(in: 2)))
        case 17 where generator.random.once(in: 2): try discard(actor)
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

    /// Takes some of an actor's changes back and puts others again, as a discarded scope does.
    private mutating func discard(_ actor: Name) throws {
        let own = scene.line.filter { $0.actor == actor }.map(\.revision)
        let inEffect = Set(scene.revisionsInEffect)
        let chosen = own.filter { _ in generator.random.once(in: 3) }
        _ = try scene.discard(
            chosen.filter(inEffect.contains), on: chosen.filter { !inEffect.contains($0) },
            by: actor)
    }

    private mutating func policy() -> ConflictPolicy {
        switch generator.random.below(6) {
        case 0: .mine
        case 1: .theirs
        default: .reject
        }
    }

    /// An edit of a state some changes ago; it wins where others changed the same.
    private mutating func editOld(_ actor: Name) throws {
        let base = scene.revision - generator.random.below(6)
        guard let state = scene.state(at: base), let patch = generator.patch(on: state) else {
            return try edit(actor)
        }
        try scene.edit(by: actor, on: base, patch)
    }

    private mutating func edit(_ actor: Name) throws {
        guard let patch = generator.patch(on: scene.tree) else { return }
        let joins = options.hasGroups && generator.random.once(in: 2)
        let group = joins ? groups[actor] : nil
        let revision = try scene.edit(by: actor, group: group, patch)
        if let revision { groups[actor] = group ?? revision }
    }

    /// All actors undo until nothing is left.
    public mutating func undoEverything(skips: Bool) throws {
        let policy: ConflictPolicy = skips ? .theirs : .reject
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
