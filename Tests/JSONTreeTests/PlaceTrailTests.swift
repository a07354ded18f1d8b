import TestSupport
import Testing

@testable import JSONTree

/// Places that are followed back through what was done.
@Suite struct PlaceTrailTests {
    @Test func `what is not touched is where the trail leads, as it was`() throws {
        var (moved, followed) = (0, 0)
        for seed in Seeds.of(3_000) {
            var random = SeededGenerator(seed: seed)
            let before = JSON.crowded(&random)
            let patch = JSONPatch.random(&random, on: before, count: 1 + random.below(4))
            let (after, made) = try before.applying(patch)
            for pointer in PlaceTrailTests.places(in: after) {
                var trail = PlaceTrail(pointer, in: after)
                if trail.goBack(over: made) { continue }
                followed += 1
                if trail.pointer != pointer { moved += 1 }
                let isSame = before[trail.pointer] == after[pointer] && !trail.hasEnded
                guard isSame else {
                    Issue.record("seed \(seed): \(pointer) of \(after) is not \(trail.pointer)")
                    return
                }
            }
        }
        #expect(followed > Seeds.expected(2_000) && moved > Seeds.expected(100))
    }

    /// The addresses of all values inside.
    private static func places(in tree: JSON, under place: JSONPointer = .root) -> [JSONPointer] {
        let inside: [JSONPointer] =
            if let elements = tree.elements {
                elements.indices.map { place.appending($0) }
            } else {
                tree.members?.map { place.appending(MemberName($0.name)) } ?? []
            }
        return inside.flatMap { here in
            let rest = JSONPointer(tokens: Array(here.tokens.suffix(1)))
            return [here] + places(in: tree[rest] ?? .null, under: here)
        }
    }

    private func back(_ place: String, _ after: String, _ edit: JSONEdit) throws -> (Bool, String?)
    {
        let pointer = try #require(JSONPointer(parsing: place))
        var trail = PlaceTrail(pointer, in: try JSON(parsing: Array(after.utf8)))
        let isTouched = trail.goBack(over: ReversiblePatch([edit]))
        return (isTouched, trail.hasEnded ? nil : trail.pointer.description)
    }

    @Test func `elements shift, members do not, and what was put in has nothing before`() throws {
        let zero = JSONPointer(names: ["0"])
        #expect(try back("/1", "[1,2,3]", .add(zero, 1)) == (false, "/0"))
        #expect(try back("/0", "[1,2,3]", .add(zero, 1)) == (true, nil))
        #expect(try back("/1", "[1,2,3]", .remove(zero, 0)) == (false, "/2"))
        #expect(try back("/1", #"{"0":1,"1":2}"#, .add(zero, 1)) == (false, "/1"))
        #expect(try back("/0", #"{"0":1,"1":2}"#, .add(zero, 1)) == (true, "/0"))
        let away = JSONPointer(names: ["a", "b"])
        #expect(
            try back("/c/x", #"{"a":{},"c":{"x":1}}"#, .move(from: away, to: .init(names: ["c"])))
                == (true, "/a/b/x"))
        #expect(
            try back("/a", #"{"a":{},"c":{"x":1}}"#, .move(from: away, to: .init(names: ["c"])))
                == (true, "/a"))
    }
}
