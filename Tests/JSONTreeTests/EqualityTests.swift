import TestSupport
import Testing

@testable import JSONTree

/// Equality: what is written alike is equal, member order apart, and nothing else is.
@Suite struct EqualityTests {
    /// Texts of one class are equal; texts of two classes are not.
    private static let classes: [[String]] = [
        ["null"], ["true"], ["false"],
        ["0"], ["-0"], ["1"], ["1.0"], ["1.00"], ["10e-1"], ["1e0"], ["1E0"],
        ["12345678901234567890"], ["12345678901234567891"],
        ["\"\""], ["\"a\"", "\"\\u0061\""], ["\"A\""], ["\"\u{e9}\"", "\"\\u00e9\""],
        ["\"e\u{301}\""],
        ["\"fifteen letters\""], ["\"sixteen letters!\""], ["\"sixteen letters?\""],
        ["[]"], ["{}"], ["[[]]"], ["[{}]"], ["[null]"], ["[0]"], ["[0,0]"], ["[0,1]"], ["[1,0]"],
        ["{\"a\":1}", " { \"a\" : 1 } ", "{\"\\u0061\":1}"], ["{\"a\":2}"], ["{\"b\":1}"],
        ["{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}"], ["{\"a\":2,\"b\":1}"],
        ["{\"a\":{\"b\":[1,{\"c\":2}]}}"], ["{\"a\":{\"b\":[1,{\"c\":3}]}}"],
        ["[\"a\",\"b\"]"], ["[\"ab\"]"], ["\"0\""], ["\"null\""],
    ]

    @Test func `texts are equal if they are written alike, member order apart`() throws {
        for (left, one) in EqualityTests.classes.enumerated() {
            for (right, other) in EqualityTests.classes.enumerated() {
                for (first, second) in one.flatMap({ first in other.map { (first, $0) } }) {
                    let (first, second) = (try JSON(parsing: first), try JSON(parsing: second))
                    #expect((first == second) == (left == right), "\(first) and \(second)")
                    #expect(first.hasSameContent(as: second) == (left == right))
                    #expect((first.contentHash == second.contentHash) == (left == right))
                }
            }
        }
    }

    @Test func `long strings are compared to their last byte`() throws {
        let long = String(repeating: "wörd ", count: 2_000)
        let same = try JSON(parsing: JSON(long).serialized())
        #expect(JSON(long) == same)
        for other in ["x" + long, long + "x", String(long.dropLast(1)) + "-"] {
            #expect(JSON(long) != JSON(other))
            #expect(!JSON(long).hasSameContent(as: JSON(other)))
        }
    }

    @Test(arguments: Seeds.of(60))
    func `a value that was edited equals one that was read anew`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var tree = JSON.random(&random, shape: .random(&random))
        for _ in 0..<30 {
            let next = JSON.random(&random, shape: .random(&random))
            let patch = tree.diff(to: next)
            let edited = try tree.applying(patch)
            let read = try JSON(parsing: edited.serialized())
            #expect(edited == next && read == next && read.hasSameContent(as: edited))
            #expect(read.contentHash == edited.contentHash)
            #expect((tree == next) == tree.hasSameContent(as: next))
            #expect(tree.hasSameContent(as: next) == next.hasSameContent(as: tree))
            tree = edited
        }
    }

    @Test func `equal hashes alone prove nothing`() throws {
        // Content decides, also where hashes are equal.
        let (left, right): (JSON, JSON) = (["a": [1, 2, 3]], ["a": [1, 2, 4]])
        #expect(!left.hasSameContent(as: right))
        #expect(left.hasSameContent(as: ["a": [1, 2, 3]]))
    }

    @Test func `deep values are compared without recursion`() throws {
        let depth = 100_000
        func nested(_ core: String) throws -> JSON {
            let text =
                String(repeating: "[", count: depth) + core + String(repeating: "]", count: depth)
            return try JSON(parsing: Array(text.utf8), limits: .stored)
        }
        let (left, right) = (try nested("1"), try nested("1"))
        #expect(left == right && left.hasSameContent(as: right))
        #expect(try !left.hasSameContent(as: nested("2")))
    }

    @Test func `names that look alike are two names`() throws {
        let precomposed = "{\"\u{e9}\":1}"
        let decomposed = "{\"e\u{301}\":1}"
        #expect(try JSON(parsing: precomposed) != JSON(parsing: decomposed))
        let both = try JSON(parsing: "{\"\u{e9}\":1,\"e\u{301}\":2}")
        #expect(both.count == 2)
    }
}
