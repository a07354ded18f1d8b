@testable import JSONTree
import TestSupport
import Testing

/// Laws of merging, on random edits of trees in which they meet. A failure names the seed.
@Suite struct MergeLawTests {
    static let seeds = Seeds.of(60, from: 1)

    /// Both sides of a merge: a state, what others did to it one after the other, and my edit.
    private struct Sides {
        let base: JSON
        var theirs: [ReversiblePatch] = []
        /// Those of their changes that are undos.
        var undos: Set<Int> = []
        var head: JSON
        let mine: RecordedPatch
        let sent: JSON

        init(
            _ random: inout SeededGenerator, hasTests: Bool = false, hasUndo: Bool = false
        ) throws {
            base = JSON.crowded(&random)
            head = base
            for _ in 0..<(1 + random.below(hasUndo ? 6 : 3)) {
                if hasUndo, let last = theirs.last, random.once(in: 3) {
                    undos.insert(theirs.count)
                    theirs.append(last.inverse)
                    head = try head.applying(last.inverse)
                    continue
                }
                let patch = JSONPatch.random(&random, on: head, count: 1 + random.below(6))
                let (tree, change) = try head.applying(patch)
                theirs.append(change)
                head = tree
            }
            let patch = JSONPatch.random(
                &random, on: base, count: 1 + random.below(6), hasTests: hasTests)
            (sent, mine) = try base.recording(patch)
        }

        /// Adds a change of theirs that takes another one back.
        mutating func undo(_ change: ReversiblePatch) throws {
            undos.insert(theirs.count)
            theirs.append(change.inverse)
            head = try head.applying(change.inverse)
        }

        var later: [MergeBase.Later] {
            theirs.enumerated().map { index, patch in
                MergeBase.Later(
                    patch, revision: index + 1,
                    returning: undos.contains(index) ? .anything : .nothing)
            }
        }

        func merged(_ policy: ConflictPolicy) throws -> MergedEdit {
            let merge = try MergeBase(before: later, head: head, pairsMax: 1_000_000)
            #expect(merge.tree == base)
            return try merge.merge(mine, policy: policy)
        }
    }

    @Test(arguments: seeds, [ConflictPolicy.mine, .theirs])
    func `both ways lead to one tree, whoever gives way (TP1)`(
        seed: UInt64, policy: ConflictPolicy
    ) throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<20 {
            let sides = try Sides(&random, hasTests: true, hasUndo: random.once(in: 2))
            let merged = try sides.merged(policy)
            let note: Comment = "seed \(seed) round \(round): \(sides.base)"
            #expect(merged.sentTree == sides.sent, note)
            let one = try? sides.head.applying(merged.patch)
            let other = try? sides.sent.applying(merged.missed)
            #expect(one != nil && one == other, note)
            // As clients receive them.
            let strict = try merged.missed.operations(on: sides.sent)
            #expect(try sides.sent.applying(strict).tree == other, note)
            let textual = merged.patch.textOperations
            #expect(try sides.head.applying(textual).tree == one, note)
            // The stored patch can be reverted.
            #expect(try one?.applying(merged.patch.inverse) == sides.head, note)
        }
    }

    @Test(arguments: seeds, [ConflictPolicy.mine, .theirs])
    func `an edit merged with more and more of theirs is merged with all of it`(
        seed: UInt64, policy: ConflictPolicy
    ) throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<20 {
            let sides = try Sides(&random, hasTests: true, hasUndo: random.once(in: 2))
            let note: Comment = "seed \(seed) round \(round): \(sides.base)"
            let first = try sides.base.applying(sides.theirs[0])
            let begun = try MergeBase(
                before: Array(sides.later.prefix(1)), head: first, pairsMax: 1_000_000
            ).merge(sides.mine, policy: policy)
            let whole = try sides.merged(policy)
            let rest = Array(sides.later.dropFirst())
            guard let merged = try begun.unlessTakenBack(rest, to: sides.head) else { continue }
            #expect(merged.patch == whole.patch && merged.missed == whole.missed, note)
            #expect(merged.conflicts == whole.conflicts && merged.hasLoss == whole.hasLoss, note)
            // A change that does not follow the merged state is refused.
            let other: JSON = ["another": "state"]
            #expect(throws: MergeBase.Failure.mismatch, note) {
                try begun.following([], to: other)
            }
        }
    }

    @Test(arguments: seeds, [ConflictPolicy.mine, .theirs])
    func `what others did and undid is as if nothing had happened`(
        seed: UInt64, policy: ConflictPolicy
    ) throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<20 {
            var sides = try Sides(&random, hasTests: true)
            for change in sides.theirs.reversed() { try sides.undo(change) }
            let merged = try sides.merged(policy)
            let note: Comment = "seed \(seed) round \(round): \(sides.base)"
            #expect(merged.conflicts.isEmpty && !merged.hasLoss, note)
            #expect(try sides.head.applying(merged.patch) == sides.sent, note)
            #expect(merged.missed.isEmpty, note)
        }
    }

    /// Clients merge with what they read: another edit would lead them to another tree.
    @Test(arguments: seeds)
    func `a merged edit is read as it is stored`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<40 {
            let sides = try Sides(&random, hasUndo: random.once(in: 2))
            for policy in [ConflictPolicy.mine, .theirs] {
                let patch = try sides.merged(policy).patch
                let (_, read) = try sides.head.applying(patch.textOperations)
                let (stored, found) = (steps(patch, sides.head), steps(read, sides.head))
                #expect(found == stored, "seed \(seed), round \(round)")
            }
        }
    }

    /// Also of patches stored as sent, of undo, and of old journals.
    @Test(arguments: seeds)
    func `a patch is merged with as it is read`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var cases: [(JSON, ReversiblePatch)] = []
        for _ in 0..<40 {
            let base = JSON.crowded(&random)
            let sent = JSONPatch.random(
                &random, on: base, count: 1 + random.below(6), hasTests: true)
            cases.append((base, try base.applying(sent).patch))
        }
        // Halves of a move that are not: in one of them something relied on the place between.
        for operations in [
            #"[{"op":"move","from":"/0/x","path":"/1"},{"op":"move","from":"/1","path":"/0"}]"#,
            #"[{"op":"move","from":"/2","path":"/3"},{"op":"test","path":"/3","value":0},"#
                + #"{"op":"move","from":"/3","path":"/2/x"}]"#,
            #"[{"op":"move","from":"/3","path":"/-"},{"op":"replace","path":"/1","value":2}]"#,
        ] {
            let base = try JSON(parsing: #"[{"x":"a"},1,0,{}]"#)
            let patch = try JSONPatch(JSON(parsing: operations))
            cases.append((base, try base.applying(patch).patch))
        }
        for (base, patch) in cases {
            let after = try base.applying(patch)
            for (start, patch) in [(base, patch), (after, patch.inverse)] {
                let read = try start.applying(patch.textOperations).patch
                #expect(steps(read, start) == steps(patch.asRead, start), "seed \(seed)")
                #expect(patch.inverse.asRead == patch.asRead.inverse, "seed \(seed)")
            }
        }
    }

    /// The effect of a patch, in the form for merges.
    private func steps(_ patch: ReversiblePatch, _ start: JSON) -> [MergeEdit] {
        var tree = start
        return patch.edits.flatMap { edit in
            defer { _ = try? tree.apply(edit) }
            return MergeEdit.edits(of: edit, in: tree, origin: 0)
        }
    }

    @Test(arguments: seeds)
    func `whether two edits are in conflict does not depend on who is first`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let base = JSON.crowded(&random)
            let patches = try (0..<2).map { _ in
                try base.applying(JSONPatch.random(&random, on: base, count: 1)).patch
            }
            let conflicts = try [(0, 1), (1, 0)].map { mine, theirs in
                let merge = try MergeBase(
                    before: [.init(patches[theirs], revision: 1)],
                    head: base.applying(patches[theirs]), pairsMax: 100)
                return try !merge.merge(RecordedPatch(patches[mine]), policy: .mine)
                    .conflicts.isEmpty
            }
            #expect(conflicts[0] == conflicts[1], "\(base) \(patches)")
        }
    }

    @Test(arguments: seeds)
    func `without a conflict nothing of either side is lost`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            // Every element is another one.
            let base = JSON(elements: (0..<(2 + random.below(6))).map { JSON($0) })
            var sides: [(gone: Set<String>, come: Set<String>, patch: ReversiblePatch)] = []
            for side in 0..<2 {
                var (tree, patch) = (base, ReversiblePatch.empty)
                for number in 0..<(1 + random.below(4)) {
                    let count = tree.elements?.count ?? 0
                    let at = JSONPointer(names: ["\(random.below(count + 1))"])
                    let from = JSONPointer(names: ["\(random.below(max(1, count)))"])
                    let operation: JSONOperation =
                        switch random.below(count == 0 ? 1 : 3) {
                        case 0: .add(at, JSON("new \(side) \(number)"))
                        case 1: .remove(from)
                        default:
                            .move(from: from, to: JSONPointer(names: ["\(random.below(count))"]))
                        }
                    let step = try tree.applying(JSONPatch([operation]))
                    tree = step.tree
                    patch.append(step.patch)
                }
                let (before, after) = (Set(base.texts), Set(tree.texts))
                sides.append((before.subtracting(after), after.subtracting(before), patch))
            }
            let merge = try MergeBase(
                before: [.init(sides[1].patch, revision: 1)],
                head: base.applying(sides[1].patch), pairsMax: 1_000)
            let merged = try merge.merge(RecordedPatch(sides[0].patch), policy: .mine)
            guard merged.conflicts.isEmpty else { continue }
            let result = try merge.head.applying(merged.patch).texts
            let expected = Set(base.texts).subtracting(sides[0].gone).subtracting(sides[1].gone)
                .union(sides[0].come).union(sides[1].come)
            #expect(Set(result) == expected && result.count == expected.count)
        }
    }

    @Test(arguments: seeds)
    func `edits inside texts are never in conflict`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let base = JSON(JSON.randomLetters(&random, upTo: 12))
            let patches = try (0..<2).map { _ in
                try base.applying(.randomText(&random, on: base, count: 1 + random.below(5))).patch
            }
            let merge = try MergeBase(
                before: [.init(patches[1], revision: 1)], head: base.applying(patches[1]),
                pairsMax: 100)
            #expect(try merge.merge(RecordedPatch(patches[0]), policy: .mine).conflicts.isEmpty)
        }
    }

    @Test(arguments: seeds)
    func `a client that goes on typing on its own state comes to the same tree`(seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let sides = try Sides(&random)
            let merged = try sides.merged(.mine)
            // My first edit was stored; the next one is made on base and that edit.
            let own = MergeBase.Later(merged.patch, revision: 9, sent: sides.mine.patch)
            let head = try sides.head.applying(merged.patch)
            let merge = try MergeBase(
                before: sides.later + [own], head: head, pairsMax: 1_000_000)
            #expect(merge.tree == sides.sent)
            let next = try sides.sent.recording(JSONPatch.random(&random, on: sides.sent, count: 2))
            let second = try merge.merge(next.recorded, policy: .mine)
            #expect(
                try merge.head.applying(second.patch) == next.tree.applying(second.missed))
        }
    }
}

extension MergedEdit {
    fileprivate func unlessTakenBack(
        _ later: [MergeBase.Later], to head: JSON
    ) throws -> MergedEdit? {
        do throws(MergeBase.Failure) {
            return try following(later, to: head)
        } catch {
            guard case .takenBack = error else { throw error }
            return nil
        }
    }
}

extension JSON {
    fileprivate var texts: [String] { (elements ?? []).map(\.description) }
}
