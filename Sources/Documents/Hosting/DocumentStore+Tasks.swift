import DocumentCore
public import Journaling
import Threading

// Work that waits, as straight functions.
//
// A request that memory can answer runs on the caller's thread, with a reply closure. Every other
// one is `async`, and runs on the store's own threads: there it may block.

extension DocumentStore {
    /// Runs a task on threads for work that takes long, one piece of each owner at a time.
    public func task(of owner: String, _ body: @escaping @Sendable () async -> Void) {
        Task(executorPreference: WorkQueue.Executor(pasts, owner: owner), operation: body)
    }

    /// Runs a task, and replies with its result or its error.
    func task<Value: Sendable, Fault: Error>(
        on executor: WorkQueue.Executor,
        reply: @escaping @Sendable (Result<Value, Fault>) -> Void,
        _ body: @escaping @Sendable () async throws(Fault) -> Value
    ) {
        Task(executorPreference: executor) {
            do throws(Fault) { reply(.success(try await body())) } catch { reply(.failure(error)) }
        }
    }

    /// Waits for a turn of its own, between two steps of a task that has many: otherwise it would
    /// keep its thread, since an `await` of a value in memory does not suspend it.
    public func takeTurn(of owner: String) async {
        await withCheckedContinuation { continuation in
            if !pasts.async(of: owner, { continuation.resume() }) { continuation.resume() }
        }
    }

    /// Runs `body` on these threads, wherever it is called. A task that has an executor is on them
    /// already: to go to another one and back would cost two handovers between threads.
    func onThread<Value: Sendable, Fault: Error>(
        of id: DocumentID, _ body: () async throws(Fault) -> Value
    ) async throws(Fault) -> Value {
        if WorkQueue.Executor.isCurrent { return try await body() }
        let executor = WorkQueue.Executor(pasts, owner: id.name)
        return try await withTaskExecutorPreference(executor) { () async throws(Fault) in
            try await body()
        }
    }

    /// Waits for a reply.
    func reply<Value: Sendable, Fault: Error>(
        _ begin: (@escaping @Sendable (Result<Value, Fault>) -> Void) -> Void
    ) async throws(Fault) -> Value {
        try await withCheckedContinuation { continuation in
            begin { continuation.resume(returning: $0) }
        }.get()
    }

    /// The host of a document, also of one that was never created.
    func host(of id: DocumentID) async throws(ChangeError) -> DocumentHost {
        try await reply { reply in withHost(of: id, reply) { reply(.success($0)) } }
    }

    /// A document that has all that was confirmed before now. `isLocal`: as it is in memory.
    func current(
        of id: DocumentID, isLocal: Bool = false
    ) async throws(ChangeError) -> CurrentDocument {
        let found = try await reply { reply in
            withCurrent(of: id, isLocal: isLocal, reply) { reply(.success($0)) }
        }
        guard isOpen else { throw DocumentStore.closed }
        return found
    }

    /// A document, even if it is deleted, with its past, which blocks when it is read. Reading it
    /// ends with `.abandoned` when `isWanted` says no, and with `.tooLargeTogether` at a state that
    /// does not fit into `room`.
    public func past(
        of id: DocumentID, isLocal: Bool = false, within room: StateRoom = .endless,
        while isWanted: @escaping @Sendable () -> Bool = { true }
    ) async throws(ChangeError) -> (head: Document, past: DocumentPast) {
        let head = try await current(of: id, isLocal: isLocal).document
        guard isWanted() else { throw .abandoned }
        guard head.life != .unborn else { throw .unknownDocument }
        return (head, DocumentPast(id, journal, within: room, while: isWanted))
    }

    /// `read`, waited for.
    public func read(
        _ id: DocumentID, isLocal: Bool = false
    ) async throws(ChangeError) -> Document {
        try await reply { read(id, isLocal: isLocal, reply: $0) }
    }

    /// `documents`, waited for.
    public func documents(
        prefix: String, after name: String?, limit: Int
    ) async throws(ChangeError) -> [DocumentListing] {
        try await reply { documents(prefix: prefix, after: name, limit: limit, reply: $0) }
    }

    /// `lastSequence(reaching:)`, waited for.
    public func lastSequence(reaching number: Int) async throws(ChangeError) -> Int {
        try await reply { lastSequence(reaching: number, reply: $0) }
    }

    /// `change`, waited for.
    func outcome(
        of request: ChangeRequest, in id: DocumentID, isLarge: Bool = false
    ) async throws(Refusal) -> Outcome {
        try await reply { change(id, request, isLarge: isLarge, reply: $0) }
    }
}
