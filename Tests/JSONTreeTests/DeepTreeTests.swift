import JSONTree
import Testing

/// Trees far deeper than any stack: everything works without recursion on their depth.
@Suite struct DeepTreeTests {
    private static let depth = 40_000

    private static func deep(_ core: JSON) -> JSON {
        (0..<depth).reduce(core) { inner, level in level % 2 == 0 ? [inner] : ["a": inner] }
    }

    private static let unlimited = JSONLimits(depthMax: .max)

    @Test func `a deep tree is written, read, compared and freed`() throws {
        var tree: JSON? = DeepTreeTests.deep(1)
        #expect(tree?.height == DeepTreeTests.depth)
        let text = try #require(tree?.serialized())
        let parsed = try JSON(parsing: text, limits: DeepTreeTests.unlimited)
        #expect(parsed == tree)
        #expect(parsed.prettyPrinted().count > text.count)
        let other = try JSON(
            parsing: DeepTreeTests.deep(JSON(parsing: "1.0")).serialized(),
            limits: DeepTreeTests.unlimited)
        #expect(parsed != other)
        #expect(parsed.isNumericallyEqual(to: other))
        tree = nil
        #expect(parsed.serialized() == text)
    }

    @Test func `a deep tree is edited, merged and compared`() throws {
        let tree = DeepTreeTests.deep(1)
        let changed = DeepTreeTests.deep(2)
        #expect(try tree.applying(tree.diff(to: changed)) == changed)
        var patch: JSON = 5
        for _ in 0..<DeepTreeTests.depth { patch = ["a": patch] }
        #expect(JSON.null.merging(patch) == patch)
        #expect(patch.merging(patch) == patch)
        var other: JSON = 6
        for _ in 0..<DeepTreeTests.depth { other = ["a": other] }
        #expect(try patch.applying(patch.edits(merging: other)) == other)
    }

    @Test func `a deep tree is freed while another one holds a part of it`() {
        var whole: JSON? = DeepTreeTests.deep("leaf")
        var part = whole?.elements?.first ?? whole?.members?.first?.value
        whole = nil
        #expect(part?.height == DeepTreeTests.depth - 1)
        part = nil
    }
}
