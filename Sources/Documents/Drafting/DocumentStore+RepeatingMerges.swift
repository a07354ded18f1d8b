import DocumentCore
import JSONTree
import Journaling

// Merges that a client requests again.

extension DocumentStore {
    /// The outcome of a merge of several drafts that was carried out before, as a transaction.
    /// Drafts that had nothing new are not named. The client must also reach the origins now.
    public func outcome(
        of request: MergeOfMany, repeating made: TransactionOutcome
    ) async throws(MergeOfManyRefusal) -> MergeOfManyOutcome {
        var merged: [DraftMergeOutcome] = []
        let parts = made.parts
        var bytes = parts.values.reduce(0) { $0 + $1.weight }
        for case (let document, .done(let draft)) in made.members {
            guard let record = draft.change?.draft else { continue }
            do throws(ChangeError) {
                try request.each.mayReach(record.origin)
                if let origin = parts[DocumentRevision(record.origin, record.originRevision)] {
                    merged.append(DraftMergeOutcome(repeating: draft, record, origin))
                    continue
                }
                guard let known = try await outcome(repeating: draft) else { continue }
                bytes += known.origin.weight
                try made.memory?.check(bytes)
                merged.append(known)
            } catch {
                if error.isForgotten { continue }
                throw MergeOfManyRefusal(document: document, refusal: Refusal(error))
            }
        }
        return request.outcome(made.leader, merged, unchanged: [], made.memory)
    }

    /// The outcome of a merge of one draft with the same key; `nil` if it was not carried out. The
    /// client must also reach the origin now.
    func repetition(of request: DraftRequest) async throws(Refusal) -> DraftMergeOutcome? {
        guard let token = request.token else { return nil }
        let draft: Outcome
        do throws(Refusal) {
            draft = try await outcome(of: .repeating(token), in: request.draft)
        } catch {
            if case .otherRequest = error.error { throw error }
            return nil
        }
        guard draft.isRepeated, let origin = draft.change?.draft?.origin else { return nil }
        do throws(ChangeError) { try request.mayReach(origin) } catch { throw Refusal(error) }
        do throws(ChangeError) { return try await outcome(repeating: draft) } catch {
            throw Refusal(error).inDocument(origin)
        }
    }

    /// The outcome of the merge that left a mark in a draft; `nil` for any other change.
    private func outcome(repeating draft: Outcome) async throws(ChangeError) -> DraftMergeOutcome? {
        guard let record = draft.change?.draft else { return nil }
        let origin = try await onThread(of: record.origin) { () throws(ChangeError) in
            try self.origin(of: record, isChanged: draft.change?.merging != nil)
        }
        return DraftMergeOutcome(repeating: draft, record, origin)
    }

    /// The outcome of a merge in the origin. Blocks.
    private func origin(of record: DraftRecord, isChanged: Bool) throws(ChangeError) -> Outcome {
        let past = DocumentPast(record.origin, journal)
        if !isChanged { return .nothing(try past.document(at: record.originRevision)) }
        return try past.outcome(at: record.originRevision, of: nil, limits: options.limits)
    }
}

extension TransactionOutcome {
    /// The outcomes of its parts.
    fileprivate var parts: [DocumentRevision: Outcome] {
        var parts: [DocumentRevision: Outcome] = [:]
        for case (let document, .done(let outcome)) in members {
            guard let change = outcome.change else { continue }
            parts[DocumentRevision(document, change.revision)] = outcome
        }
        return parts
    }
}

extension DraftMergeOutcome {
    /// `record`: the mark that the merge left in the draft.
    fileprivate init(repeating draft: Outcome, _ record: DraftRecord, _ origin: Outcome) {
        self.init(draft: draft, origin: origin, left: record.ahead.compacted.count)
    }
}
