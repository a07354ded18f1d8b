import JSONTree
import TestSupport
import Testing

/// One patch after another as one.
@Suite struct ComposeTests {
    private func patch(_ text: String, on tree: JSON) throws -> ReversiblePatch {
        try tree.applying(JSONPatch(JSON(parsing: text))).patch
    }

    @Test(arguments: Seeds.of(200, from: 1))
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
