import TestSupport
import Testing

@testable import JSONTree

/// Pointers: how they are written, ordered and matched.
@Suite struct PointerTests {
    private func pointer(_ text: String) throws -> JSONPointer {
        try #require(JSONPointer(parsing: text), "\(text)")
    }

    /// In their order.
    static let ordered = [
        "", "/0", "/0/a", "/1", "/2", "/9", "/10", "/100", "/", "/ ", "/-", "/~1x", "/1a", "/A",
        "/a", "/a/0", "/a/2", "/a/10", "/a/", "/a/b", "/a/b/c", "/aa", "/b", "/~0", "/é", "/😀",
    ]

    @Test func `pointers come in one order, numbers by their value and before names`() throws {
        let pointers = try PointerTests.ordered.map(pointer)
        for (index, first) in pointers.enumerated() {
            for (other, second) in pointers.enumerated() {
                #expect((first == second) == (index == other))
                #expect((first < second) == (index < other), "\(first) \(second)")
            }
        }
    }

    @Test func `the outermost of some places lie in no other one`() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let places = try (0..<random.below(12)).map { _ in
                try pointer((0..<random.below(4)).map { _ in "/\(random.below(3))" }.joined())
            }
            let expected = places.filter { place in
                !places.contains { $0 != place && place.inside($0) != nil }
            }
            #expect(Set(places).outermost == Set(expected))
        }
    }

    @Test(arguments: ordered)
    func `a pointer is written as it is read`(text: String) throws {
        let address = try pointer(text)
        #expect(address.description == text)
        #expect(address.count == text.count { $0 == "/" })
        #expect(try pointer(address.description).hashValue == address.hashValue)
    }

    /// Place, address, and how the address is seen from the place.
    static let inside: [(String, String, String?)] = [
        ("", "", ""), ("", "/a", "/a"), ("/a", "/a", ""), ("/a", "/a/b", "/b"),
        ("/a", "/a/b/c", "/b/c"), ("/a", "", nil), ("/a", "/b", nil), ("/a", "/aa", nil),
        ("/a/b", "/a", nil), ("/a/b", "/a/c", nil), ("/a/0", "/a/00", nil), ("/", "//a", "/a"),
        ("/é", "/e\u{301}", nil), ("/~1", "/~1/~0", "/~0"),
    ]

    @Test(arguments: inside)
    func `an address is seen from a place that it is in`(
        place: String, address: String, seen: String?
    ) throws {
        #expect(try pointer(address).inside(pointer(place))?.description == seen)
    }

    /// Pattern, address, and whether the pattern covers it.
    static let patterns: [(String, String, Bool)] = [
        ("/a", "/a", true), ("/a", "/a/b", true), ("/a", "/b", false), ("/a", "", false),
        ("/a", "/aa", false), ("/*", "/a", true), ("/*", "/a/b", true), ("/*", "/0", true),
        ("/*", "", false), ("/a/*", "/a", false), ("/a/*", "/a/0", true),
        ("/a/*/c", "/a/0/c", true),
        ("/a/*/c", "/a/b/c/d", true), ("/a/*/c", "/a/c", false), ("/*/c", "/a/b", false),
        ("/*/*", "/a/b", true), ("/*/*", "/a", false), ("/~1/*", "/~1/x", true),
    ]

    @Test(arguments: patterns)
    func `a pattern covers its places and what is inside them`(
        pattern: String, address: String, isCovered: Bool
    ) throws {
        let parsed = try #require(PointerPattern(parsing: pattern))
        #expect(parsed.description == pattern)
        #expect(try parsed.contains(pointer(address)) == isCovered)
    }

    @Test(arguments: ["", "a", "/0", "/a/1", "/a/-", "/a/0/b", "/~2", "*"])
    func `what is no pattern is refused`(text: String) {
        #expect(PointerPattern(parsing: text) == nil)
    }

    /// Value, pattern, and what is left without its places.
    static let without: [(String, String, String)] = [
        (#"{"a":1,"b":2}"#, "/a", #"{"b":2}"#),
        (#"{"a":1,"b":2}"#, "/c", #"{"a":1,"b":2}"#),
        (#"{"a":1,"b":2}"#, "/*", "{}"),
        (#"{"a":[1,2,3]}"#, "/a/*", #"{"a":[]}"#),
        (#"{"a":[{"x":1,"y":2},{"x":3}]}"#, "/a/*/x", #"{"a":[{"y":2},{}]}"#),
        (#"{"a":[{"x":1},2,[3]]}"#, "/a/*/x", #"{"a":[{},2,[3]]}"#),
        (#"{"a":{"b":{"c":1}}}"#, "/a/b", #"{"a":{}}"#),
        (#"[1,2,3]"#, "/*", "[]"),
        (#""text""#, "/a", #""text""#),
        ("null", "/*", "null"),
    ]

    @Test(arguments: without)
    func `a value without what stands at a pattern's places`(
        value: String, pattern: String, expected: String
    ) throws {
        let parsed = try #require(PointerPattern(parsing: pattern))
        #expect(try JSON(parsing: value).without([parsed]).description == expected)
    }

    @Test(arguments: [
        ("", false, ""), ("/a", false, "/a"), ("/0", true, ""), ("/a/0", true, "/a"),
        ("/a/-", true, "/a"), ("/a/0/b", true, "/a"), ("/a/01", false, "/a/01"),
        ("/a/b/12/c", true, "/a/b"), ("/1a", false, "/1a"),
    ])
    func `numbers in a pointer may be indices`(text: String, hasNumbers: Bool, above: String) throws
    {
        let address = try pointer(text)
        #expect(address.hasNumbers == hasNumbers)
        #expect(address.aboveNumbers.description == above)
    }
}
