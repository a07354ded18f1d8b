import JSONTree
import Journaling
import TestSupport
import Testing

@testable import DocumentCore
@testable import Documents

/// The laws of a merge of several drafts, over random histories of documents and their drafts.
@Suite struct ReleaseLawTests {
    /// A fault that a law must find.
    enum Mutant: CaseIterable {
        /// The last draft with edits is left out.
        case leavesOneOut
        /// Where one draft is in conflict, the others are merged.
        case mergesTheRest
        /// An undo of the merge is missing in one document.
        case undoesAllButOne
    }

    /// The result of a seed.
    private enum Finding { case held, refused, broken(String) }

    /// Merges all drafts of a history, and each in turn in an equal one.
    private func check(_ seed: UInt64, _ mutant: Mutant? = nil) async throws -> Finding {
        let history = try await ReleaseHistory(seed: seed)
        let other = try await ReleaseHistory(seed: seed)
        defer {
            history.store.close()
            other.store.close()
        }
        let start = try await history.values()
        let conflicts = try await history.inConflict()
        if !conflicts.isEmpty {
            return try await refusal(history, conflicts, start, mutant)
        }
        let ahead = try await history.ahead()
        try await other.mergeInTurn(ReleaseHistory.drafts)
        var drafts = ReleaseHistory.drafts
        if mutant == .leavesOneOut, let last = ahead.lastIndex(where: { $0 > 0 }) {
            drafts.remove(at: last)
        }
        let outcome = try await history.merge(drafts)
        let merged = try await history.values()
        if try await merged != other.values() { return .broken("not the same as in turn") }
        if try await history.ahead() != other.ahead() { return .broken("another rest") }
        let count = ahead.count { $0 > 0 }
        if outcome.merged.count != count { return .broken("\(count) drafts have edits") }
        guard let leader = outcome.leader else { return .held }
        try await history.undo(leader)
        if mutant == .undoesAllButOne { try await history.mergeInTurn([drafts[0]]) }
        if try await history.values() != start { return .broken("undo leads elsewhere") }
        // A merge that changed no origin has nothing to undo.
        let isUndone = outcome.merged.contains { $0.origin.change != nil }
        let again = isUndone ? ahead : try await other.ahead()
        if try await history.ahead() != again { return .broken("it cannot be made again") }
        _ = try await history.merge(drafts)
        if try await history.values() != merged { return .broken("again is another value") }
        return .held
    }

    private func refusal(
        _ history: ReleaseHistory, _ conflicts: [DocumentID], _ start: [JSON], _ mutant: Mutant?
    ) async throws -> Finding {
        let before = history.store.lastSequence
        if mutant == .mergesTheRest {
            try await history.mergeInTurn(
                ReleaseHistory.drafts.filter { !conflicts.contains($0) })
        }
        do {
            _ = try await history.merge(ReleaseHistory.drafts)
            return .broken("a conflict refuses nothing")
        } catch let refusal as MergeOfManyRefusal {
            guard case .draft(.conflicts) = refusal.refusal.error else { throw refusal }
            if refusal.conflicts.map(\.draft.id) != conflicts {
                return .broken("other conflicts")
            }
        }
        if history.store.lastSequence != before {
            return .broken("a refusal has changed something")
        }
        return try await history.values() == start ? .refused : .broken("another value")
    }

    @Test func `law D14: a merge of drafts is each in turn or nothing, and undone as one`()
        async throws
    {
        var (held, refused) = (0, 0)
        for seed in Seeds.of(240, from: 12_000) {
            switch try await check(seed) {
            case .held: held += 1
            case .refused: refused += 1
            case .broken(let what): Issue.record("seed \(seed): \(what)")
            }
        }
        #expect(held > Seeds.expected(40) && refused > Seeds.expected(30), "\(held), \(refused)")
    }

    @Test(arguments: Mutant.allCases)
    func `law D14 finds a merge that is wrong`(mutant: Mutant) async throws {
        for seed in (0..<40).map({ 12_000 + UInt64($0) }) {
            if case .broken = try await check(seed, mutant) { return }
        }
        Issue.record("no seed shows \(mutant)")
    }
}
