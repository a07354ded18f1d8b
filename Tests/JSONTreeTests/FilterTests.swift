import TestSupport
import Testing

@testable import JSONTree

/// Parts of patches: what they do at wanted places, and which places they touch.
@Suite struct FilterTests {
    /// From, to, the pattern of unwanted places, and the remaining effect.
    static let cases: [(String, String, String, String)] = [
        (#"{"a":1,"b":2}"#, #"{"a":9,"b":8}"#, "/b", #"{"a":9,"b":2}"#),
        (#"{"a":1,"b":2}"#, #"{"a":9,"b":8}"#, "/*", #"{"a":1,"b":2}"#),
        (#"{"a":1,"b":2}"#, #"{"a":9,"b":8}"#, "/c", #"{"a":9,"b":8}"#),
        (#"{"a":{"x":1,"y":2}}"#, #"{"a":{"x":3,"y":4}}"#, "/a/y", #"{"a":{"x":3,"y":2}}"#),
        (
            #"{"a":[{"x":1,"y":2}]}"#, #"{"a":[{"x":3,"y":4}]}"#, "/a/*/y",
            #"{"a":[{"x":3,"y":2}]}"#
        ),
        (#"{"a":1}"#, #"{"a":1,"b":2,"c":3}"#, "/b", #"{"a":1,"c":3}"#),
        (#"{"a":1,"b":2,"c":3}"#, #"{"a":1}"#, "/b", #"{"a":1,"b":2}"#),
    ]

    @Test(arguments: cases)
    func `edits of unwanted places are left out`(
        from: String, to: String, unwanted: String, expected: String
    ) throws {
        let (old, new) = (try JSON(parsing: from), try JSON(parsing: to))
        let pattern = try #require(PointerPattern(parsing: unwanted))
        let patch = old.diff(to: new, options: DiffOptions(isShort: false))
        let wanted = patch.operations { !pattern.contains($0) }
        #expect(try old.applying(wanted).tree == (try JSON(parsing: expected)))
        if let narrowed = patch.narrowed(where: { !pattern.contains($0) }) {
            #expect(try old.applying(narrowed) == (try JSON(parsing: expected)))
        }
    }

    /// From, to, a place, and whether the difference touches it.
    static let touched: [(String, String, String, Bool)] = [
        (#"{"a":1,"b":2}"#, #"{"a":9,"b":2}"#, "/a", true),
        (#"{"a":1,"b":2}"#, #"{"a":9,"b":2}"#, "/b", false),
        (#"{"a":1,"b":2}"#, #"{"a":9,"b":2}"#, "", true),
        (#"{"a":{"x":1}}"#, #"{"a":{"x":2}}"#, "/a", true),
        (#"{"a":{"x":1}}"#, #"{"a":{"x":2}}"#, "/a/x", true),
        (#"{"a":{"x":1,"y":1}}"#, #"{"a":{"x":2,"y":1}}"#, "/a/y", false),
        (#"{"a":{"x":1}}"#, #"{"a":5}"#, "/a/x", true),
        (#"{"a":1}"#, #"{"a":1,"b":2}"#, "/b", true),
        (#"{"a":1}"#, #"{"a":1,"b":2}"#, "/c", false),
    ]

    @Test(arguments: touched)
    func `a patch knows which places it touches`(
        from: String, to: String, place: String, isTouched: Bool
    ) throws {
        let (old, new) = (try JSON(parsing: from), try JSON(parsing: to))
        let patch = old.diff(to: new, options: DiffOptions(isShort: false))
        let pointer = try #require(JSONPointer(parsing: place))
        #expect(patch.touches(pointer) == isTouched)
        #expect(patch.inverse.touches(pointer) == isTouched)
    }

    @Test(arguments: Seeds.of(40, from: 1))
    func `wanted and unwanted edits together are all edits`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let members = (0..<20).map { ("k\($0)", JSON(random.below(3))) }
        let old = JSON(members: members)
        let new = JSON(members: members.map { ($0.0, JSON(random.below(3))) })
        let pattern = try #require(PointerPattern(parsing: "/k\(random.below(20))"))
        let patch = old.diff(to: new, options: DiffOptions(isShort: false))
        let wanted = patch.operations { !pattern.contains($0) }
        let rest = patch.operations { pattern.contains($0) }
        let half = try old.applying(wanted).tree
        #expect(half.without([pattern]) == new.without([pattern]))
        #expect(try half.applying(rest).tree == new)
    }
}
