import DocumentCore
import Journaling
import Threading

// Documents that other processes also write to.

extension DocumentStore {
    /// Calls `body` with a document that has all that was confirmed before now. `isLocal`: as it is
    /// in memory.
    func withCurrent<Value>(
        of id: DocumentID, isLocal: Bool,
        _ reply: @escaping @Sendable (Result<Value, ChangeError>) -> Void,
        _ body: @escaping @Sendable (CurrentDocument) -> Void
    ) {
        withHost(of: id, reply) { [self] host in
            let here = CurrentDocument(host: host, newer: nil)
            guard let heads, !isLocal else { return body(here) }
            heads.head(of: id) { [self] result in
                switch result {
                case .failure(let error): reply(.failure(.journal(error)))
                case .success(let head):
                    if host.document.has(head) { return body(here) }
                    read(reply) { [self] in catchUp(host, reply, body) }
                }
            }
        }
    }

    private func catchUp<Value>(
        _ host: DocumentHost, _ reply: @escaping @Sendable (Result<Value, ChangeError>) -> Void,
        _ body: @escaping @Sendable (CurrentDocument) -> Void
    ) {
        do throws(ChangeError) {
            let newest = try catchUp(host)
            let isHere = host.document.chain == newest.chain
            body(CurrentDocument(host: host, newer: isHere ? nil : newest))
        } catch {
            reply(.failure(error))
        }
    }

    /// Brings a host up to what the journal has. Returns the document as the journal has it.
    /// Blocks.
    @discardableResult
    func catchUp(_ host: DocumentHost) throws(ChangeError) -> Document {
        var document = host.document
        do throws(JournalError) {
            while true {
                let page = try host.catchUp(after: document, in: journal)
                for entry in page.entries { try document.replay(entry) }
                if page.isAll { break }
            }
            let head = try journal.head(of: host.id)
            // One that is newer still was committed since: not before this was asked for.
            if document.has(head) || (head?.revision ?? -1) > document.revision { return document }
        } catch {
            guard case .corrupt = error else { throw .journal(error) }
        }
        // Its entries have been rewritten: what is in memory has another past.
        host.retireForGood()
        return try Replay.document(host.id, from: journal)?.document ?? .unborn(host.id)
    }

    /// Makes an unchanged result final, once a host has all changes confirmed before now; carries
    /// out the request again if the state differs.
    func confirm(_ host: DocumentHost, _ result: DocumentHost.Line.Unconfirmed) {
        var request = result.request
        request.isConfirmed = true
        let refuse: @Sendable (Result<Void, ChangeError>) -> Void = { failure in
            if case .failure(let error) = failure { result.reply.refuse(error) }
        }
        withCurrent(of: host.id, isLocal: false, refuse) { [self, request] current in
            let isHere = current.newer == nil
            if current.host === host, isHere, host.confirmed(result) { return }
            // Changes in flight here end first; in its turn the line lacks nothing.
            if !isHere, current.host.park(request, result.reply) { return }
            change(current.host, request, false, result.reply)
        }
    }
}

extension Document {
    /// Whether it has all up to a head of the journal.
    func has(_ head: JournalHead?) -> Bool {
        guard let head else { return life == .unborn }
        if revision == head.revision && life != .unborn { return chain == head.chain }
        return life != .unborn && revision > head.revision
    }
}

extension DocumentStatus {
    /// The status, or why there is none.
    var answer: Result<DocumentStatus, ChangeError> {
        document.absence.map { .failure($0) } ?? .success(self)
    }
}
