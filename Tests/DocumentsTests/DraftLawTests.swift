import JSONTree
import Journaling
import Naming
import SelectiveUndo
import TestSupport
import Testing

@testable import DocumentCore
@testable import Documents

/// The laws of rule 20, over random histories of a document and its draft; with net edits, and
/// where only the values are compared.
@Suite struct DraftLawTests {
    private static let count = 150

    /// Runs a body on a random history and says which seed broke a law. Returns how often the body
    /// was about something.
    private func each(
        _ offset: UInt64, isNarrowed: Bool,
        _ body: (UInt64, inout DraftHistory) async throws -> Bool
    ) async -> Int {
        var count = 0
        for seed in Seeds.of(DraftLawTests.count, from: offset) {
            do {
                var history = try await DraftHistory(seed: seed, isNarrowed: isNarrowed)
                defer { history.store.close() }
                if try await body(seed, &history) { count += 1 }
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
        return count
    }

    /// The same history again.
    private func again(_ seed: UInt64, _ isNarrowed: Bool) async throws -> DraftHistory {
        try await DraftHistory(seed: seed, isNarrowed: isNarrowed)
    }

    @Test(arguments: [false, true])
    func `law D1: the common state with either side's edits is that side`(isNarrowed: Bool) async {
        let count = await each(0, isNarrowed: isNarrowed) { seed, history in
            let found = try await history.compare()
            #expect(try found.common.applying(found.ahead.patch) == found.draft.tree, "\(seed)")
            #expect(try found.common.applying(found.behind.patch) == found.origin.tree, "\(seed)")
            return !found.ahead.patch.isEmpty && !found.behind.patch.isEmpty
        }
        #expect(count > Seeds.expected(30))
    }

    @Test(arguments: [false, true])
    func `law D2, D3: a merge leaves the draft's value, and changes nothing without edits`(
        isNarrowed: Bool
    ) async {
        let count = await each(1_000, isNarrowed: isNarrowed) { seed, history in
            let found = try await history.compare()
            let before = try await history.values()
            if found.ahead.patch.isEmpty {
                let merged = try await history.merge(.reject)
                #expect(merged.origin.change == nil && merged.draft.change == nil, "\(seed)")
                #expect(try await history.values() == before, "\(seed)")
                return true
            }
            guard found.behind.patch.isEmpty else { return false }
            _ = try await history.merge(.reject)
            #expect(try await history.values() == [before[1], before[1]], "\(seed)")
            return true
        }
        #expect(count > Seeds.expected(30))
    }

    @Test(arguments: [false, true])
    func `law D4: a conflict refuses both ways or neither, and changes nothing`(
        isNarrowed: Bool
    ) async {
        let count = await each(2_000, isNarrowed: isNarrowed) { seed, history in
            let found = try await history.compare()
            let conflicts = try found.conflicts()
            let isInConflict = !conflicts.isEmpty
            #expect(try found.conflictPlaces().places == conflicts.map(\.place), "\(seed)")
            let before = try await history.values()
            let other = try await self.again(seed, isNarrowed)
            defer { other.store.close() }
            var refusals = 0
            do { _ = try await history.merge(.reject) } catch ChangeError.draft(.conflicts) {
                refusals += 1
                #expect(try await history.values() == before, "\(seed)")
            }
            do { _ = try await other.update(.reject) } catch ChangeError.draft(.conflicts) {
                refusals += 1
                #expect(try await other.values() == before, "\(seed)")
            }
            #expect(refusals == (isInConflict ? 2 : 0), "\(seed)")
            return isInConflict
        }
        #expect(count > Seeds.expected(15))
    }

    @Test(arguments: [false, true])
    func `law D5, D6: a merge is one change there or none, leaves the draft, and is done once`(
        isNarrowed: Bool
    ) async {
        let count = await each(3_000, isNarrowed: isNarrowed) { seed, history in
            let policy: ConflictPolicy = seed.isMultiple(of: 2) ? .mine : .theirs
            let before = try await history.compare()
            let merged = try await history.merge(policy)
            let (head, values) = (
                try await history.store.read(DraftHistory.origin).revision,
                try await history.values()
            )
            #expect(head == before.origin.revision + (merged.origin.change == nil ? 0 : 1))
            #expect(values[1] == before.draft.tree, "\(seed)")
            let again = try await history.merge(.reject)
            #expect(again.origin.change == nil && again.draft.change == nil, "\(seed)")
            #expect(try await history.values() == values, "\(seed)")
            return merged.origin.change != nil
        }
        #expect(count > Seeds.expected(50))
    }

    @Test(arguments: [false, true])
    func `law D7, D8: update and merge commute, and both make the documents equal`(
        isNarrowed: Bool
    ) async {
        let count = await each(4_000, isNarrowed: isNarrowed) { seed, history in
            let policy: ConflictPolicy = seed.isMultiple(of: 2) ? .mine : .theirs
            let other = try await self.again(seed, isNarrowed)
            defer { other.store.close() }
            _ = try await history.update(policy)
            // Decided places are not in conflict any more.
            _ = try await history.merge(.reject)
            _ = try await other.merge(policy)
            let merged = try await other.value(DraftHistory.origin)
            #expect(try await history.value(DraftHistory.origin) == merged, "\(seed)")
            _ = try await other.update(.reject)
            #expect(try await history.values() == [merged, merged], "\(seed)")
            #expect(try await other.values() == [merged, merged], "\(seed)")
            return true
        }
        #expect(count == Seeds.of(DraftLawTests.count).count)
    }

    @Test(arguments: [false, true])
    func `law D9, D10: a merge that is undone puts the origin back, and can be made again`(
        isNarrowed: Bool
    ) async {
        let count = await each(5_000, isNarrowed: isNarrowed) { seed, history in
            let policy: ConflictPolicy = seed.isMultiple(of: 2) ? .mine : .theirs
            let before = try await history.values()
            guard let made = try await history.merge(policy).origin.change else { return false }
            let merged = try await history.values()
            if seed.isMultiple(of: 3) {
                let wanted = OwnUndoRequest(.change(made.revision))
                _ = try await history.store.change(
                    DraftHistory.origin, ChangeRequest(.revert(wanted), actor: "cyd"))
            } else {
                try await history.undo(DraftHistory.origin)
            }
            #expect(try await history.values() == before, "\(seed)")
            _ = try await history.merge(policy)
            #expect(try await history.values() == merged, "\(seed)")
            return true
        }
        #expect(count > Seeds.expected(50))
    }

    @Test(arguments: [false, true])
    func `law D10: after a merge was undone, an update keeps the draft's work`(
        isNarrowed: Bool
    ) async {
        let count = await each(6_000, isNarrowed: isNarrowed) { seed, history in
            let policy: ConflictPolicy = seed.isMultiple(of: 2) ? .mine : .theirs
            guard try await history.merge(policy).origin.change != nil else { return false }
            let merged = try await history.value(DraftHistory.origin)
            try await history.undo(DraftHistory.origin)
            _ = try await history.update(policy)
            #expect(try await history.value(DraftHistory.draft) == merged, "\(seed)")
            _ = try await history.merge(.reject)
            #expect(try await history.values() == [merged, merged], "\(seed)")
            return true
        }
        #expect(count > Seeds.expected(50))
    }

    @Test(arguments: [false, true])
    func `law D11: an update that is undone leaves the draft as it was, and the merge, too`(
        isNarrowed: Bool
    ) async {
        let count = await each(7_000, isNarrowed: isNarrowed) { seed, history in
            let policy: ConflictPolicy = seed.isMultiple(of: 2) ? .mine : .theirs
            let other = try await self.again(seed, isNarrowed)
            defer { other.store.close() }
            let before = try await history.values()
            guard try await history.update(policy).change != nil else { return false }
            try await history.undo(DraftHistory.draft)
            #expect(try await history.values() == before, "\(seed)")
            _ = try await history.merge(policy)
            _ = try await other.merge(policy)
            #expect(try await history.values() == other.values(), "\(seed)")
            return true
        }
        #expect(count > Seeds.expected(30))
    }

    @Test(arguments: [false, true])
    func `law D12: a part leaves the draft, and the rest makes it whole`(isNarrowed: Bool) async {
        let count = await each(8_000, isNarrowed: isNarrowed) { seed, history in
            let other = try await self.again(seed, isNarrowed)
            defer { other.store.close() }
            let draft = try await history.value(DraftHistory.draft)
            guard let part = try await history.mergePart(.mine), part.left != 0 else {
                return false
            }
            #expect(try await history.value(DraftHistory.draft) == draft, "\(seed)")
            _ = try await history.merge(.mine)
            _ = try await other.merge(.mine)
            #expect(try await history.values() == other.values(), "\(seed)")
            return true
        }
        #expect(count > Seeds.expected(20))
    }

    @Test(arguments: [false, true])
    func `law D13, D1: when all is merged and updated, every draft equals its origin`(
        isNarrowed: Bool
    ) async {
        let (first, second) = (DraftHistory.draft, DocumentID("menu~bob")!)
        let inner = DocumentID("menu~ada~x")!
        let count = await each(9_000, isNarrowed: isNarrowed) { seed, history in
            let policy: ConflictPolicy = seed.isMultiple(of: 2) ? .mine : .theirs
            let all = [DraftHistory.origin, first, second, inner]
            try await history.copy(DraftHistory.origin, as: second)
            try await history.copy(first, as: inner)
            for _ in 0..<3 {
                try await history.edit(all)
                let draft = all[1 + history.generator.random.below(3)]
                if history.generator.random.once(in: 2) {
                    _ = try await history.merge(policy, of: draft)
                } else {
                    _ = try await history.update(policy, of: draft)
                }
                for draft in all.dropFirst() {
                    let found = try await history.compare(draft)
                    let (ahead, behind) = (found.ahead.patch, found.behind.patch)
                    #expect(try found.common.applying(ahead) == found.draft.tree, "\(seed)")
                    #expect(try found.common.applying(behind) == found.origin.tree, "\(seed)")
                }
            }
            for draft in [inner, first, second] { _ = try await history.merge(policy, of: draft) }
            for draft in [first, second, inner] {
                _ = try await history.update(.reject, of: draft)
            }
            let value = try await history.value(DraftHistory.origin)
            for draft in all.dropFirst() {
                #expect(try await history.value(draft) == value, "\(seed): \(draft)")
            }
            return true
        }
        #expect(count == Seeds.of(DraftLawTests.count).count)
    }
}
