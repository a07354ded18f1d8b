import JSONTree
import Journaling
import Naming
import SelectiveUndo
import TestSupport
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// Several documents with a draft each, which make their history by themselves. The same seed makes
/// the same history.
struct ReleaseHistory {
    static let origins = ["menu", "stock", "wine"].map { DocumentID($0)! }
    static let drafts = origins.map { DocumentID("spring~/\($0.name)")! }
    static let all = origins + drafts

    let store: DocumentStore
    private var generator: UndoGenerator

    init(seed: UInt64) async throws {
        generator = UndoGenerator(SeededGenerator(seed: seed))
        let time = ManualTime()
        store = DocumentStore(journal: InMemoryJournal(), now: { time.now })
        for (origin, draft) in zip(Self.origins, Self.drafts) {
            let value = generator.start()
            _ = try await store.change(origin, ChangeRequest(.put(value)))
            let head = try await store.read(origin)
            var request = ChangeRequest(.put(head.tree))
            request.start = DraftStart(at: head, head.settings)
            _ = try await store.change(draft, request)
        }
        try await edit(Self.all)
        for draft in Self.drafts where generator.random.once(in: 3) {
            let request = DraftRequest(draft, .init(.theirs), actor: "cyd")
            if generator.random.once(in: 2) {
                _ = try await store.merge(request)
            } else {
                _ = try await store.update(request)
            }
        }
        // Rarely both sides of a document, so that many histories have no conflict.
        for pair in zip(Self.origins, Self.drafts) {
            switch generator.random.below(5) {
            case 0: break
            case 1: try await edit([pair.0, pair.1])
            case 2: try await edit([pair.0])
            default: try await edit([pair.1])
            }
        }
    }

    private mutating func edit(_ documents: [DocumentID]) async throws {
        for id in documents {
            for _ in 0..<(1 + generator.random.below(2)) {
                guard let patch = generator.patch(on: try await store.read(id).tree) else {
                    continue
                }
                let edit = ChangeRequest.Action.append(.patch(patch), tag: nil, grouping: nil)
                _ = try await store.change(id, ChangeRequest(edit, actor: Name(id.name)))
            }
        }
    }

    func values() async throws -> [JSON] {
        var values: [JSON] = []
        for id in Self.all { values.append(try await store.read(id).tree) }
        return values
    }

    /// How many edits of each draft are not merged.
    func ahead() async throws -> [Int] {
        var counts: [Int] = []
        for draft in Self.drafts {
            counts.append(try await store.compare(DraftRequest(draft)).ahead.patch.count)
        }
        return counts
    }

    /// The drafts in conflict with their origins.
    func inConflict() async throws -> [DocumentID] {
        var found: [DocumentID] = []
        for draft in Self.drafts {
            let comparison = try await store.compare(DraftRequest(draft))
            if try !comparison.conflicts().isEmpty { found.append(draft) }
        }
        return found
    }

    func merge(_ drafts: [DocumentID]) async throws -> MergeOfManyOutcome {
        let each = DraftRequest(drafts[0], actor: "cyd")
        return try await store.merge(MergeOfMany(drafts, each: each, owner: "cyd"))
    }

    func mergeInTurn(_ drafts: [DocumentID]) async throws {
        for draft in drafts { _ = try await store.merge(DraftRequest(draft, actor: "cyd")) }
    }

    /// Undoes a transaction.
    func undo(_ leader: DocumentRevision) async throws {
        let parts = try await store.transaction(of: leader)
        let members = parts.map { part in
            var member = TransactionRequest.Member(
                part.place.document, ChangeRequest(.nothing, actor: "cyd"),
                takingBack: .takeBack([part.place.revision], isRedo: false, .reject), .reject)
            if part.change?.isPart ?? false {
                member.request.parts = .these([part.place.revision])
            }
            return member
        }
        _ = try await store.transact(TransactionRequest(members))
    }
}
