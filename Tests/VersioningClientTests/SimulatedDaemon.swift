import DocumentCore
import Documents
import JSONTree
import Journaling
import Naming
import SelectiveUndo
import TestSupport
import VersioningKit

@testable import VersioningClient

/// The real document, in memory: what clients send is carried out by the daemon's own code.
final class SimulatedDaemon {
    private let store: DocumentStore
    private let id = DocumentID("d")!
    private(set) var tree: JSON
    private var made: [Change] = []
    /// More operations than this are too many for one request.
    let operationsMax = 40
    /// An edit with this word is refused.
    static let poison = "poison"

    init(_ value: JSON) async throws {
        let time = ManualTime(milliseconds: 0)
        store = DocumentStore(journal: InMemoryJournal(), now: { time.now })
        tree = value
        note(try await store.change(id, ChangeRequest(.put(value), actor: "root")))
    }

    /// The newest revision.
    var head: Int { made.count - 1 }

    private func note(_ outcome: Outcome) {
        guard case .made(let transition, isRepeated: false) = outcome else { return }
        made.append(transition.change)
        tree = transition.document.tree
    }

    func changes(after revision: Int) -> [ReplicaChange] {
        made[min(revision + 1, made.count)...].map(item)
    }

    /// A change as the feed writes it, with `patch=stored`.
    func item(_ change: Change) -> ReplicaChange {
        ReplicaChange(
            revision: change.revision, patch: change.edits.textOperations,
            kind: change.kind.name, key: change.token?.key.text, wonSince: change.wonSince)
    }

    func carryOut(
        _ sent: StepRequest, key: String, by actor: Name
    ) async -> Result<Outcome, ChangeError> {
        guard var request = SimulatedDaemon.request(sent, by: actor) else {
            return .failure(.invalid([]))
        }
        let text = "\(sent)"
        if case .edit(let edit) = sent, edit.operations.operations.count > operationsMax * 2 {
            return .failure(.tooLarge(max: operationsMax))
        }
        request.token = RequestToken(
            key: Name(key), fingerprint: JSON(text).contentHash)
        do throws(ChangeError) {
            let outcome = try await store.change(id, request)
            note(outcome)
            return .success(outcome)
        } catch {
            return .failure(error)
        }
    }

    /// The request as the API makes it; `nil` if a schema would refuse it.
    private static func request(_ sent: StepRequest, by actor: Name) -> ChangeRequest? {
        switch sent {
        case .command(_, let body):
            let target: OwnUndoRequest.Target =
                body["revision"]?.int.map { .change($0) } ?? .actor(actor)
            return ChangeRequest(.revert(OwnUndoRequest(target)), actor: actor)
        case .edit(let edit):
            let text = String(decoding: edit.operations.serialized(), as: UTF8.self)
            if text.contains(poison) { return nil }
            var request = ChangeRequest(
                .append(
                    .patch(edit.operations), tag: nil,
                    grouping: edit.group.map { .keyed(Name($0), window: .seconds(60)) }),
                actor: actor, label: edit.label)
            request.base = EditBase(
                .revision(edit.base),
                own: edit.own.map { own in
                    switch own {
                    case .revision(let revision): .revision(revision)
                    case .key(let key): .key(Name(key))
                    }
                },
                policy: edit.policy)
            return request
        }
    }
}
