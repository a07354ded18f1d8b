import DocumentCore
public import Journaling
import Threading

// Histories under other names.

extension DocumentStore {
    /// Gives a document the history of another one, or renames that one: all of it or nothing, in
    /// one commit. Takes as long as reading the history; it is durable when this returns.
    public func copy(
        _ request: CopyRequest, as id: DocumentID,
        while isAwaited: @escaping @Sendable () -> Bool = { true }
    ) async throws(ChangeError) -> Outcome {
        try await onThread(of: request.origin) { () async throws(ChangeError) in
            // The part of a long history that was read: after a lost race it is continued.
            var reading: HistoryReading?
            var attempts = 1
            while true {
                do throws(ChangeError) {
                    return try await copy(request, as: id, &reading, while: isAwaited)
                } catch {
                    guard error.isOfOtherHistory, attempts < ChangeRequest.conflictsMax else {
                        throw error
                    }
                    attempts += 1
                }
            }
        }
    }

    private func copy(
        _ request: CopyRequest, as id: DocumentID, _ reading: inout HistoryReading?,
        while isAwaited: @escaping @Sendable () -> Bool
    ) async throws(ChangeError) -> Outcome {
        let target = try await current(of: id)
        if let token = request.token, let made = try target.host.revision(of: token) {
            return try DocumentPast(id, journal).outcome(
                at: made, of: nil, limits: options.limits)
        }
        try check(request, as: target.document)
        let (head, past) = try await past(of: request.origin, while: isAwaited)
        let begun = reading
        // A history that was rewritten is read again from its beginning.
        reading = nil
        var known = try read(request, as: id, head, past, from: begun)
        if request.isDryRun {
            let copy = try finish(&known, request, of: head)
            return .dryRun(copy.change, copy.document)
        }
        let copy: HistoryCopy
        let result: Result<Bool, JournalError>
        (copy, known, result) = try await reply { [known] reply in
            queue.submit { [self] commit in
                reply(
                    Result { () throws(ChangeError) in
                        var known = known
                        let copy = try finish(&known, request, of: head)
                        return (copy, known, commit(copy.entries, [copy.checkpoint]))
                    })
            }
        }
        // The documents in memory are not what the journal has now.
        await refresh([id, request.origin])
        do throws(JournalError) {
            if try result.get() {
                return .made(Transition(copy.change, from: copy.document.tree, to: copy.document))
            }
        } catch {
            throw .journal(error)
        }
        reading = known
        throw .journal(.conflict)
    }

    private func check(_ request: CopyRequest, as target: Document) throws(ChangeError) {
        guard target.life == .unborn else { throw .exists(revision: target.revision) }
        if !request.isRename && !request.precondition.holds(for: nil) { throw .stale(head: nil) }
        let refusals = ruleBook.refusals(target.id, token: request.tokenName, on: day)
        if let refusal = refusals.creation ?? refusals.growth { throw .quota(refusal) }
        // The copy may have edits of the run that makes it.
        if !request.isRename, let refusal = try refusal(of: request.actor, in: target.id) {
            throw .quota(refusal)
        }
    }

    /// Reads what is copied. Blocks.
    private func read(
        _ request: CopyRequest, as id: DocumentID, _ head: Document, _ past: DocumentPast,
        from begun: HistoryReading?
    ) throws(ChangeError) -> HistoryReading {
        if let absence = head.absence { throw absence }
        let last = request.isRename ? head.revision : try request.lastRevision(head, past)
        guard last <= head.revision else { throw .unknownRevision(last) }
        if request.isRename { try request.checkPrecondition(head) }
        var reading: HistoryReading
        if let begun {
            reading = begun
        } else {
            reading = try HistoryReading(past, as: id, upTo: last)
        }
        try reading.read(upTo: last)
        return reading
    }

    /// The entries to store. Before a rename, the entries written since are read in a turn, so that
    /// a document under constant change can also be renamed.
    private func finish(
        _ reading: inout HistoryReading, _ request: CopyRequest, of head: Document
    ) throws(ChangeError) -> HistoryCopy {
        guard request.isRename else { return try reading.copy(request, of: head, at: now()) }
        let end = try journaled(journal.head(of: request.origin))
        guard let end else { throw .unknownDocument }
        try reading.read(upTo: end.revision)
        // Entries read before may have been rewritten since; then all are read again.
        guard reading.head == end else { throw .journal(.conflict) }
        return try reading.renaming(request, at: now())
    }

    /// Loads documents again of which what is in memory is not what the journal has.
    private func refresh(_ ids: [DocumentID]) async {
        for id in ids {
            guard let host = try? await host(of: id) else { continue }
            let head = try? journal.head(of: id)
            if !host.document.has(head) { reload(host) }
        }
        feed.noteForeignWrite()
    }
}

extension ChangeError {
    /// Whether another process came first, or the history was rewritten while it was read: then it
    /// is tried again.
    fileprivate var isOfOtherHistory: Bool {
        switch self {
        case .journal(.conflict), .journal(.corrupt): true
        default: false
        }
    }
}
