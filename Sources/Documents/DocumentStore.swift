import JSONTree
import Journaling
import Synchronization
import Threading

/// Finds, loads and lets go of documents. The door to this room.
///
/// What is in memory is answered on the caller's thread, at once; everything that must read the
/// journal is done on threads of the store's own, and answered from there.
public final class DocumentStore: Sendable {
    /// What a store may use.
    public struct Options: Sendable {
        public var limits: JSONLimits
        /// Documents in memory beyond which the longest unused ones are let go.
        public var loadedMax: Int
        /// About how many bytes the documents in memory may take.
        public var loadedBytesMax: Int
        /// Threads that read the journal.
        public var readerThreads: Int

        public init(
            limits: JSONLimits = .standard, loadedMax: Int = 10_000,
            loadedBytesMax: Int = 1 << 30, readerThreads: Int = 2
        ) {
            self.limits = limits
            self.loadedMax = loadedMax
            self.loadedBytesMax = loadedBytesMax
            self.readerThreads = readerThreads
        }
    }

    private typealias Waiter = @Sendable (Result<DocumentKeeper, ChangeError>) -> Void

    private enum Place {
        case loaded(DocumentKeeper)
        case loading([Waiter])
    }

    private struct State {
        var places: [DocumentID: Place] = [:]
        var loadedBytes = 0
    }

    public let options: Options
    private let journal: any Journal
    private let queue: CommitQueue
    private let readers: WorkQueue
    private let feed = Feed()
    private let state = Lock(State())
    /// Counts up, so that the longest unused document is known.
    private let uses = Atomic(0)
    private let now: @Sendable () -> Timestamp
    private let lookLater: @Sendable (DocumentID, Timestamp) -> Void

    /// `lookLater` is asked to call `lookAfter` at about a time; see `DeadlineScheduler`.
    public init(
        journal: any Journal, options: Options = Options(),
        now: @escaping @Sendable () -> Timestamp,
        lookLater: @escaping @Sendable (DocumentID, Timestamp) -> Void = { _, _ in }
    ) {
        self.journal = journal
        self.options = options
        self.now = now
        self.lookLater = lookLater
        queue = CommitQueue(journal: journal)
        readers = WorkQueue(name: "reader", threads: options.readerThreads)
    }

    /// Seals every open group, commits what is queued, and closes the journal.
    public func close() {
        readers.stop()
        for keeper in loadedKeepers { keeper.seal() }
        queue.stop()
        feed.close()
        journal.close()
    }

    private var loadedKeepers: [DocumentKeeper] {
        state.withLock { state in
            state.places.values.compactMap {
                if case .loaded(let keeper) = $0 { keeper } else { nil }
            }
        }
    }

    private var surroundings: DocumentKeeper.Surroundings {
        DocumentKeeper.Surroundings(
            journal: journal, queue: queue, limits: options.limits, feed: feed,
            now: now, lookLater: lookLater,
            checkpointLater: { [readers] keeper in
                _ = readers.async { keeper.writeCheckpoint() }
            })
    }
}

// MARK: Changing and reading

extension DocumentStore {
    /// Carries out a request. `reply` comes when what it says is durable.
    public func change(
        _ id: DocumentID, _ request: ChangeRequest,
        reply: @escaping @Sendable (Result<Outcome, ChangeError>) -> Void
    ) {
        keeper(of: id) { [self] result in
            switch result {
            case .failure(let error): reply(.failure(error))
            case .success(let keeper):
                let hasToken = request.token != nil
                change(keeper, request, mayBlock: false) { [self] result in
                    guard hasToken, case .failure(.repeated(let revision)) = result else {
                        return reply(result)
                    }
                    reading(reply) { [journal] () throws(ChangeError) in
                        try Replay.outcome(of: id, at: revision, journal)
                    }
                }
            }
        }
    }

    private func change(
        _ keeper: DocumentKeeper, _ request: ChangeRequest, mayBlock: Bool,
        _ reply: @escaping DocumentKeeper.Reply
    ) {
        switch keeper.change(request, use: nextUse(), mayBlock: mayBlock, reply: reply) {
        case .taken: break
        case .gone:
            forget(keeper)
            change(keeper.id, request, reply: reply)
        case .needsJournal:
            let isTaken = readers.async { [self] in change(keeper, request, mayBlock: true, reply) }
            if !isTaken { reply(.failure(DocumentStore.closed)) }
        }
    }

    /// The document, if it exists and is not deleted.
    public func read(
        _ id: DocumentID, reply: @escaping @Sendable (Result<Document, ChangeError>) -> Void
    ) {
        asking(id, reply) { DocumentStore.readable($0.document(use: $1)) }
    }

    /// The document and how it fares.
    public func status(
        _ id: DocumentID, reply: @escaping @Sendable (Result<DocumentStatus, ChangeError>) -> Void
    ) {
        asking(id, reply) { keeper, use in
            let status = keeper.status(use: use)
            return DocumentStore.readable(status.document).map { _ in status }
        }
    }

    /// The document and its JSON text with a line end.
    public func readText(
        _ id: DocumentID,
        reply:
            @escaping @Sendable (Result<(document: Document, text: [UInt8]), ChangeError>) -> Void
    ) {
        asking(id, reply) { keeper, use in
            let (document, text) = keeper.text(use: use)
            return DocumentStore.readable(document).map { ($0, text) }
        }
    }

    private static func readable(_ document: Document) -> Result<Document, ChangeError> {
        if document.exists { return .success(document) }
        return .failure(
            document.revision < 0 ? .unknownDocument : .deleted(revision: document.revision))
    }

    /// Ends the open group of a document, now, if a condition holds.
    public func seal(
        _ id: DocumentID, if precondition: Precondition = Precondition(),
        reply: @escaping @Sendable (Result<Document, ChangeError>) -> Void
    ) {
        asking(id, reply) { keeper, use in
            let document = DocumentStore.readable(keeper.document(use: use))
            guard case .success(let found) = document else { return document }
            guard precondition.holds(for: found.revision) else {
                return .failure(.stale(head: found.revision))
            }
            keeper.seal()
            return .success(keeper.document(use: 0))
        }
    }

    /// Ends the open group of a document and its scopes if their time is over; says when to look
    /// again.
    public func lookAfter(_ id: DocumentID) -> Timestamp? {
        let place = state.withLock { $0.places[id] }
        guard case .loaded(let keeper) = place else { return nil }
        let (next, hasExpiredScope) = keeper.lookAfter(at: now())
        if hasExpiredScope { change(id, .closingExpired) { _ in } }
        return next
    }

    /// Changes in order, the last of them at a revision: up to `limit`, fewer if they are large.
    public func changes(
        of id: DocumentID, upTo revision: Int, limit: Int,
        reply: @escaping @Sendable (Result<[Change], ChangeError>) -> Void
    ) {
        reading(reply) { [journal] () throws(ChangeError) in
            try History.changes(of: id, upTo: revision, limit: limit, journal)
        }
    }

    /// The document as it was at a revision.
    public func document(
        _ id: DocumentID, at revision: Int,
        reply: @escaping @Sendable (Result<Document, ChangeError>) -> Void
    ) {
        reading(reply) { [journal] () throws(ChangeError) in
            let found = try Replay.document(id, from: journal, upTo: revision)
            guard let found else { throw .unknownDocument }
            guard found.document.revision == revision else { throw .unknownRevision(revision) }
            return found.document
        }
    }

    /// The document as it was at a time: after the last change that was accepted by then.
    public func document(
        _ id: DocumentID, at time: Timestamp,
        reply: @escaping @Sendable (Result<Document, ChangeError>) -> Void
    ) {
        reading(reply) { [journal] () throws(ChangeError) in
            let revision = try History.revision(of: id, at: time, journal)
            guard let found = try Replay.document(id, from: journal, upTo: revision) else {
                throw .unknownDocument
            }
            return found.document
        }
    }

    /// Follows a document from a revision on. It may be deleted, and be made again.
    public func follow(_ id: DocumentID, after revision: Int) -> FeedSubscription {
        FeedSubscription(.document(id), prefix: "", after: revision, feed, journal, readers)
    }

    /// Follows all documents whose names begin with `prefix`, from a number in the order of commits
    /// on.
    public func follow(prefix: String, after sequence: Int) -> FeedSubscription {
        FeedSubscription(.all, prefix: prefix, after: sequence, feed, journal, readers)
    }

    /// The number of the last commit.
    public var lastSequence: Int { journal.lastSequence }

    /// How many follow a document or many.
    public var followerCount: Int { feed.followerCount }

    /// The document as it is committed, even if it is deleted.
    public func readAnyway(
        _ id: DocumentID, reply: @escaping @Sendable (Result<Document, ChangeError>) -> Void
    ) {
        asking(id, reply) { keeper, use in
            let document = keeper.document(use: use)
            return document.revision < 0 ? .failure(.unknownDocument) : .success(document)
        }
    }

    /// Documents in the order of their names' bytes.
    public func documents(
        prefix: String, after name: String?, limit: Int,
        reply: @escaping @Sendable (Result<[DocumentListing], ChangeError>) -> Void
    ) {
        reading(reply) { [journal] () throws(ChangeError) in
            do throws(JournalError) {
                return try journal.documents(prefix: prefix, after: name, limit: limit)
            } catch {
                throw .journal(error)
            }
        }
    }

    /// Replies with what `body` finds in a document's keeper, as one more use of it.
    private func asking<Value>(
        _ id: DocumentID, _ reply: @escaping @Sendable (Result<Value, ChangeError>) -> Void,
        _ body: @escaping @Sendable (DocumentKeeper, _ use: Int) -> Result<Value, ChangeError>
    ) {
        keeper(of: id) { [self] result in reply(result.flatMap { body($0, nextUse()) }) }
    }

    private func reading<Value: Sendable>(
        _ reply: @escaping @Sendable (Result<Value, ChangeError>) -> Void,
        _ body: @escaping @Sendable () throws(ChangeError) -> Value
    ) {
        let isTaken = readers.async { reply(Result(catching: body)) }
        if !isTaken { reply(.failure(DocumentStore.closed)) }
    }

    /// Why nothing can be written, or `nil` while all is well.
    public var failure: JournalError? { queue.failure }

    /// Changes that wait for a commit.
    public var queueDepth: Int { queue.depth }

    /// Documents in memory.
    public var loadedCount: Int { state.withLock { $0.places.count } }
}

// MARK: Loading and letting go

extension DocumentStore {
    private func nextUse() -> Int {
        uses.add(1, ordering: .relaxed).newValue
    }

    /// The keeper of a document, loaded if need be; also of a document that is yet to be.
    private func keeper(of id: DocumentID, _ body: @escaping Waiter) {
        let (keeper, isFirst) = state.withLock { state -> (DocumentKeeper?, Bool) in
            switch state.places[id] {
            case .loaded(let keeper): return (keeper, false)
            case .loading(let waiters):
                state.places[id] = .loading(waiters + [body])
                return (nil, false)
            case nil:
                state.places[id] = .loading([body])
                return (nil, true)
            }
        }
        if let keeper { return body(.success(keeper)) }
        if isFirst && !readers.async({ [self] in load(id) }) {
            place(.failure(DocumentStore.closed), of: id)
        }
    }

    private func load(_ id: DocumentID) {
        let result = Result { () throws(ChangeError) -> DocumentKeeper in
            let found = try Replay.document(id, from: journal)
            return DocumentKeeper(found ?? Replay.Found(document: .unborn(id)), surroundings)
        }
        if place(result, of: id) { letGo() }
    }

    /// Every request that comes after `close`.
    private static let closed = ChangeError.journal(.stopped("the store is closed"))

    /// Puts a loaded keeper into its place and answers those who wait for it. Answers whether there
    /// are too many now.
    @discardableResult
    private func place(_ result: Result<DocumentKeeper, ChangeError>, of id: DocumentID) -> Bool {
        let (waiters, isCrowded) = state.withLock { state -> ([Waiter], Bool) in
            var waiters: [Waiter] = []
            if case .loading(let waiting) = state.places[id] { waiters = waiting }
            state.places[id] = (try? result.get()).map(Place.loaded)
            state.loadedBytes += (try? result.get())?.weight.bytes ?? 0
            let isCrowded =
                state.places.count > options.loadedMax || state.loadedBytes > options.loadedBytesMax
            return (waiters, isCrowded)
        }
        for waiter in waiters { waiter(result) }
        return isCrowded
    }

    private static func holds(_ keeper: DocumentKeeper, _ state: State) -> Bool {
        if case .loaded(let held) = state.places[keeper.id] { held === keeper } else { false }
    }

    /// Takes a retired keeper out of its place.
    private func forget(_ keeper: DocumentKeeper) {
        state.withLock { state in
            if DocumentStore.holds(keeper, state) { state.places[keeper.id] = nil }
        }
    }

    /// Lets the longest unused documents go, a good part at once, so that it happens seldom.
    private func letGo() {
        let byAge = loadedKeepers.map { ($0, $0.weight) }.sorted { $0.1.lastUse < $1.1.lastUse }
        var bytes = byAge.reduce(0) { $0 + $1.1.bytes }
        var count = byAge.count
        for (keeper, weight) in byAge {
            let isRoomy =
                count <= options.loadedMax * 9 / 10 && bytes <= options.loadedBytesMax / 10 * 9
            if isRoomy || count == 1 { break }
            // At once, so that nobody finds a keeper that is retired.
            let isGone = state.withLock { state in
                guard DocumentStore.holds(keeper, state), keeper.retire() else { return false }
                state.places[keeper.id] = nil
                return true
            }
            guard isGone else { continue }
            count -= 1
            bytes -= weight.bytes
        }
        state.withLock { $0.loadedBytes = bytes }
    }
}
