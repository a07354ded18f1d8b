import JSONTree
import Naming
import SelectiveUndo
import TestSupport
import Testing

/// The laws of undo by operations: against the same history with each operation as a change.
@Suite struct PartLawTests {
    /// A history of edits of several operations, and the same with one operation in each change.
    private struct Twins {
        var whole: UndoScene
        var single: UndoScene
        /// By revision of `whole`, the revisions of `single`.
        var revisions: [Int: [Int]] = [:]
        var generator: UndoGenerator

        init(seed: UInt64) {
            generator = UndoGenerator(SeededGenerator(seed: seed))
            let start = generator.start()
            (whole, single) = (UndoScene(start), UndoScene(start))
            (whole.comparesModel, single.comparesModel) = (false, false)
        }

        mutating func edit() throws {
            let actor = UndoGenerator.actors[generator.random.below(3)]
            var (tree, patch) = (whole.tree, ReversiblePatch.empty)
            for _ in 0...generator.random.below(3) {
                guard let next = generator.patch(on: tree),
                    let (after, step) = try? tree.applying(next), after != tree
                else { continue }
                (tree, patch) = (after, ReversiblePatch(patch.edits + step.edits))
            }
            // A value moved onto a member is two edits, which stay together.
            guard tree != whole.tree, !patch.edits.contains(where: \.isMove) else { return }
            guard let revision = try whole.edit(by: actor, patch, tree) else { return }
            for edit in patch.edits {
                let one = ReversiblePatch([edit])
                let made = try single.edit(by: actor, one, try single.tree.applying(one))
                revisions[revision, default: []].append(made ?? -1)
            }
        }
    }

    /// Edits of an actor that are in effect, the newest first.
    private func chosen(_ twins: Twins, _ actor: Name) -> [Int] {
        let inEffect = Set(twins.whole.revisionsInEffect)
        return twins.whole.line.filter { $0.actor == actor && inEffect.contains($0.revision) }
            .map(\.revision).reversed()
    }

    @Test(arguments: [ConflictPolicy.reject, .theirs, .mine])
    func `18: operations go out of effect as changes of their own would, and come back`(
        policy: ConflictPolicy
    ) throws {
        var (done, refused, inPart) = (0, 0, 0)
        for seed in Seeds.of(200, from: 64_000) {
            var twins = Twins(seed: seed)
            for _ in 0..<12 { try twins.edit() }
            let revisions = chosen(twins, "ada")
            if revisions.isEmpty || twins.revisions.values.joined().contains(-1) { continue }
            var parts: [ChangePart] = []
            var single: [Int] = []
            for revision in revisions {
                let all = twins.revisions[revision] ?? []
                let some = all.indices.filter { _ in twins.generator.random.below(3) > 0 }
                if some.isEmpty { continue }
                parts.append(ChangePart(revision, operations: some))
                single += some.map { all[$0] }
            }
            if parts.isEmpty { continue }
            let before = twins.whole.state
            let target = OwnUndoRequest.Target.parts(ChosenParts(parts))
            let result = try twins.whole.revert(OwnUndoRequest(target, policy: policy))
            let expected = try twins.single.revert(
                OwnUndoRequest(.changes(single.sorted()), policy: policy))
            switch (result, expected) {
            case (.success(let undo), .success(let other)):
                #expect(twins.whole.tree == twins.single.tree, "seed \(seed)")
                let taken = undo.reversal.changesOff.flatMap { part in
                    let all = twins.revisions[part.revision] ?? []
                    return part.operations.map { $0.map { all[$0] } } ?? all
                }
                #expect(taken.sorted() == other.reversal.off.sorted(), "seed \(seed)")
                done += 1
                if !undo.reversal.partsOff.isEmpty { inPart += 1 }
                let back = OwnUndoRequest(.change(twins.whole.revision))
                _ = try twins.whole.returns(to: before, by: back, seed: seed)
            case (.failure(.conflicts(let mine)), .failure(.conflicts(let theirs))):
                #expect(
                    Set(mine.flatMap(\.places)) == Set(theirs.flatMap(\.places)), "seed \(seed)")
                #expect(twins.whole.tree == before.0, "seed \(seed)")
                refused += 1
            default: Issue.record("seed \(seed): \(result), each by itself \(expected)")
            }
        }
        #expect(done > Seeds.expected(50) && inPart > Seeds.expected(20), "\(done), \(inPart)")
        if policy == .reject { #expect(refused > Seeds.expected(2), "\(refused)") }
    }

    @Test func `18: what is kept stays seen, and keep and then the rest is the same as all`()
        throws
    {
        var (kept, rest) = (0, 0)
        for seed in Seeds.of(200, from: 65_000) {
            var twins = Twins(seed: seed)
            for _ in 0..<12 { try twins.edit() }
            let revisions = chosen(twins, "ada")
            if revisions.isEmpty { continue }
            let all = ChosenParts(revisions.map { ChangePart($0) })
            var whole = twins.whole
            guard case .success = try whole.revert(OwnUndoRequest(.parts(all))) else { continue }
            var some = all
            let pointers = twins.whole.line.flatMap { $0.places }
            guard !pointers.isEmpty else { continue }
            some.choice.kept = [pointers[twins.generator.random.below(pointers.count)]]
            guard case .success(let undo) = try twins.whole.revert(OwnUndoRequest(.parts(some)))
            else { continue }
            for place in undo.reversal.kept where twins.whole.tree[place] != nil { kept += 1 }
            let last = try twins.whole.revert(OwnUndoRequest(.parts(all)))
            switch last {
            case .success: rest += 1
            case .failure(.notInEffect): #expect(undo.reversal.kept.isEmpty, "seed \(seed)")
            case .failure(let error): Issue.record("seed \(seed): \(error)")
            }
            #expect(twins.whole.tree == whole.tree, "seed \(seed)")
            #expect(twins.whole.revisionsInEffect == whole.revisionsInEffect, "seed \(seed)")
        }
        #expect(kept > Seeds.expected(10) && rest > Seeds.expected(10), "\(kept), \(rest)")
    }

    @Test func `18: two undos, one of the rest, come back in two steps`() throws {
        var steps = 0
        for seed in Seeds.of(150, from: 66_000) {
            var twins = Twins(seed: seed)
            for _ in 0..<10 { try twins.edit() }
            let revisions = chosen(twins, "ada")
            let all = ChosenParts(revisions.map { ChangePart($0) })
            var some = all
            some.choice.kept =
                twins.whole.line.last.map { $0.places.prefix(1) }.map(Array.init) ?? []
            let start = twins.whole.state
            guard !revisions.isEmpty, !some.choice.kept.isEmpty,
                case .success = try twins.whole.revert(OwnUndoRequest(.parts(some)))
            else { continue }
            let first = twins.whole.revision
            let middle = twins.whole.state
            guard case .success = try twins.whole.revert(OwnUndoRequest(.parts(all))) else {
                continue
            }
            for (revision, state) in [(twins.whole.revision, middle), (first, start)] {
                let back = OwnUndoRequest(.change(revision))
                if try twins.whole.returns(to: state, by: back, seed: seed) { steps += 1 }
            }
        }
        #expect(steps > Seeds.expected(20), "\(steps)")
    }
}
