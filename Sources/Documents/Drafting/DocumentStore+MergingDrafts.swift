import DocumentCore
public import Journaling
import Threading

// A merge of several drafts: each is compared with its origin in turn, and all are merged in one
// transaction.

extension DocumentStore {
    /// Merges drafts into their origins, all or none. It is durable when this returns.
    public func merge(
        _ request: DraftsRequest
    ) async throws(DraftsRefusal) -> DraftsMergeOutcome {
        guard let any = request.drafts.first ?? request.revisions.keys.min() else {
            return request.outcome(nil, [], unchanged: [])
        }
        return try await withMemory(
            of: request.owner, isUnbounded: request.drafts.count == 1,
            DraftsRefusal(document: any, refusal: Refusal(DocumentStore.closed))
        ) { memory async throws(DraftsRefusal) in
            var attempts = 1
            while true {
                var plan = DraftsPlan()
                do throws(DraftsRefusal) {
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
        _ request: DraftsRequest, _ memory: RequestMemory, _ plan: inout DraftsPlan
    ) async throws(DraftsRefusal) {
        var conflicts: [DraftsRefusal.InDraft] = []
        var first: DraftsRefusal?
        for (index, draft) in request.drafts.enumerated() {
            if index > 0 { await takeTurn(of: request.owner) }
            do throws(Refusal) {
                let one = request.one(draft)
                let sides = try await sides(of: one, memory)
                do throws(ChangeError) {
                    try plan.add(sides, memory)
                    plan.steps.append(try one.step(sides))
                } catch {
                    let refusal = Refusal(error, by: sides.draft)
                    guard case .draft(.conflicts(let found)) = error else { throw refusal }
                    conflicts.append(
                        .init(draft: sides.draft, origin: sides.origin.id, conflicts: found))
                    first = first ?? DraftsRefusal(document: draft, refusal: refusal)
                }
            } catch {
                throw DraftsRefusal(document: draft, refusal: error)
            }
        }
        guard var refusal = first else { return try plan.checkOverlaps() }
        refusal.conflicts = conflicts
        throw refusal
    }

    private func carryOut(
        _ plan: DraftsPlan, of request: DraftsRequest, _ memory: RequestMemory
    ) async throws(DraftsRefusal) -> DraftsMergeOutcome {
        let steps = plan.steps.filter { !$0.members.isEmpty }
        let unchanged = plan.steps.filter(\.members.isEmpty).map(\.draft)
        var transaction = TransactionRequest(
            steps.flatMap(\.members) + request.conditions(besides: plan))
        transaction.token = request.each.token
        transaction.isDryRun = request.each.isDryRun
        transaction.owner = request.owner
        transaction.membersMax = transaction.members.count
        transaction.memory = memory
        var outcome: TransactionOutcome?
        if !transaction.members.isEmpty {
            do throws(TransactionRefusal) {
                outcome = try await transact(transaction, isLarge: true)
            } catch {
                throw DraftsRefusal(document: error.document, refusal: error.refusal)
            }
        }
        let merged = outcome.map { outcome in steps.map { DraftMergeOutcome(outcome, $0) } } ?? []
        return request.outcome(outcome?.leader, merged, unchanged: unchanged, memory)
    }
}

/// The comparisons of drafts with their origins, and the changes of a merge.
private struct DraftsPlan {
    var steps: [DraftStep] = []
    private(set) var sides: [DraftReader] = []
    private var bytes = 0

    /// The documents that are compared.
    var documents: Set<DocumentID> {
        Set(sides.flatMap { [$0.draft.id, $0.origin.id] })
    }

    /// Throws if all of them together take more memory than they may.
    mutating func add(_ sides: DraftReader, _ memory: RequestMemory) throws(ChangeError) {
        self.sides.append(sides)
        bytes += DraftRequest.copiesOfBoth * (sides.draft.weight + sides.originHead.weight)
        try memory.check(bytes)
    }

    /// Throws if a document would be changed twice: two drafts have the same origin, or one is the
    /// origin of another one. A transaction has one change of each document.
    func checkOverlaps() throws(DraftsRefusal) {
        var first: [DocumentID: DocumentID] = [:]
        for step in steps {
            for document in step.members.map(\.document) {
                guard let other = first.updateValue(step.draft, forKey: document) else { continue }
                throw DraftsRefusal(
                    document: document,
                    refusal: Refusal(.draft(.overlapping(document, [other, step.draft]))))
            }
        }
    }
}

extension DraftsRequest {
    /// The request for one of the drafts, with what is required of it and of its origin.
    func one(_ draft: DocumentID) -> DraftRequest {
        var one = each
        one.draft = draft
        one.decisions.places = places[draft] ?? [:]
        one.precondition.match = match(draft)
        one.originMatch = { [revisions] in revisions[$0].map { .these([$0]) } }
        return one
    }

    private func match(_ document: DocumentID) -> Precondition.Revisions? {
        let shown = revisions[document].map { Precondition.Revisions.these([$0]) }
        return each.originNumbering(document).revisions(shown)
    }

    /// The documents that are not compared, and have to be at a revision.
    fileprivate func conditions(besides plan: DraftsPlan) -> [TransactionRequest.Member] {
        let compared = plan.documents
        return revisions.keys.filter { !compared.contains($0) }.sorted().map { document in
            var request = ChangeRequest(.nothing)
            request.precondition.match = match(document)
            return TransactionRequest.Member(document, request)
        }
    }

    func outcome(
        _ leader: DocumentRevision?, _ merged: [DraftMergeOutcome], unchanged: [DocumentID],
        _ memory: RequestMemory? = nil
    ) -> DraftsMergeOutcome {
        DraftsMergeOutcome(
            leader: leader, merged: merged, unchanged: unchanged, isDryRun: each.isDryRun,
            memory: memory)
    }
}
