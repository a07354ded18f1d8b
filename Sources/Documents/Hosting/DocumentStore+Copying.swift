public import Journaling
import Threading

// Histories under other names.

extension DocumentStore {
    /// Gives a document the history of another one, or renames that one: all of it or nothing, in
    /// one commit. Takes as long as reading the history; `reply` is called when it is durable.
    public func copy(
        _ request: CopyRequest, as id: DocumentID,
        while isAwaited: @escaping @Sendable () -> Bool = { true },
        reply: @escaping @Sendable (Result<Outcome, ChangeError>) -> Void
    ) {
        copy(Copying(request: request, id: id, isAwaited: isAwaited, reply: reply))
    }

    private struct Copying: Sendable {
        let request: CopyRequest
        let id: DocumentID
        let isAwaited: @Sendable () -> Bool
        let reply: @Sendable (Result<Outcome, ChangeError>) -> Void
        var attempts = 1
        /// What was read of a long history: if others came first, it goes on from here.
        var reading: HistoryReading?
    }

    private func copy(_ copying: Copying) {
        withCurrent(of: copying.id, isLocal: false, copying.reply) { [self] current in
            let target = current.document
            do throws(ChangeError) {
                if let token = copying.request.token,
                    let made = try current.host.revision(of: token)
                {
                    return repeatCopy(copying, made)
                }
                guard target.life == .unborn else { throw .exists(revision: target.revision) }
                let isRefused =
                    !copying.request.isRename && !copying.request.precondition.holds(for: nil)
                if isRefused { throw .stale(head: nil) }
                let refusals = ruleBook.refusals(
                    copying.id, token: copying.request.family, on: day)
                if let refusal = refusals.creation ?? refusals.growth { throw .quota(refusal) }
            } catch {
                return copying.reply(.failure(error))
            }
            withPast(of: copying.request.origin, while: copying.isAwaited) { [self] found in
                do throws(ChangeError) {
                    let (head, past) = try found.get()
                    try read(copying, head, past)
                } catch {
                    refuse(copying, error)
                }
            }
        }
    }

    private func repeatCopy(_ copying: Copying, _ revision: Int) {
        past(of: copying.id, copying.reply) { [options] past throws(ChangeError) in
            try past.outcome(at: revision, of: nil, limits: options.limits)
        }
    }

    /// Reads what is copied, on a reader thread.
    private func read(
        _ copying: Copying, _ head: Document, _ past: DocumentPast
    ) throws(ChangeError) {
        if let absence = head.absence { throw absence }
        let request = copying.request
        let last = request.isRename ? head.revision : try request.lastRevision(head, past)
        guard last <= head.revision else { throw .unknownRevision(last) }
        if request.isRename { try request.checkPrecondition(head) }
        var reading: HistoryReading
        if let begun = copying.reading {
            reading = begun
        } else {
            reading = try HistoryReading(past, as: copying.id, upTo: last)
        }
        try reading.read(upTo: last)
        if request.isDryRun {
            let copy = try finish(&reading, request, of: head)
            return copying.reply(.success(.dryRun(copy.change, copy.document)))
        }
        queue.submit { [self, reading] commit in
            var reading = reading
            do throws(ChangeError) {
                let copy = try finish(&reading, request, of: head)
                store(copy, copying, reading, commit)
            } catch {
                refuse(copying, error)
            }
        }
    }

    /// What is stored. Before a rename what has been written since is read while nobody else
    /// writes, so that a document that always changes can be renamed, too.
    private func finish(
        _ reading: inout HistoryReading, _ request: CopyRequest, of head: Document
    ) throws(ChangeError) -> HistoryCopy {
        guard request.isRename else { return try reading.copy(request, of: head, at: now()) }
        let end: JournalHead?
        do throws(JournalError) { end = try journal.head(of: request.origin) } catch {
            throw .journal(error)
        }
        guard let end else { throw .unknownDocument }
        try reading.read(upTo: end.revision)
        // What was read before may have been rewritten since; then all is read anew.
        guard reading.head == end else { throw .journal(.conflict) }
        return try reading.renaming(request, at: now())
    }

    private func store(
        _ copy: HistoryCopy, _ copying: Copying, _ reading: HistoryReading, _ commit: LoneCommit
    ) {
        let result = commit(copy.entries, [copy.checkpoint])
        // Nobody goes on with what was in memory before.
        refresh([copying.id, copying.request.origin]) { [self] in
            switch result {
            case .success(true):
                let made = Transition(copy.change, from: copy.document.tree, to: copy.document)
                copying.reply(.success(.made(made)))
            case .success(false): refuse(copying, .journal(.conflict), goOnFrom: reading)
            case .failure(let error): refuse(copying, .journal(error))
            }
        }
    }

    /// Replies with an error, unless another process came first or the history was rewritten while
    /// it was read: then it is tried again.
    private func refuse(
        _ copying: Copying, _ error: ChangeError, goOnFrom reading: HistoryReading? = nil
    ) {
        switch error {
        case .journal(.conflict), .journal(.corrupt): break
        default: return copying.reply(.failure(error))
        }
        guard copying.attempts < ChangeRequest.conflictsMax else {
            return copying.reply(.failure(error))
        }
        var again = copying
        again.attempts += 1
        again.reading = reading
        copy(again)
    }

    /// Calls `body` when what is in memory of documents is what the journal has.
    private func refresh(_ ids: [DocumentID], _ body: @escaping @Sendable () -> Void) {
        guard let id = ids.first else {
            feed.noteForeignWrite()
            return body()
        }
        let goOn: @Sendable () -> Void = { [self] in refresh(Array(ids.dropFirst()), body) }
        withHost(of: id, { (_: Result<Void, ChangeError>) in goOn() }) { [self] host in
            read({ (_: Result<Void, ChangeError>) in goOn() }) { [self] in
                let head = try? journal.head(of: id)
                if !host.document.has(head) { reload(host) }
                goOn()
            }
        }
    }
}
