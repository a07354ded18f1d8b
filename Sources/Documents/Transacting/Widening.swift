import JSONTree
import Journaling
import SelectiveUndo
import Threading
import VersioningKit

/// The parts of transactions that an undo takes, so that it takes each transaction as a whole.
///
/// It ends. On documents that no other request changes, the parts only grow: `add` is called with
/// parts that are not known yet, there are no more of them than stored changes, and no part is
/// taken away. A request takes at least the parts that it was given for other documents' sake, and
/// more parts never make it take fewer. A part is stored, so its transaction never changes. If a
/// request takes fewer parts than before, another request has changed its document: then the parts
/// are found again. What is added to a document meanwhile is not selected: see `heads`.
struct Widening: Sendable {
    /// Of each document, the parts that are taken.
    private var taken: [DocumentID: Set<Int>] = [:]
    /// Of each document, those of them that are taken for the sake of other documents' parts.
    private var others: [DocumentID: Set<Int>] = [:]
    /// The newest revision of a document when it was first found to take parts: a selection is
    /// about what there was then, however fast other clients write.
    private var heads: [DocumentID: Int] = [:]
    /// Parts of which nothing can be seen anywhere.
    private var passable: [DocumentID: Set<Int>] = [:]

    /// Those of the parts that a document's request takes that were not known before. If it takes
    /// fewer than before, another request came in between, and all of them are found again.
    mutating func news(_ revisions: [Int], of document: DocumentID) -> [Int] {
        let former = taken[document] ?? []
        if former.isSubset(of: revisions) { return revisions.filter { !former.contains($0) } }
        self = Widening()
        return revisions
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
        guard let known = taken[id] else { return member }
        var wider = member
        wider.request.parts = .these(known)
        switch member.request.action {
        case .revertAll(var selection, _, let policy):
            selection.head = heads[id]
            wider.request.action = .revertAll(selection, also: others[id] ?? [], policy)
        case .revert(var wanted):
            wanted.passable = passable[id] ?? []
            wider.request.action = .revert(wanted)
        default: break
        }
        return wider
    }

    /// What takes the other parts in a document that is no member.
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
        return member
    }

    private static func action(
        _ revisions: [Int], like action: ChangeRequest.Action
    ) -> ChangeRequest.Action {
        var isRedo = false
        // An actor's redo puts back what one undo took: elsewhere, too, that undo is undone.
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
    /// What happens where later work of others would be lost.
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
    /// Tries once more with all parts of the transactions of which a member takes a part. `head`:
    /// the revision at which it does. The parts are stored: a line reports them when what it has
    /// prepared is durable.
    func widen(_ transacting: Transacting, at place: Int, _ revisions: [Int], head: Int?) {
        let id = transacting.members[place].document
        var known = transacting
        let news = known.news(revisions, at: place)
        others(of: news, in: id) { [self, known] result in
            switch result {
            case .failure(let error): transacting.refuse(at: place, Refusal(error))
            case .success(let parts):
                let documents = Set(parts.map(\.document))
                if let far = documents.first(where: { !transacting.request.mayReach($0) }) {
                    return transacting.refuse(at: place, Refusal(.outOfReach(far)))
                }
                let wider = known.widened(at: place, news, head: head, by: parts)
                guard wider.members.count <= TransactionRequest.documentsMax else {
                    let error = ChangeError.tooManyDocuments(max: TransactionRequest.documentsMax)
                    return transacting.refuse(at: place, Refusal(error))
                }
                again(wider)
            }
        }
    }

    /// Names the documents that have the other parts, in a refusal to take only one.
    func naming(
        _ refusal: Refusal, of id: DocumentID, _ reply: @escaping @Sendable (Refusal) -> Void
    ) {
        guard case .partOfTransaction(let revisions, _) = refusal.error else {
            return reply(refusal)
        }
        others(of: revisions, in: id) { result in
            let parts = (try? result.get()) ?? []
            let documents = Set(parts.map(\.document)).sorted()
            let error = ChangeError.partOfTransaction(revisions: revisions, documents: documents)
            reply(Refusal(error, by: refusal.document))
        }
    }

    /// The parts in other documents of the transactions that changes are parts of.
    private func others(
        of revisions: [Int], in id: DocumentID,
        _ reply: @escaping @Sendable (Result<[DocumentRevision], ChangeError>) -> Void
    ) {
        parts(of: revisions.map { DocumentRevision(id, $0) }) { result in
            reply(result.map { $0.flatMap { $0 }.filter { $0.document != id } })
        }
    }

    /// Carries out a request that may take parts of transactions: as a part of a wider one, if it
    /// does.
    func changeWhole(
        _ id: DocumentID, _ request: ChangeRequest, isLarge: Bool,
        _ mayReach: @escaping @Sendable (DocumentID) -> Bool,
        reply: @escaping @Sendable (Result<Outcome, Refusal>) -> Void
    ) {
        changeAlone(id, request, isLarge: isLarge) { [self] result in
            guard case .failure(let refusal) = result,
                case .partOfTransaction(let revisions, _) = refusal.error
            else { return reply(result) }
            guard let whole = request.takingAll(revisions) else {
                return move(id, request, isLarge: isLarge, refusal, reply)
            }
            var wider = TransactionRequest([TransactionRequest.Member(id, whole)])
            wider.token = request.token
            wider.isDryRun = request.isDryRun
            wider.owner = request.owner
            wider.widens = true
            wider.mayReach = mayReach
            transact(wider, isLarge: isLarge) { reply($0.outcome(of: id)) }
        }
    }
}

extension DocumentStore {
    /// Refuses to move a document's line over a part only; but where a history is a copy, the
    /// others are none of its business.
    private func move(
        _ id: DocumentID, _ request: ChangeRequest, isLarge: Bool, _ refusal: Refusal,
        _ reply: @escaping @Sendable (Result<Outcome, Refusal>) -> Void
    ) {
        naming(refusal, of: id) { [self] refusal in
            guard case .partOfTransaction(_, let documents) = refusal.error, documents.isEmpty
            else {
                return reply(.failure(refusal))
            }
            var alone = request
            alone.parts = .alone
            changeAlone(id, alone, isLarge: isLarge, reply: reply)
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

extension Result<TransactionOutcome, TransactionRefusal> {
    /// What became of the request for one of the documents.
    fileprivate func outcome(of id: DocumentID) -> Result<Outcome, Refusal> {
        switch self {
        case .failure(let failure):
            .failure(failure.refusal.inDocument(failure.document))
        case .success(let all):
            if case .done(let outcome)? = all.members.first(where: { $0.document == id })?.outcome {
                .success(outcome)
            } else {
                .failure(Refusal(.nothingSelected))
            }
        }
    }
}
