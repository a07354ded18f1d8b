import DocumentCore
import Journaling
import Threading

// Loading documents and letting them go.

extension DocumentStore {
    typealias Waiter = @Sendable (Result<DocumentHost, ChangeError>) -> Void

    /// The documents in memory.
    struct Slots {
        enum Slot {
            case loaded(DocumentHost)
            case loading([Waiter])
        }

        var slots: [DocumentID: Slot] = [:]
        /// About how many bytes they take.
        var bytes = 0

        func holds(_ host: DocumentHost) -> Bool {
            if case .loaded(let held) = slots[host.id] { held === host } else { false }
        }
    }

    /// Documents in memory.
    public var loadedCount: Int { slots.withLock { $0.slots.count } }

    /// About how many bytes they take, with what own undo keeps of them.
    public var loadedBytes: Int { loadedHosts.reduce(0) { $0 + $1.weight.bytes } }

    var loadedHosts: [DocumentHost] {
        slots.withLock { state in
            state.slots.values.compactMap { if case .loaded(let host) = $0 { host } else { nil } }
        }
    }

    func loadedHost(_ id: DocumentID) -> DocumentHost? {
        slots.withLock { state in
            if case .loaded(let host) = state.slots[id] { host } else { nil }
        }
    }

    /// Calls `body` with the host of a document, also of one that was never created; at once if
    /// it is loaded. If it cannot be loaded, `reply` receives the error.
    func withHost<Value>(
        of id: DocumentID, _ reply: @escaping @Sendable (Result<Value, ChangeError>) -> Void,
        _ body: @escaping @Sendable (DocumentHost) -> Void
    ) {
        if let host = loadedHost(id) { return body(host) }
        let waiter: Waiter = { result in
            switch result {
            case .success(let host): body(host)
            case .failure(let error): reply(.failure(error))
            }
        }
        let (host, isFirst) = slots.withLock { state -> (DocumentHost?, Bool) in
            switch state.slots[id] {
            case .loaded(let host): return (host, false)
            case .loading(let waiters):
                state.slots[id] = .loading(waiters + [waiter])
                return (nil, false)
            case nil:
                state.slots[id] = .loading([waiter])
                return (nil, true)
            }
        }
        if let host { return body(host) }
        if isFirst && !readers.async({ [self] in load(id) }) {
            finishLoading(.failure(DocumentStore.closed), of: id)
        }
    }

    /// A lease on the host of a document that is in memory: it is not let go before that is gone.
    func loadedLease(of id: DocumentID) -> HostLease? {
        // Under the lock, under which hosts are let go.
        slots.withLock { state in
            if case .loaded(let host) = state.slots[id] { HostLease(host) } else { nil }
        }
    }

    /// The same of any document. The lease is made when the document is loaded: when a task
    /// continues, the document may have been dropped.
    func lease(of id: DocumentID) async throws(ChangeError) -> HostLease {
        try await reply { withLease(of: id, $0) }
    }

    private func withLease(
        of id: DocumentID, _ reply: @escaping @Sendable (Result<HostLease, ChangeError>) -> Void
    ) {
        withHost(of: id, reply) { [self] _ in
            if let lease = loadedLease(of: id) {
                reply(.success(lease))
            } else {
                withLease(of: id, reply)
            }
        }
    }

    private func load(_ id: DocumentID) {
        let result = Result { () throws(ChangeError) -> DocumentHost in
            // Before it is in memory, so that a response about it need not read the journal.
            do throws(JournalError) { _ = try numberings.numbering(of: id) } catch {
                throw .journal(error)
            }
            let found = try Replay.document(id, from: journal)
            return DocumentHost(found ?? LoadedDocument(document: .unborn(id)), hostContext)
        }
        if finishLoading(result, of: id) { letGo() }
    }

    /// Stores a loaded host and resumes the tasks that wait for it. Returns whether too many
    /// documents are in memory now.
    @discardableResult
    private func finishLoading(
        _ result: Result<DocumentHost, ChangeError>, of id: DocumentID
    ) -> Bool {
        let host = try? result.get()
        let (waiters, isCrowded) = slots.withLock { state -> ([Waiter], Bool) in
            var waiters: [Waiter] = []
            if case .loading(let waiting) = state.slots[id] { waiters = waiting }
            state.slots[id] = host.map(Slots.Slot.loaded)
            state.bytes += host?.weight.bytes ?? 0
            let isCrowded =
                state.slots.count > options.loadedMax || state.bytes > options.loadedBytesMax
            return (waiters, isCrowded)
        }
        host?.scheduleDeadlines()
        for waiter in waiters { waiter(result) }
        return isCrowded
    }

    /// Removes a retired host.
    func forget(_ host: DocumentHost) {
        slots.withLock { if $0.holds(host) { $0.slots[host.id] = nil } }
    }

    /// A document in memory has grown. Others are let go if all of them take too much now.
    func noteGrowth(_ bytes: Int) {
        let isCrowded = slots.withLock { state in
            state.bytes += bytes
            return state.bytes > options.loadedBytesMax
        }
        if isCrowded { readers.async { [weak self] in self?.letGo() } }
    }

    /// Drops the least recently used documents: a tenth of all at once, so that it is rare.
    /// Documents in use lose their effect histories, which can be made again.
    private func letGo() {
        let byAge = loadedHosts.map { ($0, $0.weight) }.sorted { $0.1.lastUse < $1.1.lastUse }
        var bytes = byAge.reduce(0) { $0 + $1.1.bytes }
        var count = byAge.count
        for (host, weight) in byAge {
            let isRoomy =
                count <= options.loadedMax * 9 / 10 && bytes <= options.loadedBytesMax / 10 * 9
            if isRoomy { break }
            // Both under the lock, so that no task finds a retired host.
            let isGone = slots.withLock { state in
                guard count > 1, state.holds(host), host.retire() else { return false }
                state.slots[host.id] = nil
                return true
            }
            guard isGone else {
                bytes -= host.dropEffects()
                continue
            }
            count -= 1
            bytes -= weight.bytes
        }
        slots.withLock { $0.bytes = bytes }
    }
}
