import JSONTree
import Journaling
import Naming
import SelectiveUndo
import TestSupport
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// A document and a draft of it, that make their history by themselves: earlier merges, parts and
/// updates, and then edits and undos of either side.
struct DraftHistory {
    static let origin = DocumentID("menu")!
    static let draft = DocumentID("menu~ada")!

    let store: DocumentStore
    var generator: UndoGenerator
    /// Whether values are compared, because a place is ignored.
    private let isNarrowed: Bool

    init(seed: UInt64, isNarrowed: Bool = false) async throws {
        generator = UndoGenerator(SeededGenerator(seed: seed))
        self.isNarrowed = isNarrowed
        let time = ManualTime()
        store = DocumentStore(journal: InMemoryJournal(), now: { time.now })
        let value = generator.start()
        _ = try await store.change(Self.origin, ChangeRequest(.put(value)))
        if isNarrowed {
            var settings = SettingsChange()
            settings.ignored = [PointerPattern(parsing: "/zz")!]
            _ = try await store.change(Self.origin, ChangeRequest(.settings(settings)))
        }
        try await copy(Self.origin, as: Self.draft)
        try await live()
    }

    /// A document with a value, and a draft of it.
    init(of value: JSON) async throws {
        generator = UndoGenerator(SeededGenerator(seed: 0))
        isNarrowed = false
        let time = ManualTime()
        store = DocumentStore(journal: InMemoryJournal(), now: { time.now })
        _ = try await store.change(Self.origin, ChangeRequest(.put(value)))
        try await copy(Self.origin, as: Self.draft)
    }

    /// Makes a draft of a document.
    func copy(_ origin: DocumentID, as draft: DocumentID) async throws {
        let head = try await store.read(origin)
        var request = ChangeRequest(.put(head.tree))
        request.start = DraftStart(at: head, head.settings)
        _ = try await store.change(draft, request)
    }

    /// Some edits of documents, each by an actor.
    mutating func edit(_ documents: [DocumentID]) async throws {
        for id in documents {
            for _ in 0..<generator.random.below(3) {
                let tree = try await value(id)
                guard let patch = generator.patch(on: tree) else { continue }
                _ = try await store.change(
                    id,
                    ChangeRequest(
                        .append(.patch(patch), tag: nil, grouping: nil), actor: Name(id.name)))
            }
        }
    }

    private mutating func live() async throws {
        for _ in 0..<generator.random.below(3) {
            try await edit()
            switch generator.random.below(4) {
            case 0: _ = try await update(.mine)
            case 1: _ = try await update(.theirs)
            case 2: _ = try await merge(.mine)
            default: _ = try await mergePart(.mine)
            }
        }
        try await edit()
    }

    /// Some edits of either side, with shared and own undo among them.
    private mutating func edit() async throws {
        for (id, actor) in [(Self.origin, Name("bob")), (Self.draft, Name("ada"))] {
            for _ in 0..<generator.random.below(5) {
                let action: ChangeRequest.Action
                var actor = actor
                switch generator.random.below(8) {
                case 0: action = .move(.undo(count: 1))
                case 1: action = .revert(OwnUndoRequest(.actor(actor)))
                default:
                    let tree = try await value(id)
                    guard let patch = generator.patch(on: tree) else { continue }
                    action = .append(.patch(patch), tag: nil, grouping: nil)
                    if generator.random.below(3) == 0 { actor = "eve" }
                }
                // Some have nothing to undo, and some updates are not undone any more.
                _ = try? await store.change(id, ChangeRequest(action, actor: actor))
            }
        }
    }

    // MARK: Steps of laws

    func value(_ id: DocumentID) async throws -> JSON { try await store.read(id).tree }

    func values() async throws -> [JSON] {
        [try await value(Self.origin), try await value(Self.draft)]
    }

    func compare(_ draft: DocumentID = draft) async throws -> DraftComparison {
        try await store.compare(DraftRequest(draft))
    }

    func update(
        _ policy: ConflictPolicy, of draft: DocumentID = draft
    ) async throws -> Outcome {
        let request = DraftRequest(draft, .init(policy), actor: "ada")
        do { return try await store.update(request) } catch { throw error.error }
    }

    func merge(
        _ policy: ConflictPolicy, _ part: DraftRequest.Part? = nil, of draft: DocumentID = draft
    ) async throws -> DraftMergeOutcome {
        var request = DraftRequest(draft, .init(policy), actor: "cyd")
        request.part = part
        do { return try await store.merge(request) } catch { throw error.error }
    }

    /// Merges what is at one of the places that the draft edited.
    mutating func mergePart(_ policy: ConflictPolicy) async throws -> DraftMergeOutcome? {
        let places = try await compare().ahead.patch.pointers
        guard !places.isEmpty else { return nil }
        let place = places[generator.random.below(places.count)]
        do { return try await merge(policy, .paths([place])) } catch ChangeError.draft(.movedPart) {
            return nil
        }
    }

    func undo(_ id: DocumentID) async throws {
        _ = try await store.change(id, .move(.undo(count: 1)))
    }
}
