import JSONTree
import TestSupport
import Testing

/// Laws that hold for every tree, checked on random ones. A failure names the seed to run again.
@Suite struct JSONTreeLawTests {
    static let seeds = Seeds.of(60, from: 1)

    func trees(_ seed: UInt64) -> (old: JSON, new: JSON) {
        var random = SeededGenerator(seed: seed)
        let old = JSON.random(&random, shape: .random(&random))
        return (old, old.mutated(&random, edits: 1 + random.below(6)))
    }

    @Test(arguments: seeds)
    func `serialize then parse is identity`(seed: UInt64) throws {
        let tree = trees(seed).new
        let text = tree.serialized()
        #expect(text.count == tree.byteCount)
        let parsed = try JSON(parsing: text)
        #expect(parsed == tree)
        #expect(parsed.isNumericallyEqual(to: tree))
        #expect(try JSON(parsing: tree.prettyPrinted()) == tree)
    }

    @Test(arguments: seeds)
    func `applying the diff gives the target, and its inverse gives the start`(seed: UInt64) throws
    {
        let (old, new) = trees(seed)
        let patch = old.diff(to: new)
        let after = try old.applying(patch)
        #expect(after.serialized().count == new.serialized().count)
        #expect(after == new, "\(old) -> \(new): \(patch.count)")
        #expect(try after.applying(patch.inverse) == old)
        #expect(patch.isEmpty == (old == new))
    }

    @Test(arguments: seeds)
    func `a diff written as RFC 6902 gives the same target`(seed: UInt64) throws {
        let (old, new) = trees(seed)
        let text = try old.diff(to: new).operations(on: old).serialized()
        let patch = try JSONPatch(JSON(parsing: text))
        #expect(!patch.hasTextOperations)
        let result = try old.applying(patch)
        #expect(result.tree == new)
        #expect(try result.tree.applying(result.patch.inverse) == old)
    }

    @Test(arguments: seeds)
    func `a diff written with text operations gives the same target`(seed: UInt64) throws {
        let (old, new) = trees(seed)
        let text = old.diff(to: new).textOperations.serialized()
        let result = try old.applying(JSONPatch(JSON(parsing: text)))
        #expect(result.tree == new)
        #expect(try result.tree.applying(result.patch.inverse) == old)
    }

    @Test(arguments: seeds)
    func `a diff is not longer than replacing the whole, apart from a small document`(seed: UInt64)
        throws
    {
        let (old, new) = trees(seed)
        let patch = old.diff(to: new).textOperations.serialized().count
        let whole = JSONPatch([.replace(.root, new)]).serialized().count
        #expect(patch <= whole + 320, "\(patch) > \(whole)")
    }

    @Test(arguments: seeds)
    func `an edit never changes an older tree, and in place gives what copying gives`(
        seed: UInt64
    ) throws {
        let (old, new) = trees(seed)
        let before = old.serialized()
        var inPlace = try JSON(parsing: before)
        let patch = old.diff(to: new)
        let copied = try old.applying(patch)
        try inPlace.apply(patch)
        #expect(old.serialized() == before)
        #expect(inPlace == copied)
        #expect(inPlace.byteCount == inPlace.serialized().count)
        #expect(inPlace.height == copied.height)
        #expect(inPlace.valueCount == NaiveJSON(copied).valueCount)
        #expect(copied.valueCount == inPlace.valueCount)
        #expect(try JSON(parsing: copied.serialized()).height == copied.height)
    }

    @Test(arguments: seeds)
    func `the hash does not depend on the edit history`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let start = JSON.random(&random, shape: .random(&random))
        var tree = start
        var inverses: [ReversiblePatch] = []
        for _ in 0..<20 {
            let next = tree.mutated(&random, edits: 1)
            let patch = tree.diff(to: next)
            inverses.append(patch.inverse)
            try tree.apply(patch)
            #expect(tree.contentHash == next.contentHash)
        }
        for inverse in inverses.reversed() { try tree.apply(inverse) }
        #expect(tree.contentHash == start.contentHash)
    }

    @Test(arguments: seeds)
    func `a merge patch gives what RFC 7396 says`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let target = JSON.random(&random, shape: .random(&random))
        let patch = JSON.random(&random, shape: TreeShape(depth: 2, width: 6))
        let merged = target.merging(patch)
        #expect(merged == naiveMerge(target, patch))
        let options = DiffOptions(isShort: random.once(in: 2))
        let edits = target.edits(merging: patch, options: options)
        #expect(try target.applying(edits) == merged)
        #expect(try merged.applying(edits.inverse) == target)
    }

    /// The pseudocode of RFC 7396 section 2, word for word.
    private func naiveMerge(_ target: JSON, _ patch: JSON) -> JSON {
        guard let changes = patch.members else { return patch }
        var result = target.members ?? []
        for (name, value) in changes {
            let place = result.firstIndex { Array($0.name.utf8) == Array(name.utf8) }
            if value.kind == .null {
                if let place { result.remove(at: place) }
            } else if let place {
                result[place].value = naiveMerge(result[place].value, value)
            } else {
                result.append((name: name, value: naiveMerge(.null, value)))
            }
        }
        return JSON(members: result.map { ($0.name, $0.value) })
    }
}

extension JSONTreeLawTests {
    @Test(arguments: seeds)
    func `a strict diff has no text operations and gives the target`(seed: UInt64) throws {
        let (old, new) = trees(seed)
        let patch = old.diff(to: new, options: DiffOptions(hasTextEdits: false))
        #expect(!patch.hasTextEdits)
        #expect(try old.applying(patch) == new)
        #expect(try new.applying(patch.inverse) == old)
    }

    @Test(arguments: ["id", "key"])
    func `elements are known by the identity that is asked for`(name: String) throws {
        func item(_ number: Int, _ text: String) -> JSON {
            [name: JSON(number), "text": JSON(text)]
        }
        let old = JSON(
            elements: (0..<20).map { item($0, "a text of some length about number \($0)") })
        var elements = try #require(old.elements)
        let moved = elements.remove(at: 3)
        elements.insert(
            try moved.replacing(at: #require(JSONPointer(parsing: "/text")), with: "short"), at: 15)
        let new = JSON(elements: elements)
        let patch = old.diff(to: new, options: DiffOptions(identityNames: [name])).textOperations
        #expect(patch.operations.contains { if case .move = $0 { true } else { false } })
        let other = old.diff(to: new, options: DiffOptions(identityNames: []))
        #expect(try old.applying(other) == new)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a hostile pair is compared in bounded time`() throws {
        var random = SeededGenerator(seed: 5)
        let old = JSON(elements: (0..<20_000).map { JSON($0 % 7) })
        let new = JSON(elements: try #require(old.elements).shuffled(using: &random))
        #expect(try old.applying(old.diff(to: new)) == new)
    }
}
