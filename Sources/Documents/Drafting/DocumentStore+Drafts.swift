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
    /// How numbers of an origin look, in `originPrecondition` and `until`.
    public var originNumbering: @Sendable (DocumentID) -> Numbering = { _ in .uncut }
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

    /// It is computed again up to this number of times, if other requests change one of the
    /// documents meanwhile.
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
    /// A refusal by the origin says so in its `place`.
    public typealias DraftReply<Value> = @Sendable (Result<Value, Refusal>) -> Void

    /// Reads a draft beside its origin, on a reader thread.
    public func compare(_ request: DraftRequest, reply: @escaping DraftReply<DraftComparison>) {
        read(request, reply) { reader, _ throws(ChangeError) in
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

    /// Replies as when a merge was carried out, if it was; otherwise does something else. Who asks
    /// again must reach the origin now, too.
    public func merge(
        _ request: DraftRequest, repeating token: RequestToken,
        otherwise: @escaping @Sendable () -> Void, reply: @escaping DraftReply<DraftMergeOutcome>
    ) {
        change(request.draft, .repeating(token)) { [self] result in
            switch result {
            case .failure(let refusal):
                guard case .otherRequest = refusal.error else { return otherwise() }
                reply(.failure(refusal))
            case .success(let outcome):
                guard outcome.isRepeated, let record = outcome.change?.draft else {
                    return otherwise()
                }
                do throws(ChangeError) { try request.mayReach(record.origin) } catch {
                    return reply(.failure(Refusal(error)))
                }
                let finish: @Sendable (Result<DraftMergeOutcome, ChangeError>) -> Void = {
                    reply($0.mapError { Refusal($0).inDocument(record.origin) })
                }
                past(of: record.origin, finish) { [options] past throws(ChangeError) in
                    let origin =
                        outcome.change?.merging == nil
                        ? .nothing(try past.document(at: record.originRevision))
                        : try past.outcome(
                            at: record.originRevision, of: nil, limits: options.limits)
                    return DraftMergeOutcome(
                        draft: outcome, origin: origin, left: record.ahead.compacted.count)
                }
            }
        }
    }

    /// Names the origin of a draft, which has been given that name; or takes it away, so that the
    /// draft is a document of its own.
    public func setOrigin(
        of request: DraftRequest, to name: DocumentID?, reply: @escaping DraftReply<Outcome>
    ) {
        withPast(of: request.draft, while: request.isAwaited) { [self] found in
            do throws(ChangeError) {
                let state = try found.get().head.draftState()
                if let name { try check(name, of: state) }
            } catch {
                return reply(.failure(Refusal(error)))
            }
            var change = request.change(.origin(name))
            change.precondition = request.precondition
            self.change(request.draft, change, reply: reply)
        }
    }

    /// Throws unless a document has the history of a draft's origin. Blocks.
    private func check(_ name: DocumentID, of state: DraftState) throws(ChangeError) {
        guard let found = try Replay.document(name, from: journal)?.document,
            state.hasHistory(of: name, journal)
        else { throw .draft(.otherHistory(name)) }
        guard found.exists else { throw .draft(.originGone(name)) }
        guard state.isAbout(found) else { throw .draft(.otherHistory(name)) }
    }

    private func update(
        _ request: DraftRequest, attempt: Int, _ reply: @escaping DraftReply<Outcome>
    ) {
        read(request, reply) { [self] reader, memory throws(ChangeError) in
            guard let update = try reader.comparison(creditsAuthors: true).update(request.decisions)
            else {
                return reply(.success(request.nothing(reader.draft)))
            }
            change(request.draft, request.change(.update(update))) { [self] result in
                // It takes it until it is stored.
                defer { withExtendedLifetime(memory) {} }
                if case .failure(let refusal) = result, refusal.error == .overtaken,
                    attempt < DraftRequest.attemptsMax
                {
                    self.update(request, attempt: attempt + 1, reply)
                } else {
                    reply(result)
                }
            }
        }
    }

    private func merge(
        _ request: DraftRequest, attempt: Int, _ reply: @escaping DraftReply<DraftMergeOutcome>
    ) {
        read(request, reply) { [self] reader, memory throws(ChangeError) in
            let part = try request.part?.found(reader)
            let comparison = try reader.comparison(creditsAuthors: true)
            let made = try comparison.merge(part, request.decisions)
            let left = made?.left ?? comparison.ahead.patch.count
            let isEnd = request.endsDraft && left == 0
            let end = isEnd && made == nil ? try comparison.ending() : nil
            guard let record = made?.record ?? end else {
                return reply(.success(request.nothing(reader, left: left)))
            }
            let mark = DraftMark(basis: reader.draft.revision, record: record, isEnd: isEnd)
            var members: [TransactionRequest.Member] = []
            if let edits = made?.origin {
                members.append(.init(reader.origin.id, request.change(.takeIn(edits))))
            }
            members.append(.init(request.draft, request.change(.mark(mark))))
            var transaction = TransactionRequest(members)
            transaction.token = request.token
            transaction.memory = memory
            transaction.isDryRun = request.isDryRun
            transact(transaction) { [self] result in
                switch result {
                case .success(let outcome):
                    reply(.success(DraftMergeOutcome(outcome, reader.origin, left: left)))
                case .failure(let refusal)
                where refusal.refusal.error == .overtaken && attempt < DraftRequest.attemptsMax:
                    merge(request, attempt: attempt + 1, reply)
                case .failure(let refusal):
                    let isOrigin = refusal.document != request.draft
                    reply(
                        .failure(
                            isOrigin
                                ? refusal.refusal.inDocument(refusal.document) : refusal.refusal))
                }
            }
        }
    }
}

// MARK: Both documents

extension DocumentStore {
    /// Reads both documents and calls `body` with them, on a reader thread.
    ///
    /// Both have to be in memory, whatever they take: what takes much runs alone.
    private func read<Value>(
        _ request: DraftRequest, attempt: Int = 1, _ reply: @escaping DraftReply<Value>,
        _ body: @escaping @Sendable (DraftReader, RequestMemory) throws(ChangeError) -> Void
    ) {
        withMemory(of: request.draft.name, isUnbounded: true) { [self] found in
            do throws(ChangeError) {
                read(request, try found.get(), attempt: attempt, reply, body)
            } catch {
                reply(.failure(Refusal(error)))
            }
        }
    }

    private func read<Value>(
        _ request: DraftRequest, _ memory: RequestMemory, attempt: Int,
        _ reply: @escaping DraftReply<Value>,
        _ body: @escaping @Sendable (DraftReader, RequestMemory) throws(ChangeError) -> Void
    ) {
        let refuse: @Sendable (Refusal) -> Void = { refusal in
            if !memory.beginsAgain(after: refusal.error) { reply(.failure(refusal)) }
        }
        let room = memory.room(isAlone: true)
        withPast(of: request.draft, within: room, while: request.isAwaited) { [self] found in
            let (draft, draftPast): (Document, DocumentPast)
            let state: DraftState
            do throws(ChangeError) {
                (draft, draftPast) = try found.get()
                if let absence = draft.absence { throw absence }
                guard request.precondition.holds(for: draft.revision) else {
                    throw .stale(head: draft.revision)
                }
                state = try draft.draftState()
                try memory.check(draft.weight)
            } catch {
                return refuse(Refusal(error))
            }
            withOrigin(of: state, while: request.isAwaited) { [self] found in
                do throws(Refusal) {
                    let (head, past, then) = try request.origin(found, state, memory, beside: draft)
                    let reader = DraftReader(
                        draft: draft, draftPast: draftPast, origin: then, originHead: head,
                        originPast: past)
                    do throws(ChangeError) { try body(reader, memory) } catch {
                        guard attempt < DraftRequest.attemptsMax, isRewritten(reader) else {
                            throw Refusal(error)
                        }
                        read(request, memory, attempt: attempt + 1, reply, body)
                    }
                } catch {
                    refuse(error)
                }
            }
        }
    }

    /// Whether one of the histories was rewritten while it was read; then its document is loaded
    /// again. Blocks.
    private func isRewritten(_ reader: DraftReader) -> Bool {
        let both = [(reader.draft, reader.draftPast), (reader.originHead, reader.originPast)]
        let rewritten = both.filter { document, past in !past.has(document) }
        for (document, past) in rewritten { loadedHost(document.id)?.retireIfRewritten(past) }
        return !rewritten.isEmpty
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
}

extension DraftRequest {
    /// Both documents, and what is compared and made of them.
    private static let copiesOfBoth = 2

    /// The origin as it is, and as it is wanted; a refusal that is about it says so.
    fileprivate func origin(
        _ found: Result<(head: Document, past: DocumentPast), ChangeError>, _ state: DraftState,
        _ memory: RequestMemory, beside draft: Document
    ) throws(Refusal) -> (head: Document, past: DocumentPast, then: Document) {
        guard let (head, past) = try? found.get(), head.exists else {
            throw Refusal(.draft(.originGone(state.origin)))
        }
        do throws(ChangeError) { try mayReach(head.id) } catch { throw Refusal(error) }
        do throws(ChangeError) {
            let numbering = originNumbering(head.id)
            var condition = originPrecondition
            condition.match = numbering.revisions(condition.match)
            guard condition.holds(for: head.revision) else { throw .stale(head: head.revision) }
            try memory.check(DraftRequest.copiesOfBoth * (draft.weight + head.weight))
            return (head, past, try numbering.state(until).document(head, past))
        } catch {
            throw Refusal(error).inDocument(head.id)
        }
    }
}

extension Document {
    /// What it knows of its origin; throws if it is no draft.
    fileprivate func draftState() throws(ChangeError) -> DraftState {
        if let absence { throw absence }
        guard let draft else { throw .draft(.noOrigin) }
        return draft
    }
}

extension DraftState {
    /// The origin's revision that the newest record is about.
    var originRevision: Int { records.last?.record.originRevision ?? 0 }

    /// Whether a document's present life has what the newest record is about.
    func isAbout(_ document: Document) -> Bool {
        (document.birth...max(document.birth, document.revision)).contains(originRevision)
    }

    /// Whether a document has the same history as the origin, as far as a record goes; or as the
    /// origin had under another name. Blocks.
    func hasHistory(
        of name: DocumentID, as former: DocumentID? = nil, _ journal: any Journal
    ) -> Bool {
        let chains = [former ?? origin, name].map { id in
            try? DocumentPast(id, journal).chain(at: originRevision)
        }
        return chains[0] != nil && chains[0] == chains[1]
    }

    /// The name that the origin was given when it ended, if it has the same history there. Blocks.
    func name(after end: Document, _ journal: any Journal) -> DocumentID? {
        let last = try? DocumentPast(end.id, journal).change(at: end.revision)
        guard let next = last?.renamedTo, hasHistory(of: next, as: end.id, journal) else {
            return nil
        }
        return next
    }
}

extension DraftMergeOutcome {
    /// Of a transaction with the origin first, if that is changed.
    init(_ outcome: TransactionOutcome, _ origin: Document, left: Int) {
        let done = outcome.members.compactMap { member in
            if case .done(let done) = member.outcome { done } else { nil }
        }
        guard let draft = done.last else { preconditionFailure("a mark is always done") }
        self.draft = draft
        let unchanged: Outcome = draft.isDryRun ? .dryRun(nil, origin) : .nothing(origin)
        self.origin = done.count > 1 ? done[0] : unchanged
        self.left = left
    }
}

extension DraftRequest {
    fileprivate func change(_ action: ChangeRequest.Action) -> ChangeRequest {
        var request = ChangeRequest(action, actor: actor, label: label)
        // What it was computed for is its condition.
        request.namesChanges = true
        request.token = token
        request.isDryRun = isDryRun
        return request
    }

    fileprivate func nothing(_ document: Document) -> Outcome {
        isDryRun ? .dryRun(nil, document) : .nothing(document)
    }

    fileprivate func nothing(_ reader: DraftReader, left: Int) -> DraftMergeOutcome {
        DraftMergeOutcome(draft: nothing(reader.draft), origin: nothing(reader.origin), left: left)
    }
}

extension DraftRequest.Part {
    fileprivate func found(_ reader: DraftReader) throws(ChangeError) -> DraftPart {
        switch self {
        case .paths(let paths): return .paths(paths)
        case .changes(let changes): return .changes(changes)
        case .state(let address):
            let then = try address.document(reader.draft, reader.draftPast)
            return .state(then.revision, then.tree)
        }
    }
}
