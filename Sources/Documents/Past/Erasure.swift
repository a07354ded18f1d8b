import DocumentCore
public import JSONTree
public import Journaling
public import Naming
import VersioningKit

/// A request for permanent erasure.
public struct ErasureRequest: Sendable {
    /// The places, in every state of the document; the whole document if there are none.
    public var places: [PointerPattern]
    public var actor: Name
    public var label: String?
    public var promptBy: Name?
    public var precondition: Precondition
    /// Whether it is only asked what would happen.
    public var isDryRun = false

    public init(
        _ places: [PointerPattern], actor: Name = .nobody, label: String? = nil,
        promptBy: Name? = nil, precondition: Precondition = Precondition(), isDryRun: Bool = false
    ) {
        self.places = places
        self.actor = actor
        self.label = label
        self.promptBy = promptBy
        self.precondition = precondition
        self.isDryRun = isDryRun
    }

    /// The limit on places in one request: each edit is compared with each of them.
    public static let placesMax = 1_000

    /// Erases in a journal. Blocks, for as long as reading the document's history takes. For a
    /// document that a store has in memory, use `DocumentStore.erase`.
    ///
    /// After `.journal` it may have happened; asking again does no harm.
    public func carryOut(
        on id: DocumentID, in journal: any Journal, at time: Timestamp
    ) throws(ChangeError) -> ErasureOutcome {
        let erasure = Erasure(id, self, at: time)
        do throws(JournalError) {
            _ = try journal.rewrite(id, by: erasure)
        } catch {
            throw erasure.refusal ?? .journal(error)
        }
        if let refusal = erasure.refusal { throw refusal }
        // Without entries, the rewriting does not call `end`.
        guard let outcome = erasure.outcome else { throw .unknownDocument }
        return outcome
    }
}

/// The result of the erasure.
public struct ErasureOutcome: Sendable {
    /// The document after it; of a dry run, as it is.
    public let document: Document
    /// The change that records it; `nil` if there was nothing to erase.
    public let change: Change?
    /// How many changes had something of it.
    public let erasedCount: Int
}

/// Rewrites the entries of a document as they would be if places of it, or all of it, had never
/// been there.
///
/// Revisions, versions, actors and times stay; a change of nothing but erased places stays as one
/// that does nothing. The rewritten history is replayed on the way, so that what is stored can be
/// read again.
final class Erasure: EntryRewriting {
    private let request: ErasureRequest
    private let time: Timestamp
    /// The value with everything, before the next entry.
    private var original = JSON.null
    /// The document without it, before the next entry. Of a document that is erased as a whole,
    /// only its life is kept.
    private var document: Document
    private var erasedCount = 0
    /// Why nothing is erased.
    private(set) var refusal: ChangeError?
    /// The state after it, once it was decided.
    private(set) var outcome: ErasureOutcome?

    init(_ id: DocumentID, _ request: ErasureRequest, at time: Timestamp) {
        self.request = request
        self.time = time
        document = .unborn(id)
    }

    var leavesNothing: Bool { true }

    private var isWhole: Bool { request.places.isEmpty }

    func body(of entry: JournalEntry) throws(JournalError) -> [UInt8] {
        isWhole ? try erased(entry) : try rewritten(entry)
    }

    func end(after head: JournalHead) -> RewritingEnd {
        document.revision = head.revision
        if let absence = document.absence, document.life != .deleted {
            refusal = absence
        } else if !request.precondition.holds(for: document.head) {
            refusal = .stale(head: document.head)
        }
        if refusal != nil { return .nothing }
        let change = self.change(at: head.revision + 1)
        guard erasedCount > 0, !request.isDryRun else {
            outcome = ErasureOutcome(
                document: document, change: erasedCount > 0 ? change : nil,
                erasedCount: erasedCount)
            return .nothing
        }
        let entry = JournalEntry(
            document: document.id, revision: change.revision, body: change.encoded(),
            following: head.chain, lifecycle: change.kind.traits.lifecycle)
        var after = document
        after.chain = head.chain
        // Nothing in it depends on the history.
        try? after.advance(by: change, to: isWhole ? .null : document.tree, entry: entry)
        outcome = ErasureOutcome(document: after, change: change, erasedCount: erasedCount)
        return .adding(entry)
    }

    private func change(at revision: Int) -> Change {
        let kind = Change.Kind.purge(request.places)
        var change = Change(
            revision: revision, kind: kind, patch: .empty, actor: request.actor,
            time: max(time, document.time), label: request.label)
        change.promptBy = request.promptBy
        if !isWhole { change.priorHash = document.hashOfVersion(endedBy: kind) }
        return change
    }
}

// MARK: The whole document

extension Erasure {
    /// The same for every entry, so that nothing is left but how many there were, and what other
    /// documents rely on: the transactions that they were parts of, and a new name. Earlier
    /// erasures stay recorded.
    private func erased(_ entry: JournalEntry) throws(JournalError) -> [UInt8] {
        let change = try decoded(entry)
        if entry.lifecycle != .goesOn {
            switch change.kind {
            case .purge: document.life = .purged
            case .delete: document.life = .deleted
            default: document.life = .alive
            }
            if case .purge = change.kind { return entry.body }
        }
        erasedCount += 1
        var erased = Change(
            revision: entry.revision, kind: .purge([]), patch: .empty, actor: .nobody, time: time,
            label: nil)
        erased.transaction = change.transaction
        erased.renamedTo = change.renamedTo
        return erased.encoded()
    }

    private func decoded(_ entry: JournalEntry) throws(JournalError) -> Change {
        do {
            return try Change(decoding: entry.body, revision: entry.revision)
        } catch {
            throw .corrupt("\(entry.document) cannot be read at revision \(entry.revision)")
        }
    }
}

// MARK: Places

extension Erasure {
    private func rewritten(_ entry: JournalEntry) throws(JournalError) -> [UInt8] {
        let change = try decoded(entry)
        let rewritten: Change
        if case .foundation(let bytes) = change.kind {
            rewritten = try rewrittenFoundation(change, bytes, entry)
        } else {
            rewritten = try self.rewritten(change)
        }
        let body = rewritten == change ? entry.body : rewritten.encoded()
        try document.replay(
            JournalEntry(
                document: entry.document, revision: entry.revision, body: body,
                following: document.chain, lifecycle: entry.lifecycle))
        return body
    }

    /// The state that replaces forgotten changes contains values of its own.
    private func rewrittenFoundation(
        _ change: Change, _ bytes: [UInt8], _ entry: JournalEntry
    ) throws(JournalError) -> Change {
        var foundation: Document
        do { foundation = try Document(foundation: bytes, entry) } catch {
            throw .corrupt("\(entry.document) cannot be read at revision \(entry.revision)")
        }
        original = foundation.tree
        let before = foundation
        foundation.tree = foundation.tree.without(request.places)
        foundation.snapshots = foundation.snapshots.mapValues { $0.without(request.places) }
        do { foundation.draft = try foundation.draft?.erasing(request.places) } catch {
            throw .corrupt("a draft's records of \(entry.document) cannot be rewritten")
        }
        if foundation.tree == before.tree && foundation.snapshots == before.snapshots
            && foundation.draft == before.draft
        {
            return change
        }
        erasedCount += 1
        return Change(
            revision: change.revision, kind: .foundation(foundation.checkpoint(RequestLog()).body),
            patch: .empty, actor: change.actor, time: change.time, label: nil)
    }

    private func rewritten(_ change: Change) throws(JournalError) -> Change {
        var tracked = ReversiblePatch.empty
        var untracked = ReversiblePatch.empty
        var draft = change.draft
        do {
            tracked = try change.patch.erasing(request.places, applyingTo: &original)
            untracked = try change.untracked.erasing(request.places, applyingTo: &original)
            draft = try draft?.erasing(request.places, of: original)
        } catch let moved as MovedValue {
            refusal = .movedValue(place: moved.place, revision: change.revision)
            throw .conflict
        } catch {
            throw .corrupt("\(document.id) cannot be replayed at revision \(change.revision)")
        }
        let isErased =
            tracked != change.patch || untracked != change.untracked || draft != change.draft
        if isErased { erasedCount += 1 }
        // Before the first one nothing is another.
        if erasedCount == 0 { return change }
        var rewritten = change.with(tracked)
        rewritten.untracked = untracked
        rewritten.draft = draft
        rewritten.sent = change.sent.map { $0.erasing(request.places) }
        rewritten.priorHash = document.hashOfVersion(endedBy: change.kind)
        // With a fingerprint of the request, a guess of its content can be confirmed.
        if isErased { rewritten.token?.fingerprint = nil }
        return rewritten
    }
}

extension Change {
    /// The change with another patch, and without the hashes of older formats.
    fileprivate func with(_ patch: ReversiblePatch) -> Change {
        var change = Change(
            revision: revision, kind: kind, patch: patch, actor: actor, time: time, label: label)
        change.token = token
        change.versionsKept = versionsKept
        change.group = group
        change.rare = rare
        return change
    }
}

extension Snapshot {
    /// The snapshot without the values at places.
    fileprivate func without(_ patterns: [PointerPattern]) -> Snapshot {
        Snapshot(
            revision: revision, actor: actor, time: time,
            places: places.map { place in
                let isGone = patterns.contains { $0.contains(place.pointer) }
                let rest = place.value?.without(patterns.compactMap { $0.inside(place.pointer) })
                return Place(pointer: place.pointer, value: isGone ? nil : rest)
            })
    }
}

extension SentEdit {
    /// No edit can be based on a sent edit of which a part is erased.
    fileprivate func erasing(_ places: [PointerPattern]) -> SentEdit {
        let isTouched =
            patch?.pointers.contains { pointer in
                places.contains { $0.contains(pointer) || $0.mayLie(inside: pointer) }
            } ?? false
        guard isTouched else { return self }
        return SentEdit(base: base, ownCount: ownCount, patch: nil, isPartial: true)
    }
}
