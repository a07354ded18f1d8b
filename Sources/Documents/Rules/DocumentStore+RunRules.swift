import DocumentCore
import Journaling
import Naming

// Quotas of runs: the index of runs knows what they did.

extension DocumentStore {
    /// Whether a quota limits what the actor of a request does in a document: then the index of
    /// runs is read first, which blocks.
    func isLimited(_ request: ChangeRequest, in document: DocumentID) -> Bool {
        // Most daemons have no such quota; then nothing of the request is read.
        ruleBook.limitsRuns && request.mayBeEdit
            && !ruleBook.quotas(of: request.actor, in: document).isEmpty
    }

    /// Notes in a request the quota that has no room for an edit of its run. Blocks.
    func limit(_ request: inout ChangeRequest, in document: DocumentID) throws(ChangeError) {
        var use = RunUse()
        try limit(&request, in: document, &use)
    }

    /// The same in the requests of a transaction: each comes after those before it. Where they may
    /// have no room together, a dry run shows which of them are edits. Blocks.
    func limited(
        _ request: TransactionRequest
    ) async throws(TransactionRefusal) -> TransactionRequest {
        var limited = request
        do throws(ChangeError) {
            try limit(&limited.members) { _ in true }
            let isFull = limited.members.contains { $0.request.rare.refusals.edit != nil }
            guard isFull, request.members.count > 1 else { return limited }
        } catch {
            throw request.refusal(error)
        }
        guard let counted = try await documentsCounted(by: request) else { return limited }
        limited = request
        do throws(ChangeError) { try limit(&limited.members) { counted.contains($0) } } catch {
            throw request.refusal(error)
        }
        return limited
    }

    private func limit(
        _ members: inout [TransactionRequest.Member], counting isCounted: (DocumentID) -> Bool
    ) throws(ChangeError) {
        var use = RunUse()
        for index in members.indices {
            let document = members[index].document
            try limit(
                &members[index].request, in: document, &use, isCounted: isCounted(document))
        }
    }

    private func limit(
        _ request: inout ChangeRequest, in document: DocumentID, _ use: inout RunUse,
        isCounted: Bool = true
    ) throws(ChangeError) {
        guard request.mayBeEdit,
            let refusal = try refusal(of: request.actor, in: document, &use, isCounted: isCounted)
        else { return }
        request.rare.refusals.edit = refusal
    }

    /// The quota that has no room for an edit of a run in a document; `nil` if all have. Blocks.
    func refusal(of run: Name, in document: DocumentID) throws(ChangeError) -> QuotaRefusal? {
        var use = RunUse()
        return try refusal(of: run, in: document, &use, isCounted: false)
    }

    private func refusal(
        of run: Name, in document: DocumentID, _ use: inout RunUse, isCounted: Bool
    ) throws(ChangeError) -> QuotaRefusal? {
        for (prefix, quota) in ruleBook.quotas(of: run, in: document) {
            do throws(ChangeError) {
                if use.rows == nil { use.rows = try runs.rows(upTo: lastSequence) }
                if let refusal = try use.refusal(
                    quota, of: run, in: document, prefix, isCounted: isCounted)
                {
                    return refusal
                }
            } catch {
                // While the index is incomplete, edits pass.
                guard case .indexing = error else { throw error }
            }
        }
        return nil
    }
}

/// The edits of runs in documents of prefixes, and those that a request adds. Read once for each
/// request.
private struct RunUse {
    /// The run and the prefix.
    private struct Key: Hashable {
        let run, prefix: Name
    }

    private struct Count {
        var edits = 0
        var documents: Set<DocumentID> = []
    }

    var rows: IndexRows?
    private var counts: [Key: Count] = [:]

    init() {}

    /// The refusal of a quota for one more edit of a run in a document of a prefix; `nil` if it has
    /// room, for which the edit then counts.
    mutating func refusal(
        _ quota: DocumentRules.RunRule, of run: Name, in document: DocumentID, _ prefix: Name,
        isCounted: Bool
    ) throws(ChangeError) -> QuotaRefusal? {
        let key = Key(run: run, prefix: prefix)
        var count = if let known = counts[key] { known } else { try read(key) }
        func refusal(_ measure: QuotaRefusal.Measure, _ max: Int) -> QuotaRefusal {
            QuotaRefusal(
                subject: .run(run, prefix: prefix), measure: measure, isDaily: false, max: max)
        }
        if let max = quota.edits, count.edits >= max { return refusal(.edits, max) }
        let isNew = count.documents.insert(document).inserted
        if let max = quota.documents, isNew, count.documents.count > max {
            return refusal(.documents, max)
        }
        guard isCounted else { return nil }
        count.edits += 1
        counts[key] = count
        return nil
    }

    private mutating func read(_ key: Key) throws(ChangeError) -> Count {
        var count = Count()
        do throws(JournalError) {
            let found = try rows?.counts(
                of: key.run, prefix: key.prefix.text, after: nil, limit: .max)
            for (document, known) in found ?? [] where known.edits > 0 {
                count.edits += known.edits
                count.documents.insert(document)
            }
        } catch {
            throw .journal(error)
        }
        return count
    }
}

extension ChangeRequest {
    /// Whether it may make an edit, or bring one back that does not count: those that a run has
    /// undone one by one.
    fileprivate var mayBeEdit: Bool {
        switch action {
        case .tag, .removeTag, .snapshot, .removeSnapshot, .settings, .delete, .nothing, .revertAll,
            .move, .mark:
            false
        default: true
        }
    }
}
