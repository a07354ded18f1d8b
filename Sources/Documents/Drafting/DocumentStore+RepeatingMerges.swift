import DocumentCore
import JSONTree
import Journaling

// Merges that a client requests again.

extension DocumentStore {
    /// The outcome of a merge of several drafts that was carried out before, as a transaction.
    /// Drafts that had nothing new are not named.
    public func outcome(
        of request: MergeOfMany, repeating made: TransactionOutcome
    ) async throws(MergeOfManyRefusal) -> MergeOfManyOutcome {
        var merged: [DraftMergeOutcome] = []
        for case (let document, .done(let draft)) in made.members {
            do throws(ChangeError) {
                if let made = try await outcome(repeating: draft) { merged.append(made) }
            } catch {
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
        return DraftMergeOutcome(
            draft: draft, origin: origin, left: record.ahead.compacted.count)
    }

    /// The outcome of a merge in the origin. Blocks.
    private func origin(of record: DraftRecord, isChanged: Bool) throws(ChangeError) -> Outcome {
        let past = DocumentPast(record.origin, journal)
        if !isChanged { return .nothing(try past.document(at: record.originRevision)) }
        return try past.outcome(at: record.originRevision, of: nil, limits: options.limits)
    }
}
