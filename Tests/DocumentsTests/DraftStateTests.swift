import JSONTree
import Journaling
import TestSupport
import Testing

@testable import DocumentCore
@testable import Documents

/// The record of the origin that a draft stores.
@Suite struct DraftStateTests {
    @Test(arguments: Seeds.of(20))
    func `a checkpoint has what a draft knows`(seed: UInt64) async throws {
        let history = try await DraftHistory(seed: seed)
        defer { history.store.close() }
        let document = try await history.store.read(DraftHistory.draft)
        var requests = RequestLog()
        let restored = try Document(document.checkpoint(RequestLog()), &requests)
        #expect(restored.draft == document.draft && document.draft != nil)
        let origin = try await history.store.read(DraftHistory.origin)
        #expect(try Document(origin.checkpoint(RequestLog()), &requests).draft == nil)
    }

    @Test func `the beginning and the newest records are kept`() throws {
        let origin = try #require(DocumentID("menu"))
        var state = DraftState(origin: origin)
        state.add(.start, DraftRecord(of: origin, at: 0), at: 0, 0)
        for number in 1...20 {
            let ahead = JSON(number).replaced(by: JSON(number + 1))
            state.add(
                .update, DraftRecord(of: origin, at: number, ahead: ahead), at: number,
                JSON(number + 1))
        }
        let kept = state.records.map(\.revision)
        #expect(kept == [0] + (14...20))
        #expect(state.records.last?.common == 20)
    }

    @Test func `a merge that is overtaken is computed anew, and none is made twice`() async throws {
        let history = try await DraftHistory(seed: 1)
        defer { history.store.close() }
        let (origin, draft) = (DraftHistory.origin, DraftHistory.draft)
        _ = try await history.store.change(draft, ChangeRequest(.put(["mine": 0])))
        _ = try await history.store.change(origin, ChangeRequest(.put(["theirs": 0])))
        _ = try await history.update(.mine)
        // Writers of both, while it is merged again and again.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (id, name) in [(origin, "theirs"), (draft, "mine")] {
                group.addTask { [store = history.store] in
                    for number in 1...100 {
                        let edit = ChangeRequest.Edit.mergePatch([
                            name: JSON(number), "\(name)\(number)": 1,
                        ])
                        let action = ChangeRequest.Action.append(edit, tag: nil, grouping: nil)
                        _ = try await store.change(id, ChangeRequest(action))
                    }
                }
            }
            for _ in 0..<40 {
                do {
                    _ = try await history.merge(.reject)
                } catch ChangeError.overtaken {
                    // Too many came first: nothing happened.
                }
            }
            try await group.waitForAll()
        }
        _ = try await history.merge(.reject)
        let value = try await history.value(origin)
        #expect(value["mine"] == 100 && value["theirs"] == 100)
        #expect((1...100).allSatisfy { value["mine\($0)"] == 1 && value["theirs\($0)"] == 1 })
    }
}
