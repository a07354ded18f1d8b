import JSONTree
import Naming
import TestSupport
import Testing

@testable import SelectiveUndo

/// A move onto an existing member affects its value as a replacement would.
@Suite struct OverwritingMoveTests {
    /// The same history twice: a value is moved onto a member, or put there and removed where it was.
    private struct Twins {
        var moved: UndoScene
        var replaced: UndoScene

        init(_ start: JSON) {
            (moved, replaced) = (UndoScene(start), UndoScene(start))
            moved.comparesModel = false
            replaced.comparesModel = false
        }

        mutating func edit(_ actor: Name, _ patch: JSONPatch) throws {
            try moved.edit(by: actor, patch)
            try replaced.edit(by: actor, patch)
        }

        mutating func overwrite(_ actor: Name, from: JSONPointer, to: JSONPointer) throws {
            let value = try #require(moved.tree[from])
            try moved.edit(by: actor, JSONPatch([.move(from: from, to: to)]))
            try replaced.edit(by: actor, JSONPatch([.replace(to, value), .remove(from)]))
        }

        /// Whether both answer alike, and show the same.
        mutating func revert(_ request: OwnUndoRequest) throws -> Bool {
            let one = try moved.revert(request).map(\.reversal)
            let other = try replaced.revert(request).map(\.reversal)
            return one == other && moved.tree == replaced.tree
        }
    }

    /// Edits of the moved value are left out: there it stays the same, and a copy does not.
    @Test func `O6: own undo past a move onto a member is that past a replacement`() throws {
        var generator = SeededGenerator(seed: 6)
        var count = 0
        for round in 0..<400 {
            var twins = Twins(
                ["a": 1, "b": ["x": 2], "c": [3], "s0": "s0", "s1": ["s1"], "s2": ["s": 2]])
            var sources = ["s0", "s1", "s2"]
            var value = 10
            for _ in 0..<24 {
                let names = (twins.moved.tree.members ?? []).map(\.name)
                let known = names.filter { ["a", "b", "c", "d"].contains($0) }
                let name = ["a", "b", "c", "d"][generator.below(4)]
                let actor = UndoGenerator.actors[generator.below(3)]
                let isTaken =
                    twins.moved.tree.members?.first { $0.name == name }
                    .map { "\($0.value)".contains("s") } ?? false
                value += 1
                switch generator.below(8) {
                case 0 where known.contains(name) && !sources.isEmpty:
                    count += 1
                    let source = sources.removeFirst()
                    try twins.overwrite(
                        "eve", from: JSONPointer(names: [source]), to: JSONPointer(names: [name]))
                case 1 where known.contains(name) && !isTaken:
                    try twins.edit(actor, JSONPatch([.remove(JSONPointer(names: [name]))]))
                case 2 where known.contains(name) && !isTaken:
                    let from = JSONPointer(names: [name])
                    guard let to = ["a", "b", "c", "d"].first(where: { !known.contains($0) })
                    else { continue }
                    try twins.edit(
                        actor, JSONPatch([.move(from: from, to: JSONPointer(names: [to]))]))
                case 3, 4:
                    try twins.edit(
                        actor, JSONPatch([.add(JSONPointer(names: [name]), JSON(value))]))
                default:
                    let request = OwnUndoRequest(
                        .actor(UndoGenerator.actors[generator.below(5)]),
                        isRedo: generator.once(in: 3), policy: .mine)
                    guard try twins.revert(request) else {
                        Issue.record(
                            "round \(round): \(twins.moved.tree), not \(twins.replaced.tree)")
                        return
                    }
                }
            }
        }
        #expect(count > 500)
    }

    private static let start: JSON = ["y": 51, "o": ["b": 53], "other": [1]]

    private func line(_ patches: [ReversiblePatch]) throws -> (EffectHistory, JSON) {
        var line = EffectHistory(Self.start, first: 1, isWhole: true)
        var tree = Self.start
        for (index, patch) in patches.enumerated() {
            try line.append(index + 1, by: index == 0 ? "bob" : "dan", group: nil, patch)
            tree = try tree.applying(patch)
        }
        return (line, tree)
    }

    private func place(_ names: String...) -> JSONPointer { JSONPointer(names: names) }

    private func moves() throws -> [ReversiblePatch] {
        let first = JSONPatch([.move(from: place("y"), to: place("o", "b"))])
        let second = JSONPatch([.move(from: place("other"), to: place("o", "b"))])
        let (tree, patch) = try Self.start.applying(first)
        return [patch, try tree.applying(second).patch]
    }

    /// The patch as it would be read from a journal that has this number for its form.
    private func stored(_ patch: ReversiblePatch, form: UInt8?) throws -> ReversiblePatch {
        var writer = ByteWriter()
        patch.write(to: &writer)
        var bytes = writer.bytes
        #expect(bytes[0] == 2)
        if let form { bytes[0] = form }
        var reader = ByteReader(bytes)
        return try ReversiblePatch(from: &reader)
    }

    @Test func `O6: what is stored keeps the rule that it was stored under`() throws {
        let moves = try moves()
        let today = try moves.map { try stored($0, form: nil) }
        #expect(today == moves)
        var (line, tree) = try line(today)
        #expect(try line.revert(OwnUndoRequest(.actor("bob")), on: tree).reversal.passed == [])

        let former = try moves.map { try stored($0, form: 1) }
        (line, tree) = try self.line(former)
        let undo = try line.revert(OwnUndoRequest(.actor("bob")), on: tree)
        #expect(undo.reversal.passed == [1] && undo.tree == ["o": ["b": [1]]])
        // Written again, it says so again.
        var writer = ByteWriter()
        former[0].write(to: &writer)
        #expect(writer.bytes[0] == 1)
        tree = Self.start
        #expect(try former[0].erasing([], applyingTo: &tree) == former[0])
    }
}
