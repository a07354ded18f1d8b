import DocumentCore
import JSONTree
import Journaling
import SelectiveUndo
import Threading
import VersioningKit

/// The parts of transactions that an undo takes, so that it takes each transaction as a whole.
///
/// It ends. On documents that no other request changes, the parts only grow: `add` is called with
/// parts that are not known yet, there are no more of them than stored changes, and no part is
/// removed. A request includes at least the parts that it was given for other documents' sake, and
/// more parts never make it include fewer. A part is stored, so its transaction never changes. If a
/// request includes fewer parts than before, another request has changed its document: then the
/// parts are found again. Changes added to a document meanwhile are not selected: see `heads`.
struct Widening: Sendable {
    /// Of each document, the parts that are taken.
    private var taken: [DocumentID: Set<Int>] = [:]
    /// Of each document, those of them that are taken for the sake of other documents' parts.
    private var others: [DocumentID: Set<Int>] = [:]
    /// The newest revision of a document when it was first found to take parts: a selection is
    /// about what there was then, however fast other clients write.
    private var heads: [DocumentID: Int] = [:]
    /// Of each document, the parts that stay, because the request keeps something of their
    /// transactions.
    private var kept: [DocumentID: Set<Int>] = [:]
    /// Parts of which nothing can be seen anywhere.
    private var passable: [DocumentID: Set<Int>] = [:]

    /// Those of the parts that a document's request takes that were not known before. If it takes
    /// fewer than before, another request came in between, and all of them are found again.
    mutating func news(_ revisions: [Int], of document: DocumentID) -> [Int] {
        news(of: [(document, revisions)])[0].revisions
    }

    /// The same of several documents, all before anything is added.
    mutating func news(
        of parts: [(document: DocumentID, revisions: [Int])]
    ) -> [(document: DocumentID, revisions: [Int])] {
        let isOverlapping = parts.allSatisfy { document, revisions in
            taken[document]?.isSubset(of: revisions) ?? true
        }
        if !isOverlapping { beginAgain() }
        return parts.map { document, revisions in
            (document, missing(revisions, of: document))
        }
    }

    /// Those of the parts of a document that are not taken yet.
    func missing(_ revisions: [Int], of document: DocumentID) -> [Int] {
        let known = taken[document] ?? []
        return revisions.filter { !known.contains($0) }
    }

    /// All parts that are taken have to be found again. Those that stay only grow.
    private mutating func beginAgain() {
        let kept = kept
        self = Widening()
        self.kept = kept
    }

    /// Parts stay, so these other parts of their transactions do.
    mutating func keep(
        _ revisions: [Int], of document: DocumentID, with parts: [DocumentRevision]
    ) {
        kept[document, default: []].formUnion(revisions)
        for part in parts { kept[part.document, default: []].insert(part.revision) }
        beginAgain()
    }

    /// A document's request, at a revision, also takes these parts; the others of their
    /// transactions are these.
    mutating func add(
        _ revisions: [Int], of document: DocumentID, at head: Int?, with parts: [DocumentRevision]
    ) {
        taken[document, default: []].formUnion(revisions)
        heads[document] = heads[document] ?? head
        for part in parts where part.document != document {
            taken[part.document, default: []].insert(part.revision)
            others[part.document, default: []].insert(part.revision)
        }
    }

    mutating func note(head: Int, of document: DocumentID) {
        heads[document] = heads[document] ?? head
    }

    mutating func pass(in document: DocumentID) {
        passable[document, default: []].formUnion(taken[document] ?? [])
    }

    /// The members of a request as they take all of it, and behind them those that are taken for
    /// their sake.
    func members(of request: TransactionRequest) -> [TransactionRequest.Member] {
        let named = Set(request.members.map(\.document))
        let more = taken.keys.filter { !named.contains($0) }
        return request.members.map(widened) + more.compactMap { added($0, for: request) }
    }

    private func widened(_ member: TransactionRequest.Member) -> TransactionRequest.Member {
        let id = member.document
        var wider = member
        if let kept = kept[id], wider.request.choice != nil {
            wider.request.choice?.keptChanges = kept
        }
        if case .revertAll(var selection, let also, let policy) = member.request.action {
            selection.head = heads[id]
            wider.request.action = .revertAll(selection, also: also, policy)
        }
        guard let known = taken[id] else { return wider }
        wider.request.parts = .these(known)
        switch wider.request.action {
        case .revertAll(let selection, _, let policy):
            wider.request.action = .revertAll(selection, also: others[id] ?? [], policy)
        case .revert(var wanted):
            wanted.passable = passable[id] ?? []
            wider.request.action = .revert(wanted)
        default: break
        }
        return wider
    }

    /// The request for the other parts in a document that is not a member.
    private func added(
        _ id: DocumentID, for request: TransactionRequest
    ) -> TransactionRequest.Member? {
        guard let first = request.members.first?.request, let revisions = taken[id] else {
            return nil
        }
        var added = first
        added.precondition = Precondition()
        added.parts = .these(revisions)
        var member = TransactionRequest.Member(
            id, added, takingBack: Widening.action(revisions.sorted(), like: first.action),
            first.action.policy)
        member.isNamed = false
        member.maySkip = member.maySkip || request.members[0].maySkip
        return member
    }

    private static func action(
        _ revisions: [Int], like action: ChangeRequest.Action
    ) -> ChangeRequest.Action {
        var isRedo = false
        // An actor's redo reverts one undo: it also undoes that undo's parts elsewhere.
        if case .revert(let wanted) = action, !wanted.isActors { isRedo = wanted.isRedo }
        if case .takeBack(_, let isRedone, _) = action { isRedo = isRedone }
        return .takeBack(revisions, isRedo: isRedo, action.policy)
    }
}

extension OwnUndoRequest {
    /// Whether it is about whatever an actor did or undid last.
    fileprivate var isActors: Bool { if case .actor = target { true } else { false } }
}

extension ChangeRequest.Action {
    /// The treatment of later work of others that would be lost.
    fileprivate var policy: ConflictPolicy {
        switch self {
        case .revert(let wanted): wanted.policy
        case .revertAll(_, _, let policy), .takeBack(_, _, let policy): policy
        default: .reject
        }
    }
}

// MARK: Looking parts up

extension DocumentStore {
    /// Takes all parts of the transactions of which a member takes a part. `head`: the revision at
    /// which it does. The parts are stored: a line reports them when what it has prepared is
    /// durable.
    func widen(
        _ pending: inout PendingTransaction, at index: Int, _ revisions: [Int], head: Int?
    ) async throws(TransactionRefusal) {
        let news = pending.news(revisions, at: index)
        do throws(ChangeError) {
            let parts = try await others(of: news, in: pending.members[index].document)
            let mayReach = pending.request.mayReach
            guard parts.allSatisfy({ mayReach($0.document) }) else { throw .outOfReach }
            var wider = pending
            wider.widen(at: index, news, head: head, by: parts)
            let max = pending.request.membersMax
            guard wider.documentCount <= max else { throw .tooManyDocuments(max: max) }
            pending = wider
        } catch {
            throw pending.refusal(at: index, error)
        }
    }

    /// Takes all parts of the transactions of which early results take a part. One after the other,
    /// each of them would prepare all documents again. Parts that cannot be taken are left to the
    /// line, which gives the reason. Returns whether it took any.
    func widenEarly(
        _ pending: inout PendingTransaction
    ) async throws(TransactionRefusal) -> Bool {
        guard pending.request.widens else { return false }
        var wider = pending
        var hasNews = false
        for (index, found) in wider.earlyParts() {
            // The parts of one document may have brought those of the next.
            let news = wider.missing(found, at: index)
            guard !news.isEmpty,
                let parts = try? await others(of: news, in: wider.members[index].document),
                parts.allSatisfy({ wider.request.mayReach($0.document) })
            else { continue }
            let head = wider.host(at: index).unusedDocument.revision
            wider.note(news, at: index, head: head, with: parts)
            hasNews = true
        }
        guard hasNews else { return false }
        pending = wider
        pending.takeNotedParts()
        let max = pending.request.membersMax
        guard pending.documentCount <= max else {
            throw pending.refusal(at: 0, .tooManyDocuments(max: max))
        }
        return true
    }

    /// Leaves all parts of the transactions of which a member keeps a part.
    func keep(
        _ pending: inout PendingTransaction, at index: Int, _ revisions: [Int]
    ) async throws(TransactionRefusal) {
        do throws(ChangeError) {
            let parts = try await others(of: revisions, in: pending.members[index].document)
            pending.keep(at: index, revisions, with: parts)
        } catch {
            throw pending.refusal(at: index, error)
        }
    }

    /// Names the documents that have the other parts, in a refusal to take only one.
    func naming(_ refusal: Refusal, of id: DocumentID) async -> Refusal {
        guard case .partOfTransaction(let revisions, _) = refusal.error else { return refusal }
        let parts = (try? await others(of: revisions, in: id)) ?? []
        let documents = Set(parts.map(\.document)).sorted()
        let error = ChangeError.partOfTransaction(revisions: revisions, documents: documents)
        return Refusal(error, by: refusal.document)
    }

    /// The parts in other documents of the transactions that changes are parts of, without marks of
    /// merges. Blocks.
    func others(
        of revisions: [Int], in id: DocumentID
    ) async throws(ChangeError) -> [DocumentRevision] {
        guard isOpen else { throw DocumentStore.closed }
        let parts = try await parts(of: revisions.map { DocumentRevision(id, $0) })
        let others = parts.flatMap { $0 }.filter { $0.document != id }
        func record(_ place: DocumentRevision) -> TransactionRecord {
            let change = try? DocumentPast(place.document, journal).change(at: place.revision)
            return TransactionRecord(place: place, change: change, isInEffect: nil)
        }
        let own = revisions.map { record(DocumentRevision(id, $0)) }
        guard own.contains(where: { $0.change?.merged != nil }) else { return others }
        let marks = (own + others.map(record)).marks
        return others.filter { !marks.contains($0) }
    }

    /// Carries out a request that would take parts of transactions as a part of a wider one.
    func changeWhole(
        _ id: DocumentID, _ request: ChangeRequest, isLarge: Bool, _ refusal: Refusal,
        _ revisions: [Int], _ mayReach: @escaping @Sendable (DocumentID) -> Bool
    ) async throws(Refusal) -> Outcome {
        guard let whole = request.takingAll(revisions) else {
            // A document's line is not moved over a part only; but where a history is a copy, the
            // others are none of its business.
            let named = await naming(refusal, of: id)
            guard case .partOfTransaction(_, let documents) = named.error, documents.isEmpty else {
                throw named
            }
            var alone = request
            alone.parts = .alone
            return try await outcome(of: alone, in: id, isLarge: isLarge)
        }
        var wider = TransactionRequest([TransactionRequest.Member(id, whole)])
        wider.token = request.token
        wider.isDryRun = request.isDryRun
        wider.owner = request.owner
        // The parts of a merge that ended its drafts are more than those of a transaction.
        wider.membersMax = TransactionRequest.undoDocumentsMax
        wider.widens = true
        wider.mayReach = mayReach
        do throws(TransactionRefusal) {
            let all = try await transact(wider, isLarge: isLarge)
            let member = all.members.first { $0.document == id }
            if case .done(let made)? = member?.outcome { return made }
            throw TransactionRefusal(
                member: 0, document: id, refusal: Refusal(.nothingSelected))
        } catch {
            throw error.refusal.inDocument(error.document)
        }
    }
}

extension ChangeRequest {
    /// The request that takes whole transactions, if this one would take a part; `nil` if it moves
    /// the document's own line, where others have no part.
    fileprivate func takingAll(_ revisions: [Int]) -> ChangeRequest? {
        var whole = self
        switch action {
        case .revert, .revertAll, .takeBack: return whole
        case .move(.undo(count: 1)) where parts == .together && revisions.count == 1:
            whole.action = .revert(OwnUndoRequest(.change(revisions[0])))
            whole.parts = .whole
            return whole
        default: return nil
        }
    }
}
