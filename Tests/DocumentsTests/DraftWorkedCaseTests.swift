import JSONTree
import Journaling
import Naming
import SelectiveUndo
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// The worked cases of drafts, on the values.
@Suite struct DraftWorkedCaseTests {
    @Test(arguments: DraftCase.all)
    func `20: the worked cases have the values that people expect`(one: DraftCase) async throws {
        let history = try await DraftHistory(of: JSON(parsing: one.start))
        defer { history.store.close() }
        for step in try one.steps {
            let found = try await conflicts { try await perform(step.action, history) }
            #expect((found == nil) == (step.refusal == nil), "\(step.text)")
            if let places = step.refusal, let found, !places.isEmpty {
                #expect(found == places, "\(step.text)")
            }
            if let (ahead, behind) = step.counts {
                let compared = try await history.compare()
                #expect(compared.ahead.patch.count == ahead, "\(step.text)")
                #expect(compared.behind.patch.count == behind, "\(step.text)")
            }
            let values = try await history.values()
            if let value = step.origin { #expect(values[0] == value, "\(step.text)") }
            if let value = step.draft { #expect(values[1] == value, "\(step.text)") }
        }
    }

    /// The places of a conflict; `nil` if there was none.
    private func conflicts(_ body: () async throws -> Void) async throws -> [String]? {
        do {
            try await body()
            return nil
        } catch ChangeError.draft(.conflicts(let conflicts)) {
            return conflicts.map(\.place.description)
        } catch ChangeError.conflicts(let conflicts) {
            return conflicts.flatMap(\.places).map(\.description)
        }
    }

    private func perform(_ action: DraftCase.Action, _ history: DraftHistory) async throws {
        func change(_ isDraft: Bool, _ action: ChangeRequest.Action, by actor: Name) async throws {
            _ = try await history.store.change(
                isDraft ? DraftHistory.draft : DraftHistory.origin,
                ChangeRequest(action, actor: actor))
        }
        func policy(_ side: String?) -> ConflictPolicy {
            side == "draft" ? .mine : side == "origin" ? .theirs : .reject
        }
        switch action {
        case .edit(let isDraft, let operations):
            let patch = try JSONPatch(operations, limits: .standard)
            try await change(
                isDraft, .append(.patch(patch), tag: nil, grouping: nil),
                by: isDraft ? "ada" : "bob")
        case .sharedUndo(let isDraft):
            try await change(isDraft, .move(.undo(count: 1)), by: "eve")
        case .ownUndo(let isDraft, let revision):
            let actor: Name = isDraft ? "ada" : "cyd"
            let target = revision.map { OwnUndoRequest.Target.change($0) } ?? .actor(actor)
            try await change(isDraft, .revert(OwnUndoRequest(target)), by: actor)
        case .merge(let side, let place):
            let part = place.flatMap { JSONPointer(parsing: $0) }.map {
                DraftRequest.Part.paths([$0])
            }
            _ = try await history.merge(policy(side), part)
        case .update(let side): _ = try await history.update(policy(side))
        case .count: break
        }
    }
}
