import TestSupport
import Testing

@testable import JSONTree

/// The shortcut by which most pairs of a merge are skipped.
@Suite struct MergeApartTests {
    private func edits(
        _ random: inout SeededGenerator, on tree: JSON
    ) throws -> [MergeEdit] {
        let patch = JSONPatch.random(&random, on: tree, count: 3)
        let (_, changes) = try tree.applying(patch)
        guard let first = changes.edits.first else { return [] }
        return MergeEdit.edits(of: first, in: tree, origin: 0)
    }

    @Test(arguments: Seeds.of(40))
    func `law: edits that are apart are passed as the table of pairs passes them`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        var (apart, others) = (0, 0)
        for round in 0..<200 {
            let tree = JSON.crowded(&random)
            for mine in try edits(&random, on: tree) {
                for theirs in try edits(&random, on: tree) {
                    let pair = EditPair(mine: mine, theirs: theirs)
                    guard mine.isApart(from: theirs) else {
                        others += 1
                        continue
                    }
                    apart += 1
                    let note: Comment = "seed \(seed) round \(round): \(mine), \(theirs)"
                    #expect(pair.relation == .independent, note)
                    #expect(pair.passed.mine == [mine] && pair.passed.theirs == [theirs], note)
                }
            }
        }
        #expect(apart > 10 && others > 10)
    }

    @Test func `elements of one array are apart unless one comes or goes`() {
        let tree: JSON = ["l": [[1], [2], [3]]]
        func edit(_ action: MergeEdit.Action, _ path: String) -> MergeEdit {
            MergeEdit(
                action, at: Place(JSONPointer(parsing: path)!, in: tree), origin: 0)
        }
        let first = edit(.set(old: 1, new: 5), "/l/0/0")
        let third = edit(.set(old: 3, new: 5), "/l/2/0")
        #expect(first.isApart(from: third))
        #expect(!first.isApart(from: edit(.insert(0), "/l/1")))
        #expect(first.isApart(from: edit(.insert(0), "/l/2/0")))
        #expect(!third.isApart(from: edit(.insert(0), "/l/2/0")))
    }

    /// Many edits, one after the other, in steps that can be passed.
    private func sequence(_ random: inout SeededGenerator, on tree: JSON) throws -> [[MergeEdit]] {
        var tree = tree
        var found: [[MergeEdit]] = []
        for _ in 0..<30 {
            let patch = JSONPatch.random(&random, on: tree, count: 1)
            for edit in try tree.applying(patch).patch.edits {
                found.append(MergeEdit.edits(of: edit, in: tree, origin: found.count))
                try tree.apply(edit)
            }
        }
        return found
    }

    @Test(arguments: Seeds.of(60))
    func `law: passing only what can meet comes to the same as passing all`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<10 {
            let tree = JSON.crowded(&random)
            let (mine, theirs) = (
                try sequence(&random, on: tree), try sequence(&random, on: tree)
            )
            let policy: ConflictPolicy = round.isMultiple(of: 2) ? .mine : .theirs
            var merge = Merge(over: theirs.flatMap(\.self), policy: policy, pairsMax: .max / 32)
            // One at a time, so that the others have no index.
            var (passed, others) = ([MergeEdit](), theirs.flatMap(\.self))
            var conflicts: [Merge.Conflict] = []
            for edits in mine {
                try merge.add(edits)
                var one = Merge(over: others, policy: policy, pairsMax: .max / 32)
                try one.add(edits)
                passed += one.mine
                others = one.theirs
                conflicts += one.conflicts
            }
            let note: Comment = "seed \(seed) round \(round)"
            #expect(merge.mine == passed && merge.theirs == others, note)
            #expect(Set(merge.conflicts) == Set(conflicts), note)
        }
    }

    @Test func `edits under other names are not looked at, nor counted`() throws {
        let names = (0..<200).map { "k\($0)" }
        let edits = names.map { name in
            MergeEdit(
                .set(old: 0, new: 1), at: Place(JSONPointer(names: [name]), in: [:]), origin: 0)
        }
        let others = names.map { name in
            MergeEdit(
                .set(old: 0, new: 2), at: Place(JSONPointer(names: [name]), in: [:]), origin: 1)
        }
        // Each meets one; all pairs would be more than these, and as many as are apart.
        var merge = Merge(over: others, policy: .mine, pairsMax: 500)
        try merge.add(edits)
        #expect(merge.mine.count == 400 && merge.theirs.isEmpty)
    }

    @Test(arguments: [ConflictPolicy.mine, .theirs])
    func `a value that goes takes along what others have changed in it, in one edit`(
        policy: ConflictPolicy
    ) throws {
        let tree: JSON = ["list": [1, 2], "text": "ab"]
        let text = JSONPointer(names: ["text"])
        var (shown, theirs) = (tree, [MergeEdit]())
        for number in 0..<2_000 {
            let list = try #require(JSONPointer(parsing: "/list/1"))
            for edit in [
                JSONEdit.add(list, JSON(number)),
                .splice(text, at: 1, removed: [], inserted: Array("x".utf8), isValue: false),
            ] {
                theirs += MergeEdit.edits(of: edit, in: shown, origin: number)
                try shown.apply(edit)
            }
        }
        var (mine, after) = ([MergeEdit](), tree)
        for edit in [
            JSONEdit.remove(JSONPointer(names: ["list"]), [1, 2]),
            .replace(text, old: "ab", new: 3),
        ] {
            mine += MergeEdit.edits(of: edit, in: after, origin: mine.count)
            try after.apply(edit)
        }
        // Each of theirs meets one of mine; an undone one of theirs would meet all others.
        var merge = Merge(over: theirs, policy: policy, pairsMax: 8_100)
        try merge.add(mine)
        #expect(merge.conflicts.count == (policy == .mine ? 4_000 : 2))
        for edit in merge.mine.compactMap(\.edit) { try shown.apply(edit) }
        for edit in merge.theirs.compactMap(\.edit) { try after.apply(edit) }
        #expect(shown == after)
        #expect(merge.mine.count == (policy == .mine ? 2 : 0))
    }

    /// Changes that mostly give the same places other values, and the trees before and after.
    private func counting(
        _ random: inout SeededGenerator
    ) throws -> (before: JSON, after: JSON, later: [ReversiblePatch]) {
        let before: JSON = ["a": 0, "b": [0, 1, 2], "c": ["d": 0, "e": "x"], "f": nil]
        var (tree, later) = (before, [ReversiblePatch]())
        for number in 0..<40 {
            let places = ["/a", "/b/1", "/b/2", "/c/d", "/c/e", "/f", "/c"]
            let place = try #require(JSONPointer(parsing: places[random.below(7)]))
            let isOther = random.below(8) == 0
            let patch: JSONPatch =
                if isOther || tree[place] == nil {
                    JSONPatch.random(&random, on: tree, count: 1)
                } else {
                    JSONPatch([.replace(place, random.below(9) == 0 ? ["d": 0] : JSON(number % 3))])
                }
            guard let next = try? tree.applying(patch) else { continue }
            tree = next.tree
            later.append(next.patch)
        }
        return (before, tree, later)
    }

    @Test(arguments: Seeds.of(300))
    func `law: going back passes over values that are overwritten, and comes to the same`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let (before, after, later) = try counting(&random)
        let base = try MergeBase(
            before: later.enumerated().map { .init($1, revision: $0) }, head: after,
            pairsMax: 1_000_000)
        #expect(base.tree == before)
        let whole = ReversiblePatch(later.flatMap(\.edits))
        let condensed = whole.condensed
        #expect(try before.applying(condensed) == after)
        #expect(try after.applying(condensed.inverse) == before)
        #expect(condensed.count <= whole.count)
    }

    @Test func `a value that was counted up a thousand times is missed once`() throws {
        let edits = (0..<1_000).flatMap { number in
            ["a", "b"].map { name in
                JSONEdit.replace(
                    JSONPointer(names: [name]), old: JSON(number), new: JSON(number + 1))
            }
        }
        #expect(ReversiblePatch(edits).condensed.count == 2)
    }
}
