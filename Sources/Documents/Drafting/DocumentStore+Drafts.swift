import DocumentCore
public import JSONTree
public import Journaling
public import Naming

/// A request to bring a draft up to date with its origin, or to merge it there.
public struct DraftRequest: Sendable {
    public var draft: DocumentID
    public var decisions: DraftComparison.Decisions
    public var actor: Name
    public var label: String?
    public var promptBy: Name?
    /// About the draft.
    public var precondition: Precondition
    /// The revisions of an origin at which it has to be, as clients see them.
    public var originMatch: @Sendable (DocumentID) -> Precondition.Revisions? = { _ in nil }
    /// The part of the draft to merge: `nil` for all of it.
    public var part: Part?
    /// Up to which state of the origin the draft is updated.
    public var until = StateAddress.head
    /// How numbers of an origin look, in `originMatch` and `until`.
    public var originNumbering: @Sendable (DocumentID) -> Numbering = { _ in .uncut }
    /// Whether a draft of which nothing is left is deleted when it is merged.
    public var endsDraft = false
    public var token: RequestToken?
    public var isDryRun = false
    /// Throws if the client may not use an origin.
    public var mayReach: @Sendable (DocumentID) throws(ChangeError) -> Void = { _ in }
    public var isAwaited: @Sendable () -> Bool = { true }

    /// The part of a draft that a request chooses.
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

/// The result of a merge.
public struct DraftMergeOutcome: Sendable {
    public let draft: Outcome
    public let origin: Outcome
    /// How many edits of the draft were not merged.
    public let left: Int
}

// A refusal by the origin says so in its `place`.

extension DocumentStore {
    /// Compares a draft with its origin.
    public func compare(_ request: DraftRequest) async throws(Refusal) -> DraftComparison {
        try await withSides(of: request) { sides, memory throws(Refusal) in
            var comparison = try await asRefusal(try sides.comparison())
            comparison.memory = memory
            return comparison
        }
    }

    /// Takes over what is new in a draft's origin. It is durable when this returns.
    public func update(_ request: DraftRequest) async throws(Refusal) -> Outcome {
        try await withSides(of: request) { sides, _ throws(Refusal) in
            let update = try await asRefusal(
                try sides.comparison(creditsAuthors: true).update(request.decisions))
            guard let update else { return request.nothing(sides.draft) }
            return try await outcome(of: request.change(.update(update)), in: request.draft)
        }
    }

    /// Merges a draft, or a part of it, into its origin: as one change there, and a mark in the
    /// draft, both or neither. It is durable when this returns.
    public func merge(_ request: DraftRequest) async throws(Refusal) -> DraftMergeOutcome {
        if let made = try await repetition(of: request) { return made }
        return try await withSides(of: request) { sides, memory throws(Refusal) in
            let step = try await asRefusal(try request.step(sides))
            if step.members.isEmpty { return request.nothing(sides, left: step.left) }
            var transaction = TransactionRequest(step.members)
            transaction.token = request.token
            transaction.memory = memory
            transaction.isDryRun = request.isDryRun
            do throws(TransactionRefusal) {
                let outcome = try await transact(transaction)
                return DraftMergeOutcome(outcome, step)
            } catch {
                let isDraft = error.document == request.draft
                throw isDraft ? error.refusal : error.refusal.inDocument(error.document)
            }
        }
    }

    /// Names the origin of a draft, which has been given that name; or takes it away, so that the
    /// draft is a document of its own.
    public func setOrigin(
        of request: DraftRequest, to name: DocumentID?
    ) async throws(Refusal) -> Outcome {
        try await asRefusal(await check(name, as: request))
        var change = request.change(.origin(name))
        change.precondition = request.precondition
        return try await outcome(of: change, in: request.draft)
    }

    private func check(
        _ name: DocumentID?, as request: DraftRequest
    ) async throws(ChangeError) {
        try await onThread(of: request.draft) { () async throws(ChangeError) in
            let found = try await past(of: request.draft, while: request.isAwaited)
            let state = try found.head.draftState()
            if let name { try check(name, of: state) }
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
}

// MARK: Both documents

extension DocumentStore {
    /// Calls `body` with a draft and its origin, and again if one of them has changed meanwhile.
    ///
    /// Both have to be in memory, whatever they take: what takes much runs alone.
    private func withSides<Value: Sendable>(
        of request: DraftRequest,
        _ body: (DraftReader, RequestMemory) async throws(Refusal) -> Value
    ) async throws(Refusal) -> Value {
        try await onThread(of: request.draft) { () async throws(Refusal) in
            try await withMemory(
                of: request.draft.name, isUnbounded: true, Refusal(DocumentStore.closed)
            ) { memory async throws(Refusal) in
                var attempts = 1
                while true {
                    let sides = try await self.sides(of: request, memory)
                    do throws(Refusal) { return try await body(sides, memory) } catch {
                        let isAgain = error.error == .overtaken || isRewritten(sides)
                        guard isAgain, attempts < DraftRequest.attemptsMax else { throw error }
                        attempts += 1
                    }
                }
            }
        }
    }

    /// Reads both documents. `bytes`: the memory that the request already takes for other drafts.
    func sides(
        of request: DraftRequest, _ memory: RequestMemory, besides bytes: Int = 0
    ) async throws(Refusal) -> DraftReader {
        let room = memory.room(besides: bytes, isAlone: bytes == 0)
        let (draft, draftPast) = try await asRefusal(
            await self.past(of: request.draft, within: room, while: request.isAwaited))
        let state = try await asRefusal(try request.state(of: draft))
        try await asRefusal(try memory.check(draft.weight))
        let found = try? await origin(of: state, while: request.isAwaited)
        let (head, past, then) = try request.origin(found, state, memory, beside: draft)
        return DraftReader(
            draft: draft, draftPast: draftPast, origin: then, originHead: head, originPast: past)
    }

    /// Whether one of the histories was rewritten while it was read; then its document is loaded
    /// again. Blocks.
    func isRewritten(_ sides: DraftReader) -> Bool {
        let both = [(sides.draft, sides.draftPast), (sides.originHead, sides.originPast)]
        let rewritten = both.filter { document, past in !past.has(document) }
        for (document, past) in rewritten { loadedHost(document.id)?.retireIfRewritten(past) }
        return !rewritten.isEmpty
    }

    /// Finds a draft's origin, also under the name that it has been given since.
    private func origin(
        of state: DraftState, while isAwaited: @escaping @Sendable () -> Bool
    ) async throws(ChangeError) -> (head: Document, past: DocumentPast) {
        var found = try await past(of: state.origin, while: isAwaited)
        for _ in 0..<DraftRequest.renamesMax {
            guard !found.head.exists, let next = state.name(after: found.head, journal) else {
                break
            }
            found = try await past(of: next, while: isAwaited)
        }
        return found
    }
}

/// Throws a document's error as a refusal.
private func asRefusal<Value>(
    _ body: @autoclosure () async throws(ChangeError) -> Value
) async throws(Refusal) -> Value {
    do throws(ChangeError) { return try await body() } catch { throw Refusal(error) }
}

extension DraftRequest {
    /// The draft's record of its origin, if the draft meets the request's condition.
    fileprivate func state(of draft: Document) throws(ChangeError) -> DraftState {
        if let absence = draft.absence { throw absence }
        guard precondition.holds(for: draft.revision) else { throw .stale(head: draft.revision) }
        return try draft.draftState()
    }

    /// Both documents, and what is compared and made of them.
    static let copiesOfBoth = 2

    /// The origin as it is, and as it is wanted; a refusal that is about it says so.
    fileprivate func origin(
        _ found: (head: Document, past: DocumentPast)?, _ state: DraftState,
        _ memory: RequestMemory, beside draft: Document
    ) throws(Refusal) -> (head: Document, past: DocumentPast, then: Document) {
        guard let (head, past) = found, head.exists else {
            throw Refusal(.draft(.originGone(state.origin)))
        }
        do throws(ChangeError) { try mayReach(head.id) } catch { throw Refusal(error) }
        do throws(ChangeError) {
            let numbering = originNumbering(head.id)
            let condition = Precondition(match: numbering.revisions(originMatch(head.id)))
            guard condition.holds(for: head.revision) else { throw .stale(head: head.revision) }
            try memory.check(DraftRequest.copiesOfBoth * (draft.weight + head.weight))
            return (head, past, try numbering.state(until).document(head, past))
        } catch {
            throw Refusal(error).inDocument(head.id)
        }
    }
}

extension Document {
    /// The record of its origin; throws if it is not a draft.
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

/// The part of a merge that one draft has.
struct DraftStep: Sendable {
    let draft: DocumentID
    /// The origin as it was read.
    let origin: Document
    /// The change of the origin, if there is one, and the mark in the draft; none if there is
    /// nothing to merge.
    let members: [TransactionRequest.Member]
    /// Whether the origin gets another value.
    let changesOrigin: Bool
    /// The number of edits of the draft that are not merged.
    let left: Int
}

extension DraftMergeOutcome {
    /// Of a transaction with the members of a step.
    init(_ outcome: TransactionOutcome, _ step: DraftStep) {
        func done(_ id: DocumentID) -> Outcome? {
            let member = outcome.members.first { $0.document == id }?.outcome
            if case .done(let done)? = member { return done }
            return nil
        }
        guard let draft = done(step.draft) else { preconditionFailure("a mark is always done") }
        self.draft = draft
        let unchanged: Outcome =
            draft.isDryRun ? .dryRun(nil, step.origin) : .nothing(step.origin)
        origin = step.changesOrigin ? done(step.origin.id) ?? unchanged : unchanged
        left = step.left
    }
}

extension DraftRequest {
    /// The changes of a merge of the draft, or of its part. Blocks.
    func step(_ sides: DraftReader) throws(ChangeError) -> DraftStep {
        let part = try part?.found(sides)
        let comparison = try sides.comparison(creditsAuthors: true)
        let made = try comparison.merge(part, decisions)
        let left = made?.left ?? comparison.ahead.patch.count
        let isEnd = endsDraft && left == 0
        let end = isEnd && made == nil ? try comparison.ending() : nil
        let changesOrigin = made?.origin.changesOrigin ?? false
        var members: [TransactionRequest.Member] = []
        if let edits = made?.origin {
            members.append(.init(sides.origin.id, change(.takeIn(edits))))
        }
        if let record = made?.record ?? end {
            let mark = DraftMark(
                basis: sides.draft.revision, record: record, isEnd: isEnd,
                changesOrigin: changesOrigin)
            members.append(.init(draft, change(.mark(mark))))
        }
        return DraftStep(
            draft: draft, origin: sides.origin, members: members, changesOrigin: changesOrigin,
            left: left)
    }

    fileprivate func change(_ action: ChangeRequest.Action) -> ChangeRequest {
        var request = ChangeRequest(action, actor: actor, label: label)
        request.promptBy = promptBy
        // The transaction requires the state for which it was computed.
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
