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
        /// What was copied in vain: of a long history only what came since is read again.
        var known: [JournalEntry] = []
    }

    private func copy(_ copying: Copying) {
        withCurrentHost(of: copying.id, isLocal: false, copying.reply) { [self] host, newer in
            let target = newer ?? host.document(use: nextUse())
            do throws(ChangeError) {
                if let token = copying.request.token, let made = try host.revision(of: token) {
                    return repeatCopy(copying, made)
                }
                guard target.life == .unborn else { throw .exists(revision: target.revision) }
                let isRefused =
                    !copying.request.isRename && !copying.request.precondition.holds(for: nil)
                if isRefused { throw .stale(head: nil) }
            } catch {
                return copying.reply(.failure(error))
            }
            withPast(of: copying.request.origin, while: copying.isAwaited) { [self] found in
                do throws(ChangeError) {
                    let (head, past) = try found.get()
                    let copy = try HistoryCopy(
                        copying.request, as: copying.id, of: head, past, known: copying.known,
                        at: now())
                    store(copy, copying)
                } catch {
                    refuse(copying, error, [])
                }
            }
        }
    }

    private func repeatCopy(_ copying: Copying, _ revision: Int) {
        let request = ChangeRequest(.closeExpired)
        past(of: copying.id, copying.reply) { [options] past throws(ChangeError) in
            try past.outcome(at: revision, of: request, limits: options.limits)
        }
    }

    private func store(_ copy: HistoryCopy, _ copying: Copying) {
        if copying.request.isDryRun {
            return copying.reply(.success(.dryRun(copy.change, copy.document)))
        }
        queue.submit(indivisible: copy.entries, [copy.checkpoint]) { [self] result in
            // Nobody goes on with what was in memory before.
            refresh([copying.id, copying.request.origin]) { [self] in
                switch result {
                case .success(true):
                    let made = Transition(
                        copy.change, from: copy.document.tree, to: copy.document)
                    copying.reply(.success(.made(made)))
                case .success(false): refuse(copying, .journal(.conflict), copy.copied)
                case .failure(let error): refuse(copying, .journal(error), [])
                }
            }
        }
    }

    /// Replies with an error; after a conflict it is tried again.
    private func refuse(_ copying: Copying, _ error: ChangeError, _ known: [JournalEntry]) {
        guard error == .journal(.conflict), copying.attempts < ChangeRequest.conflictsMax else {
            return copying.reply(.failure(error))
        }
        var again = copying
        again.attempts += 1
        again.known = known
        copy(again)
    }

    /// Calls `body` when what is in memory of documents is what the journal has. They are loaded:
    /// their scopes have to be closed in time.
    private func refresh(_ ids: [DocumentID], _ body: @escaping @Sendable () -> Void) {
        guard let id = ids.first else {
            feed.noteForeignWrite()
            return body()
        }
        let goOn: @Sendable () -> Void = { [self] in refresh(Array(ids.dropFirst()), body) }
        withHost(of: id, { (_: Result<Void, ChangeError>) in goOn() }) { [self] host in
            read({ (_: Result<Void, ChangeError>) in goOn() }) { [self] in
                let head = try? journal.head(of: id)
                if !host.document(use: nextUse()).has(head) {
                    host.retireForGood()
                    withHost(of: id, { (_: Result<Void, ChangeError>) in }) { _ in }
                }
                goOn()
            }
        }
    }
}
