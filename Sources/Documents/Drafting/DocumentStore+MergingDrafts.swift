import DocumentCore
import Journaling
import Threading

// A merge of several drafts: each is compared with its origin in turn, and all are merged in one
// transaction.

extension DocumentStore {
    /// Merges drafts into their origins, all or none. It is durable when this returns.
    public func merge(
        _ request: MergeOfMany
    ) async throws(MergeOfManyRefusal) -> MergeOfManyOutcome {
        guard let any = request.drafts.first ?? request.match.revisions.keys.min() else {
            return request.outcome(nil, [], unchanged: [])
        }
        return try await withMemory(
            of: request.owner, isUnbounded: request.drafts.count == 1,
            MergeOfManyRefusal(document: any, refusal: Refusal(DocumentStore.closed))
        ) { memory async throws(MergeOfManyRefusal) in
            var attempts = 1
            while true {
                var plan = MergePlan()
                do throws(MergeOfManyRefusal) {
                    try await read(request, memory, &plan)
                    return try await carryOut(plan, of: request, memory)
                } catch {
                    let isAgain =
                        error.refusal.error == .overtaken || plan.sides.contains(where: isRewritten)
                    guard isAgain, attempts < DraftRequest.attemptsMax else { throw error }
                    attempts += 1
                }
            }
        }
    }

    /// Compares each draft with its origin. Throws if one cannot be merged; with the conflicts of
    /// all, if these are the reason.
    private func read(
        _ request: MergeOfMany, _ memory: RequestMemory, _ plan: inout MergePlan
    ) async throws(MergeOfManyRefusal) {
        var conflicts: [MergeOfManyRefusal.InDraft] = []
        var first: MergeOfManyRefusal?
        for (index, draft) in request.drafts.enumerated() {
            if index > 0 { await takeTurn(of: request.owner) }
            do throws(Refusal) {
                let one = request.one(draft)
                let sides = try await sides(of: one, memory, besides: plan.bytes)
                do throws(ChangeError) {
                    try plan.add(sides, memory)
                    plan.steps.append(try one.step(sides))
                } catch {
                    let refusal = Refusal(error, by: sides.draft)
                    guard case .draft(.conflicts(let found)) = error else { throw refusal }
                    conflicts.append(
                        .init(draft: sides.draft, origin: sides.origin.id, conflicts: found))
                    first = first ?? MergeOfManyRefusal(document: draft, refusal: refusal)
                }
            } catch {
                throw MergeOfManyRefusal(document: draft, refusal: error)
            }
        }
        guard var refusal = first else {
            try plan.checkOrigins()
            return try plan.checkOverlaps()
        }
        refusal.conflicts = conflicts
        throw refusal
    }

    private func carryOut(
        _ plan: MergePlan, of request: MergeOfMany, _ memory: RequestMemory
    ) async throws(MergeOfManyRefusal) -> MergeOfManyOutcome {
        let steps = plan.steps.filter { !$0.members.isEmpty }
        let unchanged = plan.steps.filter(\.members.isEmpty).map(\.draft)
        let members = plan.members
        var transaction = TransactionRequest(
            members + request.match.conditions(besides: members.map(\.document)))
        transaction.token = request.each.token
        transaction.isFoundByKey = true
        transaction.isDryRun = request.each.isDryRun
        transaction.owner = request.owner
        transaction.membersMax = transaction.members.count
        transaction.memory = memory
        var outcome: TransactionOutcome?
        if !transaction.members.isEmpty {
            do throws(TransactionRefusal) {
                outcome = try await transact(transaction, isLarge: true)
            } catch {
                // No client knows a document of the daemon's own.
                let isOwn = error.document.isOwn
                let document = isOwn ? transaction.members[0].document : error.document
                throw MergeOfManyRefusal(document: document, refusal: error.refusal)
            }
        }
        if var outcome, outcome.isRepeated {
            outcome.memory = memory
            return try await self.outcome(of: request, repeating: outcome)
        }
        let merged = outcome.map { outcome in steps.map { DraftMergeOutcome(outcome, $0) } } ?? []
        return request.outcome(outcome?.leader, merged, unchanged: unchanged, memory)
    }
}

/// The comparisons of drafts with their origins, and the changes of a merge.
private struct MergePlan {
    var steps: [DraftStep] = []
    private(set) var sides: [DraftReader] = []
    /// About how many bytes they take.
    private(set) var bytes = 0

    /// The members of all steps, of each document one: a draft that gives way to its origin leaves
    /// the change there to another draft.
    var members: [TransactionRequest.Member] {
        var (changing, unchanging): ([TransactionRequest.Member], [TransactionRequest.Member]) =
            ([], [])
        for step in steps {
            for member in step.members {
                let isChange = step.changesOrigin || member.document == step.draft
                if isChange { changing.append(member) } else { unchanging.append(member) }
            }
        }
        var known: Set<DocumentID> = []
        return (changing + unchanging).filter { known.insert($0.document).inserted }
    }

    /// Throws if all of them together take more memory than they may.
    mutating func add(_ sides: DraftReader, _ memory: RequestMemory) throws(ChangeError) {
        self.sides.append(sides)
        bytes += DraftRequest.copiesOfBoth * (sides.draft.weight + sides.originHead.weight)
        try memory.check(bytes)
    }

    /// Throws if an origin changed while it was compared with several drafts: the members of the
    /// transaction have only one of its states as their basis.
    func checkOrigins() throws(MergeOfManyRefusal) {
        var read: [DocumentID: Int] = [:]
        for step in steps {
            let (origin, revision) = (step.origin.id, step.origin.revision)
            let other = read.updateValue(revision, forKey: origin) ?? revision
            guard other == revision else {
                throw MergeOfManyRefusal(document: origin, refusal: Refusal(ChangeError.overtaken))
            }
        }
    }

    /// Throws if two drafts change the same origin, of which a transaction has one change; or if
    /// one changes another draft, whose edits then would be merged without these.
    func checkOverlaps() throws(MergeOfManyRefusal) {
        var first = Dictionary(uniqueKeysWithValues: steps.map { ($0.draft, $0.draft) })
        for step in steps where step.changesOrigin {
            let origin = step.origin.id
            guard let other = first.updateValue(step.draft, forKey: origin) else { continue }
            throw MergeOfManyRefusal(
                document: origin,
                refusal: Refusal(.draft(.overlapping(origin, [other, step.draft]))))
        }
    }
}

extension MergeOfMany {
    /// The request for one of the drafts, with what is required of it and of its origin.
    func one(_ draft: DocumentID) -> DraftRequest {
        var one = each
        one.draft = draft
        one.decisions.places = places[draft] ?? [:]
        one.precondition.match = match.condition(on: draft)
        one.originMatch = { [match] in match.shown($0) }
        return one
    }

    func outcome(
        _ leader: DocumentRevision?, _ merged: [DraftMergeOutcome], unchanged: [DocumentID],
        _ memory: RequestMemory? = nil
    ) -> MergeOfManyOutcome {
        MergeOfManyOutcome(
            leader: leader, merged: merged, unchanged: unchanged, isDryRun: each.isDryRun,
            memory: memory)
    }
}
