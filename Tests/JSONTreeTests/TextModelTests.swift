import TestSupport
import Testing

@testable import JSONTree

/// Text operations against a slow model: a list of UTF-16 code units.
@Suite struct TextModelTests {
    private let place = JSONPointer(names: ["t"])
    private static let pieces = ["a", "bc", "é", "😀", "\n", "\"", "名前", "e\u{301}", "word word "]

    private func text(_ random: inout SeededGenerator, _ count: Int) -> String {
        (0..<count).map { _ in TextModelTests.pieces[random.below(TextModelTests.pieces.count)] }
            .joined()
    }

    /// Whether a position is between the halves of a surrogate pair.
    private func isInsidePair(_ units: [UInt16], _ position: Int) -> Bool {
        position > 0 && position < units.count && UTF16.isLeadSurrogate(units[position - 1])
            && UTF16.isTrailSurrogate(units[position])
    }

    @Test(arguments: [0, 3, 10, 200, 1_000] as [Int], UInt64(1)...12)
    func `texts are edited as lists of code units would be`(size: Int, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var units = Array(text(&random, size).utf16)
        var tree: JSON = ["t": JSON(String(decoding: units, as: UTF16.self))]
        for _ in 0..<40 {
            let position = random.below(units.count + 2)
            if random.once(in: 2) {
                let insertion = text(&random, 1 + random.below(4))
                let patch = JSONPatch([.insertText(place, at: position, insertion)])
                guard position <= units.count, !isInsidePair(units, position) else {
                    #expect(throws: JSONPatchError.self) { try tree.applying(patch) }
                    continue
                }
                units.insert(contentsOf: insertion.utf16, at: position)
                tree = try apply(patch, to: tree)
            } else {
                let count = 1 + random.below(8)
                let patch = JSONPatch([.deleteText(place, at: position, count: count)])
                let end = position + count
                guard end <= units.count, !isInsidePair(units, position),
                    !isInsidePair(units, end)
                else {
                    #expect(throws: JSONPatchError.self) { try tree.applying(patch) }
                    continue
                }
                units.removeSubrange(position..<end)
                tree = try apply(patch, to: tree)
            }
            #expect(tree["t"]?.string.map { Array($0.utf16) } == units)
        }
        #expect(try JSON(parsing: tree.serialized()) == tree)
    }

    /// Applies a patch, and checks that it can be reverted and written in both ways.
    private func apply(_ patch: JSONPatch, to tree: JSON) throws -> JSON {
        let (after, undo) = try tree.applying(patch)
        #expect(try after.applying(undo.inverse) == tree)
        #expect(try tree.applying(undo.textOperations).tree == after)
        #expect(try tree.applying(undo.operations(on: tree)).tree == after)
        return after
    }

    @Test(arguments: Seeds.of(60, from: 1))
    func `the difference of two texts leads from one to the other`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let old = text(&random, random.below(400))
        var units = Array(old.utf16)
        for _ in 0..<(1 + random.below(4)) {
            let insertion = Array(text(&random, random.below(5)).utf16)
            let position = random.below(units.count + 1)
            if !isInsidePair(units, position) { units.insert(contentsOf: insertion, at: position) }
        }
        let (from, to): (JSON, JSON) = (
            ["t": JSON(old)], ["t": JSON(String(decoding: units, as: UTF16.self))]
        )
        let patch = from.diff(to: to)
        #expect(try from.applying(patch) == to)
        #expect(try to.applying(patch.inverse) == from)
        #expect(try from.applying(patch.textOperations).tree == to)
        let bytes = patch.textOperations.serialized().count
        #expect(bytes <= to.byteCount + 100, "never much longer than the whole")
    }

    @Test(arguments: Seeds.of(40, from: 1))
    func `typing letter by letter is one text edit after compacting`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let before = text(&random, 40)
        let start: JSON = ["t": JSON(before)]
        var position = before.utf16.count
        var (tree, all) = (start, ReversiblePatch.empty)
        for letter in "typed letter by letter" {
            let patch = JSONPatch([.insertText(place, at: position, String(letter))])
            let (after, change) = try tree.applying(patch)
            all = all.composed(with: change)
            tree = after
            position += String(letter).utf16.count
        }
        let compacted = all.compacted
        #expect(compacted.count == 1)
        #expect(try start.applying(compacted) == tree)
        #expect(try tree.applying(compacted.inverse) == start)
    }
}
