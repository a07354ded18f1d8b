@_exported public import DocumentCore
public import JSONTree
public import Journaling
import Synchronization
import Threading

/// Finds, loads and lets go of documents: the interface of this room.
///
/// Requests about a document in memory run on the caller's thread. Requests that read the journal
/// run on reader threads of the store, and long ones on worker threads; both reply from there. So
/// large requests do not delay small ones.
public final class DocumentStore: Sendable {
    /// Limits of a store.
    public struct Options: Sendable {
        public var limits: JSONLimits
        /// Above this number of documents in memory, the least recently used ones are let go.
        public var loadedMax: Int
        /// The same for the bytes that they take, about.
        public var loadedBytesMax: Int
        /// Threads that read the journal: documents, pages of the feed, lists.
        public var readerThreads: Int
        /// Threads for large requests, and as many for the past of documents.
        public var workerThreads: Int
        /// Threads that send changes to followers.
        public var feedThreads: Int
        /// The memory that requests about what is large may take together, while they are carried
        /// out. One alone may take more.
        public var workBytesMax: Int
        /// The memory that requests about several documents may take together, with all that they
        /// load, prepare and return. One that needs more is refused, unless it is about one
        /// document, or about a draft and its origin.
        public var requestBytesMax: Int
        /// The limit on the memory of one own undo of an old change during its preparation. As many
        /// run at once as there are workers.
        public var undoBytesMax: Int
        /// The memory that what is read from the journal for followers and exports may take, and
        /// what they are being sent. One alone may take more.
        public var feedBytesMax: Int
        /// Whether the store has threads of its own. Without, its owner runs the work step by step:
        /// for simulations.
        package var hasThreads = true
        /// The steps in which the index of runs follows.
        var runSteps = RunIndex.Steps()

        public init(
            limits: JSONLimits = .standard, loadedMax: Int = 10_000,
            loadedBytesMax: Int = 1 << 30, readerThreads: Int = 2, workerThreads: Int = 2,
            feedThreads: Int = 2, workBytesMax: Int = 1 << 30, requestBytesMax: Int = 1 << 30,
            undoBytesMax: Int = 512 << 20, feedBytesMax: Int = 256 << 20
        ) {
            self.requestBytesMax = requestBytesMax
            self.undoBytesMax = undoBytesMax
            self.feedBytesMax = feedBytesMax
            self.feedThreads = feedThreads
            self.workBytesMax = workBytesMax
            self.workerThreads = workerThreads
            self.limits = limits
            self.loadedMax = loadedMax
            self.loadedBytesMax = loadedBytesMax
            self.readerThreads = readerThreads
        }
    }

    public let options: Options
    let journal: any Journal
    /// How numbers of changes look outside.
    public let numberings: Numberings
    let queue: CommitQueue
    let readers: WorkQueue
    let workers: WorkQueue
    let pasts: WorkQueue
    /// Begins requests about several documents that need much memory.
    let requests: WorkQueue
    let feed: Feed
    /// The checks for changes of other processes, if there are any.
    let heads: HeadChecks?
    private let tail: JournalTail?
    let runs: RunIndex
    let slots = Lock(Slots())
    let ruleBook = RuleBook()
    let fullRecords = FullRecords()
    /// Whether the store is about to be closed: what has not begun is refused.
    private let isClosing = Atomic(false)
    private let uses = UseCounter()
    public let now: @Sendable () -> Timestamp
    private let schedule: @Sendable (DocumentID, Timestamp) -> Void

    /// `schedule` is asked to call `checkDeadlines` at about a time; see `DeadlineScheduler`.
    public init(
        journal: any Journal, options: Options = Options(),
        now: @escaping @Sendable () -> Timestamp,
        schedule: @escaping @Sendable (DocumentID, Timestamp) -> Void = { _, _ in }
    ) {
        self.journal = journal
        numberings = Numberings(journal)
        self.options = options
        self.now = now
        self.schedule = schedule
        let hasThreads = options.hasThreads
        let committed = CommittedEntries(after: journal.lastSequence)
        let counting = CountingJournal(
            base: journal, book: ruleBook, committed: committed, now: now)
        queue = CommitQueue(journal: counting, hasThread: hasThreads)
        readers = WorkQueue(name: "reader", threads: hasThreads ? options.readerThreads : 0)
        workers = WorkQueue(
            name: "worker", threads: hasThreads ? options.workerThreads : 0,
            weightMax: options.workBytesMax, yields: true)
        pasts = WorkQueue(
            name: "past", threads: hasThreads ? options.workerThreads : 0, yields: true)
        requests = WorkQueue(
            name: "request", threads: hasThreads ? 1 : 0, weightMax: options.requestBytesMax,
            isInOrder: true, yields: true)
        let feed = Feed(
            threads: hasThreads ? options.feedThreads : 0, bytesMax: options.feedBytesMax)
        self.feed = feed
        heads = journal.shared.map { HeadChecks($0, hasThread: hasThreads) }
        tail = journal.shared.map { JournalTail($0, feed) }
        runs = RunIndex(journal, queue, committed, steps: options.runSteps)
        tail?.begin(hosts: { [weak self] in self?.loadedHost($0) }, hasThread: hasThreads)
        committed.wake { [runs, pasts] in runs.follow(on: pasts) }
        runs.follow(on: pasts)
    }

    /// The steps that a store without threads can take next. Each returns whether there was
    /// something to do.
    package var steps: [@Sendable () -> Bool] {
        let queue = queue
        var steps: [@Sendable () -> Bool] = [{ queue.commitNext() }]
        for queue in [readers, workers, pasts, requests, feed.waker] {
            steps.append { queue.runNext() }
        }
        if let heads { steps.append { heads.runNext() } }
        if let tail { steps.append { tail.step() } }
        return steps
    }

    /// Seals every open group, commits queued entries, and closes the journal. Work that waits for
    /// a thread is refused, so that closing takes no longer than the work in progress.
    public func close() {
        isClosing.store(true, ordering: .relaxed)
        heads?.stop()
        // Each waits for the one before it, which others carry out.
        requests.stop()
        workers.stop()
        pasts.stop()
        readers.stop()
        for host in loadedHosts { host.seal() }
        queue.stop()
        tail?.stop()
        feed.close()
        journal.close()
    }

    var hostContext: DocumentHost.Context {
        DocumentHost.Context(
            journal: journal, queue: queue, limits: options.limits,
            undoBytesMax: options.undoBytesMax, feed: feed,
            now: now, uses: uses, schedule: schedule,
            scheduleCheckpoint: { [readers] host in
                _ = readers.async { host.writeCheckpoint() }
            },
            scheduleForgetting: { [weak self] in self?.forgetPast(of: $0) },
            noteGrowth: { [weak self] in self?.noteGrowth($0) },
            forget: { [weak self] in self?.forget($0) },
            resubmit: { [weak self] id, request, reply in
                guard let self else { return reply.refuse(DocumentStore.closed) }
                change(id, request, reply: reply.send)
            },
            confirm: { [weak self] host, result in
                guard let self else {
                    return result.reply.refuse(DocumentStore.closed)
                }
                confirm(host, result)
            },
            prepareInBackground: { [weak self] host, request, reply in
                guard let self else { return reply.refuse(DocumentStore.closed) }
                changeInBackground(host, request, reply, isBegun: false)
            },
            commitsEnded: { [tail] in tail?.commitsEnded() })
    }

    /// The error of every request that comes after `close`.
    static let closed = ChangeError.journal(.stopped("the store is closed"))

    /// Why nothing can be written, or `nil` while all is well.
    public var failure: JournalError? { queue.failure }

    /// Why nothing can be stored at the moment, as far as that is known; `nil` while all is well.
    public var journalFault: JournalError? { journal.fault }

    /// How many entries of a shared journal are known, and not yet published here.
    public var tailLag: Int { tail?.lag ?? 0 }

    /// Changes that wait for a commit.
    public var queueDepth: Int { queue.depth }

    /// The sequence number of the last commit.
    public var lastSequence: Int { journal.lastSequence }

    /// The sequence number of the last commit, of whatever process, if that may be needed to reach
    /// a number; otherwise the last that is known here.
    ///
    /// A number that cannot be read is an error: an unreachable journal does not make another
    /// process's number unknown.
    public func lastSequence(
        reaching number: Int, reply: @escaping @Sendable (Result<Int, ChangeError>) -> Void
    ) {
        let known = lastSequence
        guard number > known, let shared = journal.shared else { return reply(.success(known)) }
        read(reply) {
            reply(
                Result { () throws(JournalError) in try shared.newestSequence() }
                    .mapError { .journal($0) })
        }
    }

    /// How many follow a document or many.
    public var followerCount: Int { feed.followerCount }

    /// How many changes the follower that is furthest behind has not received. O(followers).
    public var feedLag: Int { feed.lag }
}

// MARK: Changing

extension DocumentStore {
    /// Carries out a request. `reply` is called when the result is durable.
    ///
    /// `isLarge`: preparing it takes long, so it is done on a worker thread, without the lock that
    /// others wait for.
    ///
    /// An undo of a part of a transaction includes all parts, if `mayReach` says that the client
    /// may reach the other documents.
    public func change(
        _ id: DocumentID, _ request: ChangeRequest, isLarge: Bool = false,
        mayReach: @escaping @Sendable (DocumentID) -> Bool = anywhere,
        reply: @escaping @Sendable (Result<Outcome, Refusal>) -> Void
    ) {
        var request = request
        prepare(&request, of: id)
        guard isLimited(request, in: id) else {
            return changePrepared(id, request, isLarge: isLarge, mayReach: mayReach, reply: reply)
        }
        task(of: request.turnOwner(in: id)) { [self, request] in
            var limited = request
            do throws(ChangeError) { try limit(&limited, in: id) } catch {
                return reply(.failure(Refusal(error)))
            }
            changePrepared(id, limited, isLarge: isLarge, mayReach: mayReach, reply: reply)
        }
    }

    private func changePrepared(
        _ id: DocumentID, _ request: ChangeRequest, isLarge: Bool,
        mayReach: @escaping @Sendable (DocumentID) -> Bool,
        reply: @escaping @Sendable (Result<Outcome, Refusal>) -> Void
    ) {
        let noted = countingQuota(request.tokenName, reply)
        guard request.mayTakeParts else {
            return changeAlone(id, request, isLarge: isLarge, reply: noted)
        }
        changeAlone(id, request, isLarge: isLarge) { [self, request] result in
            guard case .failure(let refusal) = result,
                case .partOfTransaction(let revisions, _) = refusal.error
            else { return noted(result) }
            let executor = WorkQueue.Executor(
                workers, owner: request.turnOwner(in: id), isBegun: true)
            task(on: executor, reply: reply) { [self] () async throws(Refusal) in
                try await changeWhole(
                    id, request, isLarge: isLarge, refusal, revisions, mayReach)
            }
        }
    }

    /// A client that may reach all documents.
    public static let anywhere: @Sendable (DocumentID) -> Bool = { _ in true }

    func changeAlone(
        _ id: DocumentID, _ request: ChangeRequest, isLarge: Bool,
        reply: @escaping @Sendable (Result<Outcome, Refusal>) -> Void
    ) {
        let refuse: @Sendable (Result<Outcome, ChangeError>) -> Void = {
            reply($0.mapError { Refusal($0) })
        }
        withHost(of: id, refuse) { [self] host in
            guard request.token != nil else {
                return change(host, request, isLarge, Reply(reply))
            }
            let repeatable = Reply { [self] result in
                guard case .failure(let refusal) = result,
                    case .repeated(let revision) = refusal.error
                else { return reply(result) }
                read(refuse) { [self] in
                    refuse(
                        Result { () throws(ChangeError) in
                            try DocumentPast(id, journal).outcome(
                                at: revision, of: request, limits: options.limits)
                        })
                }
            }
            change(host, request, isLarge, repeatable)
        }
    }

    func change(
        _ host: DocumentHost, _ request: ChangeRequest, _ isLarge: Bool,
        _ reply: Reply
    ) {
        if isLarge { return changeInBackground(host, request, reply, isBegun: true) }
        switch host.change(request, reply: reply) {
        case .taken, .overtaken, .closed: break
        case .retired:
            forget(host)
            change(host.id, request, reply: reply.send)
        case .postponed: changeInBackground(host, request, reply, isBegun: false)
        }
    }

    private func changeInBackground(
        _ host: DocumentHost, _ request: ChangeRequest, _ reply: Reply, isBegun: Bool
    ) {
        let lease = HostLease(host)
        let work: @Sendable () -> Void = { [self] in
            if isOpen {
                changeReadingJournal(host, request, reply)
            } else {
                reply.refuse(DocumentStore.closed)
            }
            withExtendedLifetime(lease) {}
        }
        let owner = request.turnOwner(in: host.id)
        let isAccepted = isBegun ? resume(of: owner, work) : workers.async(of: owner, work)
        if !isAccepted { reply.refuse(DocumentStore.closed) }
    }

    /// Begins work that takes long on a worker thread: of each owner one piece at a time, and of
    /// all together not more than takes `workBytesMax` bytes. It is over when the permit that it
    /// receives is gone; it receives none if the store is being closed. Returns `false`, and never
    /// does it, when the store is closed.
    public func begin(
        of owner: String, bytes: Int,
        _ work: @escaping @Sendable (_ permit: (any Sendable)?) -> Void
    ) -> Bool {
        workers.async(of: owner, weight: bytes) { [self] in work(isOpen ? $0 : nil) }
    }

    /// Whether work that takes long may begin.
    public var isOpen: Bool { !isClosing.load(ordering: .relaxed) }

    /// Continues begun work on a worker thread, before any other work begins; one piece of each
    /// owner at a time.
    public func resume(of owner: String? = nil, _ work: @escaping @Sendable () -> Void) -> Bool {
        workers.asyncEnding(of: owner, work)
    }

    private func changeReadingJournal(
        _ host: DocumentHost, _ request: ChangeRequest, _ reply: Reply
    ) {
        if case .retired = host.changeReadingJournal(request, reply: reply) {
            forget(host)
            change(host.id, request, reply: reply.send)
        }
    }

    /// Seals the open groups of a document if a precondition holds.
    public func seal(
        _ id: DocumentID, if precondition: Precondition = Precondition(),
        reply: @escaping @Sendable (Result<Document, ChangeError>) -> Void
    ) {
        withCurrent(of: id, isLocal: false, reply) { current in
            reply(
                Result { () throws(ChangeError) in
                    if let newer = current.newer, !precondition.holds(for: newer.head) {
                        throw .stale(head: newer.head)
                    }
                    return try current.host.seal(if: precondition)
                })
        }
    }

    /// Seals the open group of a document and closes its scopes if their time is over.
    public func checkDeadlines(_ id: DocumentID) {
        guard let host = loadedHost(id), host.checkDeadlines() else { return }
        change(id, .closingExpired) { _ in }
    }
}

// MARK: Reading

extension DocumentStore {
    /// The committed document; a deleted one only with `includingDeleted`. `isLocal`: as it is in
    /// memory, even if other processes have written to it.
    public func read(
        _ id: DocumentID, includingDeleted: Bool = false, isLocal: Bool = false,
        reply: @escaping @Sendable (Result<Document, ChangeError>) -> Void
    ) {
        withCurrent(of: id, isLocal: isLocal, reply) { current in
            let document = current.document
            let isReadable = includingDeleted && document.life == .deleted
            let absence = isReadable ? nil : document.absence
            reply(absence.map { .failure($0) } ?? .success(document))
        }
    }

    /// The committed document in bytes, rendered once for many readers: always with the same
    /// function. A large one is rendered on a worker thread.
    public func read(
        _ id: DocumentID, isLocal: Bool = false,
        rendering render: @escaping @Sendable (JSON) -> [UInt8],
        reply: @escaping @Sendable (Result<RenderedDocument, ChangeError>) -> Void
    ) {
        withCurrent(of: id, isLocal: isLocal, reply) { [self] current in
            let host = current.host
            guard current.newer != nil || host.isLarge else { return reply(host.rendered(render)) }
            let answer: @Sendable () -> Void = {
                guard let newer = current.newer else { return reply(host.rendered(render)) }
                let made = RenderedDocument(newer.revision, render(newer.tree))
                reply(newer.absence.map { .failure($0) } ?? .success(made))
            }
            if !workers.async(of: id.name, answer) { reply(.failure(DocumentStore.closed)) }
        }
    }

    /// The committed document, and its last fault.
    public func status(
        _ id: DocumentID, isLocal: Bool = false,
        reply: @escaping @Sendable (Result<DocumentStatus, ChangeError>) -> Void
    ) {
        withCurrent(of: id, isLocal: isLocal, reply) { current in
            let here = current.host.status()
            let status = current.newer.map {
                DocumentStatus(document: $0, lastFault: here.lastFault)
            }
            reply((status ?? here).answer)
        }
    }

    /// Documents in the order of their names' bytes.
    public func documents(
        prefix: String, after name: String?, limit: Int,
        reply: @escaping @Sendable (Result<[DocumentListing], ChangeError>) -> Void
    ) {
        read(reply) { [journal] in
            do throws(JournalError) {
                reply(.success(try journal.documents(below: prefix, after: name, limit: limit)))
            } catch {
                reply(.failure(.journal(error)))
            }
        }
    }

    /// Everything that was committed by now, as lines.
    public func export() -> ExportReader { ExportReader(journal, readers, feed) }

    /// Follows a document from a revision on. It may be deleted, and be created again.
    ///
    /// `head`: a revision that is known to be committed. A shared journal publishes committed
    /// changes a moment later; those up to `head` are delivered at once.
    public func follow(
        _ id: DocumentID, after revision: Int, head: Int = 0
    ) -> FeedSubscription {
        FeedSubscription(
            .document(id), after: revision, committed: tail == nil ? 0 : head, feed, journal,
            readers)
    }

    /// Follows many documents from a sequence number on; see `follow(_:after:head:)`.
    public func follow(
        _ scope: FeedScope, after sequence: Int, head: Int = 0
    ) -> FeedSubscription {
        FeedSubscription(
            .all, scope, after: sequence, committed: tail == nil ? 0 : head, feed,
            journal, readers)
    }

    /// Notifies the feed that another process may have written to the journal. Shared journals call
    /// it whenever they notice that; followers then read the journal.
    public func noteForeignWrite() {
        feed.noteForeignWrite()
    }

    /// Runs `body` on a reader thread.
    func read<Value>(
        _ reply: @Sendable (Result<Value, ChangeError>) -> Void,
        _ body: @escaping @Sendable () -> Void
    ) {
        if !readers.async(body) { reply(.failure(DocumentStore.closed)) }
    }
}
