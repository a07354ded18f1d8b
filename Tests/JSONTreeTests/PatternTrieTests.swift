import TestSupport
import Testing

@testable import JSONTree

@Suite struct PatternTrieTests {
    /// Patterns over few names, so that they meet; some inside each other.
    private static func patterns(_ random: inout SeededGenerator) -> [PointerPattern] {
        (0..<random.below(6)).compactMap { _ in
            let tokens = (0...random.below(3)).map { _ in ["*", "a", "b", "c"][random.below(4)] }
            return PointerPattern(parsing: "/" + tokens.joined(separator: "/"))
        }
    }

    private static func tree(_ random: inout SeededGenerator, _ depth: Int) -> JSON {
        switch depth == 0 ? 2 : random.below(3) {
        case 0:
            return JSON(
                members: ["a", "b", "c", "d"].filter { _ in random.below(2) == 0 }.map {
                    ($0, tree(&random, depth - 1))
                })
        case 1: return JSON(elements: (0..<random.below(4)).map { _ in tree(&random, depth - 1) })
        default: return JSON(random.below(9))
        }
    }

    /// The value without the places of patterns, place by place.
    private static func model(
        _ tree: JSON, _ patterns: [PointerPattern], at place: JSONPointer = .root
    ) -> JSON? {
        if patterns.contains(where: { $0.contains(place) }) { return nil }
        if let members = tree.members {
            return JSON(
                members: members.compactMap { name, value in
                    model(value, patterns, at: place.appending(MemberName(name))).map { (name, $0) }
                })
        }
        guard let elements = tree.elements else { return tree }
        return JSON(
            elements: elements.enumerated().compactMap { index, value in
                model(value, patterns, at: place.appending(MemberName(String(index))))
            })
    }

    @Test(arguments: Seeds.of(200, from: 1))
    func `law: all patterns at once remove what each of them does`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let (patterns, tree) = (
                PatternTrieTests.patterns(&random), PatternTrieTests.tree(&random, 4)
            )
            let expected = PatternTrieTests.model(tree, patterns)
            #expect(tree.without(patterns) == expected, "\(tree) without \(patterns)")
        }
    }

    @Test(arguments: Seeds.of(100, from: 1))
    func `law: an address is meant if one of the patterns means it`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let patterns = PatternTrieTests.patterns(&random)
            let tokens = (0..<random.below(6)).map { _ in
                "/" + ["0", "a", "b", "c"][random.below(4)]
            }
            let pointer = try #require(JSONPointer(parsing: tokens.joined()))
            #expect(
                PatternTrie(patterns).contains(pointer)
                    == patterns.contains { $0.contains(pointer) }, "\(pointer) of \(patterns)")
        }
    }
}
