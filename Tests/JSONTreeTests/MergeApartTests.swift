import TestSupport
import Testing

@testable import JSONTree

/// What lets most pairs of a merge be passed at once.
@Suite struct MergeApartTests {
    private func edits(
        _ random: inout SeededGenerator, on tree: JSON
    ) throws -> [MergeEdit] {
        let patch = JSONPatch.random(&random, on: tree, count: 3)
        let (_, changes) = try tree.applying(patch)
        guard let first = changes.edits.first else { return [] }
        return MergeEdit.edits(of: first, in: tree, origin: 0)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
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
                    guard pair.isApart else {
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
        #expect(EditPair(mine: first, theirs: third).isApart)
        #expect(!EditPair(mine: first, theirs: edit(.insert(0), "/l/1")).isApart)
        #expect(EditPair(mine: first, theirs: edit(.insert(0), "/l/2/0")).isApart)
        #expect(!EditPair(mine: third, theirs: edit(.insert(0), "/l/2/0")).isApart)
    }
}
