import JSONTree
import TestSupport
import Testing

/// One patch after another that was made for the same tree.
@Suite struct RebaseTests {
    private func patch(_ text: String, on tree: JSON) throws -> ReversiblePatch {
        try tree.applying(JSONPatch(JSON(parsing: text))).patch
    }

    /// Base, mine, theirs, and what both together give.
    static let agreeing: [(String, String, String, String)] = [
        // Elements shift.
        (
            "[1,2,3]", #"[{"op":"replace","path":"/2","value":9}]"#,
            #"[{"op":"remove","path":"/0"}]"#, "[2,9]"
        ),
        (
            "[1,2,3]", #"[{"op":"remove","path":"/1"}]"#, #"[{"op":"add","path":"/0","value":0}]"#,
            "[0,1,3]"
        ),
        (
            "[1,2,3]", #"[{"op":"add","path":"/3","value":4}]"#, #"[{"op":"remove","path":"/1"}]"#,
            "[1,3,4]"
        ),
        (
            "[1,2,3]", #"[{"op":"add","path":"/1","value":8}]"#,
            #"[{"op":"add","path":"/1","value":9}]"#, "[1,8,9,2,3]"
        ),
        (
            #"[{"a":1},{"b":2}]"#, #"[{"op":"replace","path":"/1/b","value":3}]"#,
            #"[{"op":"add","path":"/0","value":0}]"#, #"[0,{"a":1},{"b":3}]"#
        ),
        (
            "[[1],[2]]", #"[{"op":"add","path":"/1/0","value":9}]"#,
            #"[{"op":"remove","path":"/0"}]"#, "[[9,2]]"
        ),
        // A member named like an index does not shift.
        (
            #"{"o":{"0":1,"1":2},"a":[1]}"#, #"[{"op":"replace","path":"/o/1","value":5}]"#,
            #"[{"op":"remove","path":"/o/0"}]"#, #"{"o":{"1":5},"a":[1]}"#
        ),
        // What was moved is followed.
        (
            "[1,2,3]", #"[{"op":"replace","path":"/0","value":9}]"#,
            #"[{"op":"move","from":"/0","path":"/2"}]"#, "[2,3,9]"
        ),
        (
            #"{"a":{"x":1}}"#, #"[{"op":"replace","path":"/a/x","value":2}]"#,
            #"[{"op":"move","from":"/a","path":"/b"}]"#, #"{"b":{"x":2}}"#
        ),
        (
            #"{"a":{"x":1}}"#, #"[{"op":"move","from":"/a","path":"/b"}]"#,
            #"[{"op":"replace","path":"/a/x","value":2}]"#, #"{"b":{"x":2}}"#
        ),
        (
            #"{"a":[1,2]}"#, #"[{"op":"add","path":"/a/2","value":3}]"#,
            #"[{"op":"move","from":"/a","path":"/b"}]"#, #"{"b":[1,2,3]}"#
        ),
        // Several edits on both sides.
        (
            "[1,2,3,4]", #"[{"op":"remove","path":"/0"},{"op":"remove","path":"/0"}]"#,
            #"[{"op":"add","path":"/2","value":0},{"op":"remove","path":"/4"}]"#, "[0,3]"
        ),
        // Text shifts.
        (
            #""the quick brown fox jumps""#, #"[{"op":"str_ins","path":"","pos":25,"str":"!"}]"#,
            #"[{"op":"str_del","path":"","pos":0,"len":4}]"#, #""quick brown fox jumps!""#
        ),
        (
            #""the quick brown fox jumps""#, #"[{"op":"str_ins","path":"","pos":4,"str":"A"}]"#,
            #"[{"op":"str_ins","path":"","pos":4,"str":"B"}]"#, #""the ABquick brown fox jumps""#
        ),
        // Members do not mind each other.
        (
            #"{"a":1}"#, #"[{"op":"add","path":"/b","value":2}]"#,
            #"[{"op":"remove","path":"/a"},{"op":"add","path":"/c","value":3}]"#, #"{"b":2,"c":3}"#
        ),
        (#"{"a":1}"#, "[]", #"[{"op":"remove","path":"/a"}]"#, "{}"),
    ]

    @Test(arguments: agreeing)
    func `what does not touch is brought together, in either order`(
        base: String, mine: String, theirs: String, both: String
    ) throws {
        let base = try JSON(parsing: base)
        let (mine, theirs) = (try patch(mine, on: base), try patch(theirs, on: base))
        let rebased = try mine.rebased(over: theirs, on: base)
        #expect(rebased.conflicts.isEmpty)
        #expect(try base.applying(theirs).applying(rebased.patch) == JSON(parsing: both))
    }

    /// Base, mine, theirs, and the place of the conflict.
    static let conflicting: [(String, String, String, String)] = [
        (
            #"{"a":1}"#, #"[{"op":"replace","path":"/a","value":2}]"#,
            #"[{"op":"replace","path":"/a","value":3}]"#, "/a"
        ),
        (
            #"{"a":1}"#, #"[{"op":"replace","path":"/a","value":2}]"#,
            #"[{"op":"remove","path":"/a"}]"#, "/a"
        ),
        (
            #"{"a":{"b":1}}"#, #"[{"op":"remove","path":"/a"}]"#,
            #"[{"op":"replace","path":"/a/b","value":2}]"#, "/a"
        ),
        (
            #"{"a":{"b":1}}"#, #"[{"op":"replace","path":"/a/b","value":2}]"#,
            #"[{"op":"remove","path":"/a"}]"#, "/a/b"
        ),
        (
            #"{}"#, #"[{"op":"add","path":"/a","value":2}]"#,
            #"[{"op":"add","path":"/a","value":2}]"#, "/a"
        ),
        (
            #"{"a":[]}"#, #"[{"op":"add","path":"/a/0","value":2}]"#,
            #"[{"op":"remove","path":"/a"}]"#, "/a/0"
        ),
        (
            "[1,[2],3]", #"[{"op":"replace","path":"/1/0","value":9}]"#,
            #"[{"op":"remove","path":"/0"},{"op":"replace","path":"/0/0","value":8}]"#, "/0/0"
        ),
        (
            #"{"a":{},"b":{}}"#, #"[{"op":"move","from":"/a","path":"/b/a"}]"#,
            #"[{"op":"move","from":"/b","path":"/a/b"}]"#, "/a"
        ),
        (
            #"{"a":1}"#, #"[{"op":"move","from":"/a","path":"/b"}]"#,
            #"[{"op":"move","from":"/a","path":"/c"}]"#, "/c"
        ),
        (
            #""the quick brown fox jumps""#, #"[{"op":"str_del","path":"","pos":4,"len":6}]"#,
            #"[{"op":"str_ins","path":"","pos":6,"str":"x"}]"#, ""
        ),
        (
            #"{"a":1}"#, #"[{"op":"replace","path":"/a","value":2}]"#,
            #"[{"op":"replace","path":"","value":[]}]"#, "/a"
        ),
    ]

    @Test(arguments: conflicting)
    func `what touches one place is a conflict, and the place is told`(
        base: String, mine: String, theirs: String, place: String
    ) throws {
        let base = try JSON(parsing: base)
        let (mine, theirs) = (try patch(mine, on: base), try patch(theirs, on: base))
        let rebased = try mine.rebased(over: theirs, on: base)
        #expect(rebased.conflicts.map(\.description) == [place])
        #expect(rebased.patch.isEmpty)
    }

    @Test(arguments: UInt64(1)...400)
    func `without conflicts both orders give one tree`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let base = JSON.random(&random, shape: .random(&random))
        let (mine, theirs) = (random.edits(on: base, 3), random.edits(on: base, 3))
        let (rebasedMine, rebasedTheirs) = (
            try mine.rebased(over: theirs, on: base), try theirs.rebased(over: mine, on: base)
        )
        // Two values inserted at one place have no order of their own.
        guard rebasedMine.conflicts.isEmpty, rebasedTheirs.conflicts.isEmpty else { return }
        let one = try base.applying(theirs).applying(rebasedMine.patch)
        let other = try base.applying(mine).applying(rebasedTheirs.patch)
        #expect(one.byteCount == other.byteCount)
        #expect(one.sortedText == other.sortedText, "\(base)")
    }

    @Test(arguments: UInt64(1)...100)
    func `an earlier change is taken back as if only the later ones had been`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        // Every round edits a member of its own, so nothing is in conflict.
        let names = (0..<6).map { "part \($0)" }
        let base = JSON(
            members: names.map { ($0, JSON.random(&random, shape: TreeShape(depth: 2, width: 6))) })
        var trees = [base]
        var changes: [ReversiblePatch] = []
        for name in names {
            let pointer = try #require(JSONPointer(parsing: "/\(name)"))
            let part = try #require(trees.last?[pointer]).mutated(&random, edits: 2)
            let next = try #require(trees.last).replacing(at: pointer, with: part)
            changes.append(try #require(trees.last).diff(to: next))
            trees.append(next)
        }
        let taken = random.below(names.count)
        let later = changes[(taken + 1)...].reduce(ReversiblePatch.empty) { $0.composed(with: $1) }
        let undo = try changes[taken].inverse.rebased(over: later, on: trees[taken + 1])
        #expect(undo.conflicts.isEmpty)
        let without = try (changes[..<taken] + changes[(taken + 1)...]).reduce(base) {
            try $0.applying($1)
        }
        #expect(try #require(trees.last).applying(undo.patch) == without)
    }

    @Test(arguments: UInt64(1)...200)
    func `two patches composed do what both do, and their inverse takes both back`(seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        let base = JSON.random(&random, shape: .random(&random))
        let first = random.edits(on: base, 4)
        let middle = try base.applying(first)
        let second = random.edits(on: middle, 4)
        let both = first.composed(with: second)
        let target = try middle.applying(second)
        #expect(both.count <= first.count + second.count)
        #expect(try base.applying(both) == target)
        #expect(try target.applying(both.inverse) == base)
    }

    @Test(arguments: [
        (
            #"[{"op":"add","path":"/a","value":{}},{"op":"add","path":"/a/b","value":1},{"op":"replace","path":"/a/b","value":2}]"#,
            #"[{"op":"add","path":"/a","value":{"b":2}}]"#
        ),
        (#"[{"op":"add","path":"/a","value":1},{"op":"remove","path":"/a"}]"#, "[]"),
        (
            #"[{"op":"remove","path":"/x"},{"op":"add","path":"/x","value":5}]"#,
            #"[{"op":"replace","path":"/x","value":5}]"#
        ),
        (#"[{"op":"replace","path":"/x","value":5},{"op":"replace","path":"/x","value":1}]"#, "[]"),
        (
            #"[{"op":"replace","path":"/x","value":5},{"op":"remove","path":"/x"}]"#,
            #"[{"op":"remove","path":"/x"}]"#
        ),
    ])
    func `edits of one place become one`(edits: String, one: String) throws {
        let base: JSON = ["x": 1]
        #expect(
            try patch(edits, on: base).compacted.operations(on: base)
                == JSONPatch(JSON(parsing: one)))
    }
}

extension SeededGenerator {
    /// A patch of a few single edits, as a client would send them.
    fileprivate mutating func edits(on base: JSON, _ count: Int) -> ReversiblePatch {
        var tree = base
        var patch = ReversiblePatch.empty
        for _ in 0..<(1 + below(count)) {
            let next = tree.mutated(&self, edits: 1)
            patch.append(tree.diff(to: next))
            tree = next
        }
        return patch
    }
}

extension JSON {
    /// The characters of the text in order: what remains of a tree when no order counts.
    fileprivate var sortedText: [UInt8] { serialized().sorted() }
}
