import DocumentCore
public import Journaling
import Threading

// Erasing.

extension DocumentStore {
    /// Erases places of a document from its whole history, or the document, for good: from the
    /// journal and from memory. Takes as long as replaying all of it.
    ///
    /// When this returns, nothing is left in storage. Those who follow the document receive the
    /// change that records it, and have to read the value again.
    public func erase(
        _ id: DocumentID, _ request: ErasureRequest
    ) async throws(ChangeError) -> ErasureOutcome {
        try await onThread(of: id) { () async throws(ChangeError) in
            // It stays in memory, so that no request loads what is being rewritten.
            let (current, lease) = try await reply { reply in
                withCurrent(of: id, isLocal: false, reply) {
                    reply(.success(($0, HostLease($0.host))))
                }
            }
            guard isOpen else { throw DocumentStore.closed }
            defer { withExtendedLifetime(lease) {} }
            guard request.precondition.holds(for: current.document.head) else {
                throw .stale(head: current.document.head)
            }
            if request.isDryRun { return try erase(current, request) }
            defer { runs.endErasing(id) }
            try await runs.beginErasing(id)
            return try erase(current, request)
        }
    }

    private func erase(
        _ current: CurrentDocument, _ request: ErasureRequest
    ) throws(ChangeError) -> ErasureOutcome {
        let (host, document) = (current.host, current.document)
        do throws(ChangeError) {
            let outcome = try request.carryOut(
                on: host.id, in: journal, at: max(now(), document.time))
            if !request.isDryRun, let change = outcome.change {
                if document.exists, change.kind.traits.lifecycle == .ends {
                    ruleBook.noteEnd(of: host.id, on: day)
                }
                leave(host)
            }
            return outcome
        } catch {
            // It may have happened nevertheless.
            if case .journal = error { leave(host) }
            throw error
        }
    }

    /// Removes from the disk the part of a document's history that its bounds have forgotten, in
    /// the background. A failed attempt is repeated later.
    func forgetPast(of host: DocumentHost) {
        let lease = HostLease(host)
        _ = pasts.async(of: host.id.name) { [self] in
            let head = host.document
            if (try? Forgetting.forget(head, in: journal, at: now())) == true {
                runs.noteForgetting(of: host.id)
                leave(host)
            }
            withExtendedLifetime(lease) {}
        }
    }

    /// Its checkpoints are gone with what it was.
    private func leave(_ host: DocumentHost) {
        reload(host) { [readers] host in _ = readers.async { host.writeCheckpoint() } }
    }

    /// The document in memory differs from the journal: it is valid neither for changes nor for
    /// followers. It is loaded again at once, since its scopes have to be closed in time.
    func reload(
        _ host: DocumentHost, _ body: @escaping @Sendable (DocumentHost) -> Void = { _ in }
    ) {
        host.retireForGood()
        feed.noteForeignWrite()
        withHost(of: host.id, { (_: Result<Void, ChangeError>) in }, body)
    }
}
