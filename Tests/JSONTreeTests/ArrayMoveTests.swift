import TestSupport
import Testing

@testable import JSONTree

/// A value with an identity that leaves one array and appears in another is moved there.
@Suite struct ArrayMoveTests {
    static let options = DiffOptions(isShort: false, movesBetweenArrays: true)

    /// From, to, and the patch that is written.
    static let cases: [(String, String, String)] = [
        (
            #"{"a":[{"id":1},{"id":2}],"b":[{"id":3},{"id":4}]}"#,
            #"{"a":[{"id":2}],"b":[{"id":3},{"id":1},{"id":4}]}"#,
            #"[{"op":"move","from":"/a/0","path":"/b/1"}]"#
        ),
        (
            #"{"a":[{"id":1,"t":"x"}],"b":[]}"#, #"{"a":[],"b":[{"id":1,"t":"y"}]}"#,
            #"[{"op":"move","from":"/a/0","path":"/b/0"},{"op":"replace","path":"/b/0/t","value":"y"}]"#
        ),
        // Two change places.
        (
            #"{"a":[{"id":1}],"b":[{"id":2}]}"#, #"{"a":[{"id":2}],"b":[{"id":1}]}"#,
            #"[{"op":"move","from":"/b/0","path":"/a/0"},{"op":"move","from":"/a/1","path":"/b/0"}]"#
        ),
        // Another one comes into its place.
        (
            #"{"a":[{"id":1}],"b":[]}"#, #"{"a":[{"id":9}],"b":[{"id":1}]}"#,
            #"[{"op":"move","from":"/a/0","path":"/b/0"},{"op":"add","path":"/a/0","value":{"id":9}}]"#
        ),
        // The array that it was in goes.
        (
            #"{"a":[{"id":1}],"b":[]}"#, #"{"b":[{"id":1}]}"#,
            #"[{"op":"move","from":"/a/0","path":"/b/0"},{"op":"remove","path":"/a"}]"#
        ),
        (
            #"[{"id":"A","l":[{"id":1},{"id":2}]},{"id":"B","l":[]}]"#,
            #"[{"id":"B","l":[{"id":2},{"id":1}]}]"#,
            #"[{"op":"move","from":"/0/l/1","path":"/1/l/0"},{"op":"move","from":"/0/l/0","path":"/1/l/1"},{"op":"remove","path":"/0"}]"#
        ),
        // Into an element of its own array, and out again.
        (
            #"[{"id":1},{"id":2,"l":[]}]"#, #"[{"id":2,"l":[{"id":1}]}]"#,
            #"[{"op":"move","from":"/0","path":"/1"},{"op":"move","from":"/1","path":"/0/l/0"}]"#
        ),
        (
            #"[{"id":2,"l":[{"id":1}]}]"#, #"[{"id":1},{"id":2,"l":[]}]"#,
            #"[{"op":"move","from":"/0/l/0","path":"/0"}]"#
        ),
        // Repeated values, or those without identity, are as before.
        (
            #"{"a":[{"id":1}],"b":[]}"#, #"{"a":[{"id":1}],"b":[{"id":1}]}"#,
            #"[{"op":"add","path":"/b/0","value":{"id":1}}]"#
        ),
        (
            #"{"a":[{"x":1}],"b":[]}"#, #"{"a":[],"b":[{"x":1}]}"#,
            #"[{"op":"remove","path":"/a/0"},{"op":"add","path":"/b/0","value":{"x":1}}]"#
        ),
        (
            #"{"a":[{"id":1}],"b":[],"c":[]}"#, #"{"a":[],"b":[{"id":1}],"c":[{"id":1}]}"#,
            #"[{"op":"remove","path":"/a/0"},{"op":"add","path":"/b/0","value":{"id":1}},{"op":"add","path":"/c/0","value":{"id":1}}]"#
        ),
    ]

    @Test(arguments: cases)
    func `14: an element that changes arrays is moved`(
        from: String, to: String, expected: String
    ) throws {
        let (old, new) = (try JSON(parsing: from), try JSON(parsing: to))
        let patch = old.diff(to: new, options: Self.options)
        let written = try JSON(parsing: patch.operations(on: old).serialized())
        #expect(written == (try JSON(parsing: expected)), "\(written)")
        try check(patch, from: old, to: new)
    }

    /// A board of lists, and lists in elements.
    private func board(_ ids: [Int], _ random: inout SeededGenerator, lists: Int = 4) -> JSON {
        let ids = ids.filter { _ in !random.once(in: 6) }.shuffled(using: &random)
        var columns = [[JSON]](repeating: [], count: lists)
        for id in ids {
            var card: [(String, JSON)] = [("id", JSON(id)), ("v", JSON(random.below(3)))]
            if id % 5 == 0, !columns[0].isEmpty {
                card.append(("l", JSON(elements: [columns[0].removeLast()])))
            } else if id % 5 == 0 {
                card.append(("l", JSON(elements: [])))
            }
            columns[random.below(lists)].append(JSON(members: card))
        }
        return JSON(
            members: columns.enumerated().map { ("c\($0)", JSON(elements: $1)) })
    }

    @Test(arguments: Seeds.of(40, from: 1))
    func `14: random boards: the patch leads there and back, as RFC 6902, too`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        var moves = 0
        for _ in 0..<25 {
            let ids = Array(0..<(2 + random.below(20)))
            let (old, new) = (board(ids, &random), board(ids, &random))
            let patch = old.diff(to: new, options: Self.options)
            moves += patch.edits.count(where: \.isMove)
            try check(patch, from: old, to: new)
            // The same as a merge patch.
            try check(old.edits(merging: new, options: Self.options), from: old, to: new)
        }
        #expect(moves > 0)
    }

    /// An element that changes lists is in one move, and comes to where it belongs.
    @Test func `14: no more moves than elements that change lists`() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            let count = 2 + random.below(30)
            var lists: [[Int]] = [Array(0..<count), Array(count..<(2 * count))]
            let old = board(lists)
            var moved = 0
            for _ in 0..<(1 + random.below(6)) where !lists[0].isEmpty {
                let id = lists[0].remove(at: random.below(lists[0].count))
                lists[1].insert(id, at: random.below(lists[1].count + 1))
                moved += 1
            }
            let new = board(lists)
            let patch = old.diff(to: new, options: Self.options)
            #expect(patch.count == moved, "\(lists): \(patch.edits)")
            try check(patch, from: old, to: new)
        }
    }

    private func board(_ lists: [[Int]]) -> JSON {
        JSON(
            members: lists.enumerated().map { number, ids in
                ("\(number)", JSON(elements: ids.map { ["id": JSON($0)] }))
            })
    }

    private func check(_ patch: ReversiblePatch, from old: JSON, to new: JSON) throws {
        let message: Comment = "\(old) → \(new): \(patch.edits)"
        #expect(try old.applying(patch) == new, message)
        #expect(try new.applying(patch.inverse) == old, message)
        let strict = try patch.operations(on: old)
        #expect(try old.applying(strict).tree == new, message)
        // A client reads the same edit.
        #expect(try old.applying(old.applying(patch.textOperations).patch) == new, message)
    }
}
