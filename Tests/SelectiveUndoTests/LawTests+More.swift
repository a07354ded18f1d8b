import Naming
import JSONTree
import SelectiveUndo
import TestSupport
import Testing

/// Guarantees for a person: others' edits do not matter, nothing is lost, an undo is never stuck.
extension LawTests {
    /// Each of four actors has a field, a word in one text, and elements in one array.
    @Test func `12a: people who edit disjoint places undo and redo as if each were alone`() throws {
        for seed in Seeds.of(60, from: 4_000) {
            var random = SeededGenerator(seed: seed)
            var together = DisjointHistory(actors: 4)
            var alone = (0..<4).map { _ in DisjointHistory(actors: 4) }
            for _ in 0..<50 {
                let actor = random.below(4)
                var twin = random
                try together.step(actor, &random)
                try alone[actor].step(actor, &twin)
                for other in 0..<4 {
                    #expect(
                        together.parts(of: other) == alone[other].parts(of: other),
                        "seed \(seed), actor \(other): \(together.scene.tree)")
                }
            }
        }
    }

    @Test func `12e: characters keep their order through all undo and redo`() throws {
        for seed in Seeds.of(60, from: 5_000) {
            var random = SeededGenerator(seed: seed)
            var scene = UndoScene(["t": ""])
            var order: [Character: Set<Character>] = [:]
            var letters = (0..<200).compactMap { Unicode.Scalar(0x4e00 + $0).map(Character.init) }
            let t = try #require(JSONPointer(parsing: "/t"))
            for _ in 0..<60 {
                let actor = UndoGenerator.actors[random.below(3)]
                let count = scene.tree["t"]?.string?.count ?? 0
                switch random.below(6) {
                case 0...2:
                    let text = String(
                        (0..<(1 + random.below(3))).compactMap { _ in letters.popLast() })
                    let at = random.below(count + 1)
                    try scene.edit(by: actor, JSONPatch([.insertText(t, at: at, text)]))
                case 3 where count > 0:
                    let at = random.below(count)
                    let length = 1 + random.below(min(4, count - at))
                    try scene.edit(by: actor, JSONPatch([.deleteText(t, at: at, count: length)]))
                default:
                    let isRedo = random.once(in: 3)
                    _ = try scene.revert(OwnUndoRequest(.actor(actor), isRedo: isRedo))
                }
                let text = Array(scene.tree["t"]?.string ?? "")
                for (index, letter) in text.enumerated() {
                    let later = text[(index + 1)...]
                    #expect(
                        !later.contains { order[$0]?.contains(letter) ?? false }, "seed \(seed)")
                    order[letter, default: []].formUnion(later)
                }
            }
        }
    }

    @Test func `12f: an undo that is available changes what is in effect, and it ends`() throws {
        for seed in Seeds.of(60, from: 6_000) {
            var history = RandomHistory(seed: seed, RandomHistory.Options(hasGroups: true))
            try history.run(steps: 25)
            for actor in UndoGenerator.actors {
                for press in 0...60 {
                    let before = (history.scene.tree, history.scene.revisionsInEffect)
                    let request = OwnUndoRequest(.actor(actor))
                    switch try history.scene.revert(request) {
                    case .success(let undo):
                        #expect(history.scene.revisionsInEffect != before.1)
                        let isVisible = history.scene.tree != before.0
                        #expect(
                            isVisible == !undo.reversal.visible.isEmpty, "or all of it was passed")
                        #expect(press < 60, "it ends")
                        continue
                    case .failure:
                        #expect(history.scene.tree == before.0)
                        #expect(history.scene.revisionsInEffect == before.1)
                    }
                    break
                }
            }
        }
    }

    /// The model lists all visible things before and after; the scene compares conflicts with it.
    @Test func `12g: without force nothing is lost that others did later, and a conflict is real`()
        throws
    {
        var conflicts = 0
        for seed in Seeds.of(240, from: 7_000) {
            var history = RandomHistory(seed: seed, RandomHistory.Options())
            try history.run(steps: 25)
            for actor in UndoGenerator.actors {
                guard
                    case .failure(.conflicts(let found)) = try history.scene.revert(
                        OwnUndoRequest(.actor(actor)))
                else { continue }
                conflicts += 1
                #expect(found.allSatisfy { !$0.places.isEmpty && !$0.with.isEmpty })
                for conflict in found {
                    #expect(conflict.with.allSatisfy { $0 > conflict.change }, "later work")
                    for place in conflict.places {
                        #expect(history.scene.tree[place] != nil, "a place that there is")
                    }
                }
            }
        }
        #expect(conflicts > Seeds.expected(40))
    }

    @Test(arguments: LawTests.options)
    func `12b: what was undone is redone in the reverse order, whatever was undone in between`(
        options: RandomHistory.Options
    ) throws {
        var count = 0
        for seed in Seeds.of(30, from: 11_000) {
            var history = RandomHistory(seed: seed, options)
            try history.run(steps: 25)
            var undone: [(actor: Name, tree: JSON, inEffect: [Int])] = []
            for _ in 0..<60 {
                let actor = UndoGenerator.actors[history.generator.random.below(4)]
                let before = (history.scene.tree, history.scene.revisionsInEffect)
                guard case .success = try history.scene.revert(OwnUndoRequest(.actor(actor)))
                else { continue }
                undone.append((actor, before.0, before.1))
            }
            for step in undone.reversed() {
                let request = OwnUndoRequest(.actor(step.actor), isRedo: true)
                let redo = try history.scene.revert(request)
                guard case .success = redo else {
                    Issue.record("seed \(seed): refused \(step.actor): \(redo)")
                    break
                }
                #expect(history.scene.tree == step.tree, "seed \(seed)")
                #expect(history.scene.revisionsInEffect == step.inEffect, "seed \(seed)")
                count += 1
            }
        }
        #expect(count > Seeds.expected(100))
    }

    @Test func `12h: undo of an undo by its revision is a redo, of a redo an undo`() throws {
        var count = 0
        for seed in Seeds.of(80, from: 8_000) {
            var history = RandomHistory(seed: seed, RandomHistory.Options())
            try history.run(steps: 20)
            for actor in UndoGenerator.actors {
                let before = (history.scene.tree, history.scene.revisionsInEffect)
                guard case .success = try history.scene.revert(OwnUndoRequest(.actor(actor)))
                else { continue }
                let undone = history.scene.tree
                let undo = OwnUndoRequest(.change(history.scene.revision))
                guard case .success(let redo) = try history.scene.revert(undo) else {
                    Issue.record("seed \(seed): an undo cannot be undone")
                    continue
                }
                #expect(redo.reversal.off.isEmpty && history.scene.tree == before.0)
                #expect(history.scene.revisionsInEffect == before.1)
                let again = OwnUndoRequest(.change(history.scene.revision))
                guard case .success = try history.scene.revert(again) else { continue }
                #expect(history.scene.tree == undone)
                count += 1
            }
        }
        #expect(count > Seeds.expected(100))
    }

    @Test func `a line from any change on answers as the whole line does, or says it needs more`()
        throws
    {
        var (same, needed) = (0, 0)
        for seed in Seeds.of(60, from: 9_000) {
            var history = RandomHistory(
                seed: seed, RandomHistory.Options(hasGroups: true, hasMoves: true))
            try history.run(steps: 30)
            let tree = history.scene.tree
            for start in [5, 12, 20] {
                // A reversion in the window may name older changes: then it begins there.
                let first = history.scene.windowStart(from: start)
                for actor in UndoGenerator.actors {
                    var whole = try history.scene.rebuilt()
                    var window = try history.scene.rebuilt(from: first)
                    let request = OwnUndoRequest(.actor(actor))
                    let expected = Result { () throws(OwnUndoError) in
                        try whole.revert(request, on: tree)
                    }
                    let found = Result { () throws(OwnUndoError) in
                        try window.revert(request, on: tree)
                    }
                    if case .failure(.needsOlder) = found {
                        needed += 1
                    } else {
                        // Edits that do not touch may come in another order.
                        #expect(
                            unordered(found) == unordered(expected),
                            "seed \(seed) from \(first), \(actor)")
                        same += 1
                    }
                }
            }
        }
        #expect(same > Seeds.expected(100) && needed > Seeds.expected(20))
    }
}

private func unordered(
    _ result: Result<OwnUndo, OwnUndoError>
) -> Result<OwnUndo, OwnUndoError> {
    result.map { undo in
        var undo = undo
        undo.patch = .empty
        return undo
    }
}

/// People who keep to their own places.
private struct DisjointHistory {
    var scene: UndoScene
    private let count: Int
    private var next = 0
    private var lengths: [Int]

    init(actors: Int) {
        count = actors
        lengths = Array(repeating: 2, count: actors)
        let fields = (0..<actors).map { ("f\($0)", JSON(0)) }
        let words = (0..<actors).map { "<\($0)>" }.joined(separator: " ")
        let elements = (0..<actors).map { JSON(members: [("own", JSON($0))]) }
        scene = UndoScene(
            JSON(members: fields + [("t", JSON(words)), ("l", JSON(elements: elements))]))
    }

    /// The own things that one actor sees: the field, the word, the elements.
    func parts(of actor: Int) -> [JSON] {
        let text = scene.tree["t"]?.string ?? ""
        let start = text.range(of: "<\(actor)").map(\.upperBound) ?? text.startIndex
        let word = text[start...].prefix { $0 != ">" }
        let own = (scene.tree["l"]?.elements ?? []).filter { $0["own"] == JSON(actor) }
        return [scene.tree["f\(actor)"] ?? .null, JSON(String(word)), JSON(elements: own)]
    }

    mutating func step(_ actor: Int, _ random: inout SeededGenerator) throws {
        next += 1
        let name = UndoGenerator.actors[actor]
        let kind = random.below(8)
        let value = JSON(random.below(1_000_000))
        switch kind {
        case 0, 1: try edit(name, [.replace(pointer("f\(actor)"), value)])
        case 2, 3: try type(actor, name, "\(random.below(90) + 10)")
        case 4: try add(actor, name, value)
        case 5: _ = try scene.revert(OwnUndoRequest(.actor(name), isRedo: true))
        default: _ = try scene.revert(OwnUndoRequest(.actor(name)))
        }
    }

    private func pointer(_ names: String...) -> JSONPointer { JSONPointer(names: names) }

    private mutating func edit(_ name: Name, _ operations: [JSONOperation]) throws {
        try scene.edit(by: name, JSONPatch(operations))
    }

    /// At the end of the actor's word.
    private mutating func type(_ actor: Int, _ name: Name, _ text: String) throws {
        let whole = scene.tree["t"]?.string ?? ""
        guard let start = whole.range(of: "<\(actor)")?.upperBound,
            let end = whole[start...].firstIndex(of: ">")
        else { return }
        let position = whole.utf16.distance(from: whole.startIndex, to: end)
        try edit(name, [.insertText(pointer("t"), at: position, text)])
    }

    /// Behind the last element of the actor.
    private mutating func add(_ actor: Int, _ name: Name, _ value: JSON) throws {
        let elements = scene.tree["l"]?.elements ?? []
        let last = elements.lastIndex { $0["own"] == JSON(actor) } ?? -1
        let element = JSON(members: [("own", JSON(actor)), ("v", value)])
        try edit(name, [.add(pointer("l", "\(last + 1)"), element)])
    }
}
