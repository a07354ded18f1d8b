import DocumentCore
public import Journaling
import Naming

// A merge of several drafts that a client requests again.

extension DocumentStore {
    /// The outcome of a merge with the same key; `nil` if it was not carried out. Drafts that had
    /// nothing new are not named. `ended`: the last revisions of documents that are deleted, of
    /// which some may have been drafts.
    ///
    /// The client must also reach all documents of the merge now.
    public func repetition(
        of request: DraftsRequest, ended: [DocumentRevision]
    ) async throws(DraftsRefusal) -> DraftsMergeOutcome? {
        guard let token = request.each.token else { return nil }
        let documents = request.drafts + lately(ended, endedWith: token.key)
        guard let any = documents.first else { return nil }
        return try await withMemory(
            of: request.owner, DraftsRefusal(document: any, refusal: Refusal(DocumentStore.closed))
        ) { memory async throws(DraftsRefusal) in
            for document in documents {
                await takeTurn(of: request.owner)
                if let change = try await change(repeating: token, in: document) {
                    return try await repetition(of: request, by: change, memory)
                }
            }
            return nil
        }
    }

    /// Of deleted documents those that may know a request with the key, the newest first: one that
    /// it has ended as a draft; otherwise the ones that were deleted while the key is remembered,
    /// up to the limit on drafts. O(documents). Blocks.
    private func lately(_ ended: [DocumentRevision], endedWith key: Name) -> [DocumentID] {
        let oldest = now().milliseconds - Int(RequestLog.age / .milliseconds(1))
        var found: [(document: DocumentID, time: Timestamp)] = []
        for place in ended {
            let past = DocumentPast(place.document, journal)
            guard let end = try? past.change(at: place.revision), end.time.milliseconds >= oldest
            else { continue }
            guard end.token?.key == key else {
                found.append((place.document, end.time))
                continue
            }
            // Otherwise another request had the key.
            if end.draft != nil { return [place.document] }
        }
        found.sort { $0.time > $1.time }
        return found.prefix(DraftsRequest.draftsMax).map(\.document)
    }

    /// The change that a request with the key has made in a document, if it has.
    private func change(
        repeating token: RequestToken, in document: DocumentID
    ) async throws(DraftsRefusal) -> Change? {
        do throws(Refusal) {
            let outcome = try await outcome(of: .repeating(token), in: document)
            return outcome.isRepeated ? outcome.change : nil
        } catch {
            guard case .otherRequest = error.error else { return nil }
            throw DraftsRefusal(document: document, refusal: error)
        }
    }

    /// The outcome of a merge of which one change is known.
    private func repetition(
        of request: DraftsRequest, by change: Change, _ memory: RequestMemory
    ) async throws(DraftsRefusal) -> DraftsMergeOutcome {
        let parts = change.namedParts(in: journal)
        for part in parts {
            do throws(ChangeError) { try request.each.mayReach(part.document) } catch {
                let isHidden = if case .draft(.originOutOfReach) = error { true } else { false }
                let reason = isHidden ? ChangeError.outOfReach(part.document) : error
                throw DraftsRefusal(document: part.document, refusal: Refusal(reason))
            }
        }
        var merged: [DraftMergeOutcome] = []
        var bytes = 0
        for part in parts {
            do throws(Refusal) {
                guard let made = try await repetition(of: request.one(part.document)) else {
                    continue
                }
                bytes += made.draft.weight + made.origin.weight
                try memory.check(made: bytes, isAlone: parts.count <= 2)
                merged.append(made)
            } catch {
                throw DraftsRefusal(document: part.document, refusal: error)
            }
        }
        return request.outcome(change.transaction?.leader, merged, unchanged: [], memory)
    }
}

extension RequestMemory {
    /// Throws if outcomes take more than they may.
    fileprivate func check(made bytes: Int, isAlone: Bool) throws(Refusal) {
        do throws(ChangeError) { try check(bytes, isAlone: isAlone) } catch {
            throw Refusal(error)
        }
    }
}
