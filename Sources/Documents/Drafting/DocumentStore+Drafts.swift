public import JSONTree
public import Journaling
public import Naming

/// A request to bring a draft up to date with its origin, or to merge it there.
public struct DraftRequest: Sendable {
    public var draft: DocumentID
    public var decisions: DraftComparison.Decisions
    public var actor: Name
    public var label: String?
    /// About the draft.
    public var precondition: Precondition
    /// About the origin.
    public var originPrecondition = Precondition()
    /// What of the draft is merged: nothing for all of it.
    public var part: Part?
    /// Up to which state of the origin the draft is updated.
    public var until = StateAddress.head
    /// Whether a draft of which nothing is left is deleted when it is merged.
    public var endsDraft = false
    public var token: RequestToken?
    public var isDryRun = false
    /// Throws if the client may not use an origin.
    public var mayReach: @Sendable (DocumentID) throws(ChangeError) -> Void = { _ in }
    public var isAwaited: @Sendable () -> Bool = { true }

    /// What somebody chose of a draft.
    public enum Part: Sendable, Equatable {
        case paths([JSONPointer])
        case changes([Int])
        case state(StateAddress)
    }

    public init(
        _ draft: DocumentID, _ decisions: DraftComparison.Decisions = .init(),
        actor: Name = .nobody, label: String? = nil, precondition: Precondition = Precondition()
    ) {
        self.draft = draft
        self.decisions = decisions
        self.actor = actor
        self.label = label
        self.precondition = precondition
    }

    /// It is computed anew so often, if others write to one of the documents meanwhile.
    static let attemptsMax = 20
    /// Names of an origin that are followed.
    static let renamesMax = 8
}

/// What became of a merge.
public struct DraftMergeOutcome: Sendable {
    public let draft: Outcome
    public let origin: Outcome
    /// How many edits of the draft were not merged.
    public let left: Int
}

extension DocumentStore {
    public typealias DraftReply<Value> = @Sendable (Result<Value, TransactionRefusal>) -> Void

    /// Reads a draft beside its origin, on a reader thread.
    public func compare(
        _ request: DraftRequest,
        reply: @escaping @Sendable (Result<DraftComparison, TransactionRefusal>) -> Void
    ) {
        read(request, reply) { reader throws(ChangeError) in
            reply(.success(try reader.comparison()))
        }
    }

    /// Takes over what is new in a draft's origin. `reply` is called when it is durable.
    public func update(_ request: DraftRequest, reply: @escaping DraftReply<Outcome>) {
        update(request, attempt: 1, reply)
    }

    /// Merges a draft, or a part of it, into its origin: as one change there, and a mark in the
    /// draft, both or neither. `reply` is called when it is durable.
    public func merge(_ request: DraftRequest, reply: @escaping DraftReply<DraftMergeOutcome>) {
        merge(request, attempt: 1, reply)
    }

    /// Replies as when a merge was carried out, if it was; otherwise does something else.
    public func merge(
        of draft: DocumentID, repeating token: RequestToken,
        otherwise: @escaping @Sendable () -> Void, reply: @escaping DraftReply<DraftMergeOutcome>
    ) {
        change(draft, .repeating(token)) { [self] result in
            switch result {
            case .failure(let refusal):
                guard case .otherRequest = refusal.error else { return otherwise() }
                reply(
                    .failure(TransactionRefusal(member: 0, document: draft, refusal: refusal)))
            case .success(let outcome):
                guard outcome.isRepeated, let record = outcome.change?.draft else {
                    return otherwise()
                }
                let finish: @Sendable (Result<DraftMergeOutcome, ChangeError>) -> Void = {
                    reply(
                        $0.mapError {
                            TransactionRefusal(
                                member: 0, document: record.origin, refusal: Refusal($0))
                        })
                }
                past(of: record.origin, finish) { [options] past throws(ChangeError) in
                    let origin =
                        outcome.change?.merging == nil
                        ? .nothing(try past.document(at: record.originRevision))
                        : try past.outcome(
                            at: record.originRevision, of: nil, limits: options.limits)
                    return DraftMergeOutcome(
                        draft: outcome, origin: origin, left: record.ahead.count)
                }
            }
        }
    }

    /// Reads both documents and calls `body` with them, on a reader thread.
    private func read<Value>(
        _ request: DraftRequest, _ reply: @escaping DraftReply<Value>,
        _ body: @escaping @Sendable (DraftReader) throws(ChangeError) -> Void
    ) {
        let refuse: @Sendable (ChangeError, DocumentID) -> Void = { error, id in
            reply(.failure(TransactionRefusal(member: 0, document: id, refusal: Refusal(error))))
        }
        withPast(of: request.draft, while: request.isAwaited) { [self] found in
            let (draft, draftPast): (Document, DocumentPast)
            let state: DraftState
            do throws(ChangeError) {
                (draft, draftPast) = try found.get()
                if let absence = draft.absence { throw absence }
                guard request.precondition.holds(for: draft.revision) else {
                    throw .stale(head: draft.revision)
                }
                guard let known = draft.draft else { throw .draft(.noOrigin) }
                state = known
            } catch {
                return refuse(error, request.draft)
            }
            withOrigin(of: state, while: request.isAwaited) { found in
                let origin = (try? found.get().head.id) ?? state.origin
                do throws(ChangeError) {
                    guard let (head, past) = try? found.get(), head.exists else {
                        throw .draft(.originGone(state.origin))
                    }
                    try request.mayReach(head.id)
                    guard request.originPrecondition.holds(for: head.revision) else {
                        throw .stale(head: head.revision)
                    }
                    let then = try request.until.document(head, past)
                    try body(
                        DraftReader(
                            draft: draft, draftPast: draftPast, origin: then, originHead: head,
                            originPast: past))
                } catch {
                    refuse(error, error.isAboutOrigin ? origin : request.draft)
                }
            }
        }
    }

    /// Finds a draft's origin, also under the name that it has been given since.
    private func withOrigin(
        of state: DraftState, named name: DocumentID? = nil, hops: Int = 0,
        while isAwaited: @escaping @Sendable () -> Bool,
        _ body:
            @escaping @Sendable (Result<(head: Document, past: DocumentPast), ChangeError>) -> Void
    ) {
        let id = name ?? state.origin
        withPast(of: id, while: isAwaited) { [self] found in
            guard let head = try? found.get().head, !head.exists,
                hops < DraftRequest.renamesMax, let next = state.name(after: head, journal)
            else { return body(found) }
            withOrigin(of: state, named: next, hops: hops + 1, while: isAwaited, body)
        }
    }

    /// Names the origin of a draft, which has been given that name; or takes it away, so that the
    /// draft is a document of its own.
    public func setOrigin(
        of request: DraftRequest, to name: DocumentID?, reply: @escaping DraftReply<Outcome>
    ) {
        let refuse: @Sendable (ChangeError) -> Void = { error in
            reply(
                .failure(
                    TransactionRefusal(member: 0, document: request.draft, refusal: Refusal(error)))
            )
        }
        withPast(of: request.draft, while: request.isAwaited) { [self] found in
            do throws(ChangeError) {
                let (head, _) = try found.get()
                if let absence = head.absence { throw absence }
                guard let state = head.draft else { throw .draft(.noOrigin) }
                if let name { try check(name, of: state) }
            } catch {
                return refuse(error)
            }
            var change = request.change(.origin(name))
            change.precondition = request.precondition
            change.token = request.token
            change.isDryRun = request.isDryRun
            self.change(request.draft, change) { result in
                reply(
                    result.mapError {
                        TransactionRefusal(member: 0, document: request.draft, refusal: $0)
                    })
            }
        }
    }

    /// Throws unless a document has the history of a draft's origin. Blocks.
    private func check(_ name: DocumentID, of state: DraftState) throws(ChangeError) {
        let revision = state.records.last?.record.originRevision ?? 0
        let chain = try? DocumentPast(state.origin, journal).chain(at: revision)
        let other = try? DocumentPast(name, journal).chain(at: revision)
        guard let chain, chain == other else { throw .draft(.otherHistory(name)) }
    }

    private func update(
        _ request: DraftRequest, attempt: Int, _ reply: @escaping DraftReply<Outcome>
    ) {
        read(request, reply) { [self] reader throws(ChangeError) in
            guard let update = try reader.comparison().update(request.decisions) else {
                let outcome =
                    request.isDryRun ? Outcome.dryRun(nil, reader.draft) : .nothing(reader.draft)
                return reply(.success(outcome))
            }
            var change = request.change(.update(update))
            change.token = request.token
            change.isDryRun = request.isDryRun
            self.change(request.draft, change) { [self] result in
                switch result {
                case .success(let outcome): reply(.success(outcome))
                case .failure(let refusal)
                where refusal.error == .overtaken && attempt < DraftRequest.attemptsMax:
                    self.update(request, attempt: attempt + 1, reply)
                case .failure(let refusal):
                    reply(
                        .failure(
                            TransactionRefusal(
                                member: 0, document: request.draft, refusal: refusal)))
                }
            }
        }
    }

    private func merge(
        _ request: DraftRequest, attempt: Int, _ reply: @escaping DraftReply<DraftMergeOutcome>
    ) {
        read(request, reply) { [self] reader throws(ChangeError) in
            let part = try request.part?.found(reader)
            let comparison = try reader.comparison()
            let made = try comparison.merge(part, request.decisions)
            guard let (edits, record, left) = made else {
                return reply(.success(request.nothing(reader, left: comparison.ahead.patch.count)))
            }
            let isEnd = request.endsDraft && left == 0
            let mark = DraftMark(basis: reader.draft.revision, record: record, isEnd: isEnd)
            var transaction = TransactionRequest([
                .init(reader.origin.id, request.change(.takeIn(edits))),
                .init(request.draft, request.change(.mark(mark))),
            ])
            transaction.token = request.token
            transaction.isDryRun = request.isDryRun
            transact(transaction) { [self] result in
                switch result {
                case .success(let outcome):
                    reply(.success(DraftMergeOutcome(outcome, left: left)))
                case .failure(let refusal)
                where refusal.refusal.error == .overtaken && attempt < DraftRequest.attemptsMax:
                    merge(request, attempt: attempt + 1, reply)
                case .failure(let refusal): reply(.failure(refusal))
                }
            }
        }
    }
}

extension DraftState {
    /// The name that the origin was given when it ended, if it has the same history there. Blocks.
    func name(after end: Document, _ journal: any Journal) -> DocumentID? {
        let revision = records.last?.record.originRevision ?? 0
        let past = DocumentPast(end.id, journal)
        guard let next = (try? past.change(at: end.revision))?.renamedTo,
            let chain = try? past.chain(at: revision),
            let other = try? DocumentPast(next, journal).chain(at: revision), chain == other
        else { return nil }
        return next
    }
}

extension DraftMergeOutcome {
    /// Of a transaction with the origin first.
    init(_ outcome: TransactionOutcome, left: Int) {
        func member(_ place: Int) -> Outcome {
            guard outcome.members.count > place,
                case .done(let done) = outcome.members[place].outcome
            else { preconditionFailure("both parts of a merge are done") }
            return done
        }
        (origin, draft) = (member(0), member(1))
        self.left = left
    }

}

extension DraftRequest {
    fileprivate func change(_ action: ChangeRequest.Action) -> ChangeRequest {
        var request = ChangeRequest(action, actor: actor, label: label)
        // What it was computed for is its condition.
        request.namesChanges = true
        return request
    }

    fileprivate func nothing(_ reader: DraftReader, left: Int) -> DraftMergeOutcome {
        func outcome(_ document: Document) -> Outcome {
            isDryRun ? .dryRun(nil, document) : .nothing(document)
        }
        return DraftMergeOutcome(
            draft: outcome(reader.draft), origin: outcome(reader.origin), left: left)
    }
}

extension DraftRequest.Part {
    fileprivate func found(_ reader: DraftReader) throws(ChangeError) -> DraftPart {
        switch self {
        case .paths(let paths): .paths(paths)
        case .changes(let changes): .changes(changes)
        case .state(let address):
            try DraftRequest.Part.state(address, reader)
        }
    }

    private static func state(
        _ address: StateAddress, _ reader: DraftReader
    ) throws(ChangeError) -> DraftPart {
        let then = try address.document(reader.draft, reader.draftPast)
        return .state(then.revision, then.tree)
    }
}

extension ChangeError {
    /// Whether it is the origin that is not as it must be.
    fileprivate var isAboutOrigin: Bool {
        switch self {
        case .stale, .unknownRevision, .trimmed, .notYet, .version: true
        default: false
        }
    }
}
