import DocumentCore
import JSONTree
import Journaling
import Synchronization
import Threading

/// Hosts one loaded document: holds the lock of its line and runs the line's actions.
///
/// Order of locks: the store's, the line's, and then one of the published document, the commit
/// queue and the feed. The last three are independent: none is taken under another of them. The
/// store's lock is never taken under a line's: calls of a line to the store (`forget`, `resubmit`)
/// are actions that run after it. Actions that must keep their order run under the line's lock, and
/// none of them blocks: queueing entries, showing, publishing. The others run after it. Nothing
/// reads the journal under any of these locks.
final class DocumentHost: Sendable {
    typealias Line = DocumentLine

    /// The context that all hosts of a store share.
    struct Context: Sendable {
        let journal: any Journal
        let queue: CommitQueue
        let limits: JSONLimits
        let undoBytesMax: Int
        let feed: Feed
        let now: @Sendable () -> Timestamp
        let uses: UseCounter
        /// Asks for `checkDeadlines` at about that time.
        let schedule: @Sendable (DocumentID, Timestamp) -> Void
        /// Asks for `writeCheckpoint` when there is time.
        let scheduleCheckpoint: @Sendable (DocumentHost) -> Void
        /// Asks for forgetting on the disk what the bounds have forgotten, when there is time.
        let scheduleForgetting: @Sendable (DocumentHost) -> Void
        /// Documents in memory take this number of bytes more, or less.
        let noteGrowth: @Sendable (Int) -> Void
        /// Removes a retired host, so that the document is loaded again.
        let forget: @Sendable (DocumentHost) -> Void
        /// Carries out a request after a conflict.
        let resubmit: @Sendable (DocumentID, ChangeRequest, Reply) -> Void
        /// Calls `confirmed` once the host has all that the journal has.
        let confirm: @Sendable (DocumentHost, Line.Unconfirmed) -> Void
        /// Carries out a request on a thread that may take its time.
        let prepareInBackground: @Sendable (DocumentHost, ChangeRequest, Reply) -> Void
        /// Commits have ended, for which the tail of a shared journal may wait.
        let commitsEnded: @Sendable () -> Void

        var isShared: Bool { journal.shared != nil }
    }

    let id: DocumentID
    private let context: Context
    private let line: Lock<Line>
    /// The state for readers, who never wait for the line.
    private let published: Lock<Published>
    private let lastUse = Atomic(0)
    /// Leases: see `HostLease`.
    private let leases = Atomic(0)
    /// The weight last reported to the store.
    private let weighed: Atomic<Int>

    init(_ found: LoadedDocument, _ context: Context) {
        id = found.document.id
        self.context = context
        let line = Line(
            found, at: context.now(), limits: context.limits,
            undoBytesMax: context.undoBytesMax, isShared: context.isShared)
        self.line = Lock(line)
        published = Lock(Published(document: found.document))
        weighed = Atomic(line.weight)
    }

    /// Most events have no more actions.
    private static let usualActions = 3

    /// The actions after an event that run when no line is locked any more.
    struct Rest {
        fileprivate let actions: [Line.Action]
        fileprivate var changedChannels: [Feed.Channel]
    }

    /// Sends an event to the line and runs its actions.
    func send<Result>(
        _ event: (inout Line, inout [Line.Action]) -> Result
    ) -> Result {
        let (result, rest) = begin(event)
        finish(rest)
        return result
    }

    /// Sends an event to the line, and runs those of its actions that must keep their order. The
    /// others are for `finish`, once no line is locked.
    @inline(__always)
    func begin<Result>(
        _ event: (inout Line, inout [Line.Action]) -> Result
    ) -> (Result, Rest) {
        var actions: [Line.Action] = []
        actions.reserveCapacity(DocumentHost.usualActions)
        var changedChannels: [Feed.Channel] = []
        let result = line.withLock { line in
            let result = event(&line, &actions)
            runOrdered(actions, of: line, &changedChannels)
            return result
        }
        return (result, Rest(actions: actions, changedChannels: changedChannels))
    }

    /// Runs the actions that must keep their order, while the line is locked.
    @inline(__always)
    private func runOrdered(
        _ actions: [Line.Action], of line: Line, _ changedChannels: inout [Feed.Channel]
    ) {
        // First, and once for all: a client that learns of a change must be able to read it.
        if actions.contains(where: \.isShow) { show(line.committed) }
        for action in actions where action.isOrdered { run(action, &changedChannels) }
    }

    /// Locks the line and sends an event to it. `release` unlocks it, on the same thread.
    func hold<Result>(_ event: (inout Line) -> Result) -> Result {
        line.acquire()
        return line.whileHeld(event)
    }

    /// Sends a last event to the line that is held, runs the ordered actions of both, and unlocks
    /// the line. `actions`: those of the event with which it was locked.
    func release(
        _ actions: [Line.Action], _ event: (inout Line, inout [Line.Action]) -> Void
    ) -> Rest {
        var actions = actions
        var changedChannels: [Feed.Channel] = []
        line.whileHeld { line in
            event(&line, &actions)
            runOrdered(actions, of: line, &changedChannels)
        }
        line.release()
        return Rest(actions: actions, changedChannels: changedChannels)
    }

    @inline(__always)
    func finish(_ rest: consuming Rest) {
        var changedChannels = rest.changedChannels
        // The writer receives its reply before followers wake up.
        for action in rest.actions where !action.isOrdered { run(action, &changedChannels) }
        context.feed.wake(changedChannels)
    }

    private func show(_ document: Document) {
        published.withLock { $0.show(document) }
    }

    /// Carries out an action: under the line's lock if its order matters, after it if not.
    private func run(_ action: Line.Action, _ changedChannels: inout [Feed.Channel]) {
        switch action {
        case .show: break
        case .commit(let entry): context.queue.submit(entry, by: self)
        case .note(let fault): published.withLock { $0.lastFault = fault }
        case .publish(let event):
            for channel in context.feed.publish(FeedItem(event), of: id)
            where !changedChannels.contains(where: { $0 === channel }) {
                changedChannels.append(channel)
            }
        case .requestTurn(let revision):
            context.queue.request(
                Turn(
                    at: [DocumentRevision(id, revision)],
                    began: { [self] in turnBegan(missed: $0[id] ?? []) },
                    failed: { [self] in turnFailed($0) }))
        case .reply(let reply, let result): reply.send(result)
        case .forget:
            context.forget(self)
            // Followers' items may be older than a rewriting by another process.
            if context.isShared { context.feed.noteForeignWrite() }
        case .resubmit(let request, let reply): context.resubmit(id, request, reply)
        case .wake(let time): context.schedule(id, time)
        case .writeCheckpoint: context.scheduleCheckpoint(self)
        case .confirm(let result): context.confirm(self, result)
        case .prepareInBackground(let request, let reply):
            context.prepareInBackground(self, request, reply)
        }
    }
}

extension DocumentHost: CommitSubmitter {
    func commitsEnded(_ results: ArraySlice<Result<Int, JournalError>>) {
        let now = context.now()
        let bytes = send { line, actions in
            for result in results { line.commitEnded(result, at: now, &actions) }
            return line.weight
        }
        context.commitsEnded()
        // Commits end one after the other.
        let growth = bytes - weighed.load(ordering: .relaxed)
        guard abs(growth) >= DocumentHost.growthMin else { return }
        weighed.store(bytes, ordering: .relaxed)
        context.noteGrowth(growth)
    }

    private func turnBegan(missed: [JournalEntry]) -> Submission {
        let entries = send { $0.turnBegan(missed: missed, at: context.now(), &$1) }
        return Submission(JournalBatch(entries: entries), by: entries.map { _ in self })
    }

    private func turnFailed(_ error: JournalError) {
        send { $0.turnFailed(error, at: context.now(), &$1) }
    }

    /// Smaller growth is not reported to the store. Ten thousand documents may each have grown by
    /// this unnoticed: 160 MB.
    private static let growthMin = 16 << 10
}

// MARK: Changing

extension DocumentHost {
    /// Carries out a request, unless it needs the journal or takes long. `reply` is called when the
    /// result is durable, perhaps on another thread.
    func change(_ request: ChangeRequest, reply: Reply) -> Line.Reception {
        noteUse()
        var nothing: Groundwork?
        return send { $0.receive(request, reply, at: context.now(), &nothing, &$1) }
    }

    /// Carries out a request, reading the journal if need be. Blocks: for reader threads only.
    ///
    /// The request is prepared without the lock. After some attempts that were overtaken it is
    /// prepared under the lock, from the changes that were fetched before; the lock is never held
    /// while the journal is read.
    func changeReadingJournal(
        _ request: ChangeRequest, reply: Reply
    ) -> Line.Reception {
        let past = DocumentPast(id, context.journal)
        var work: Groundwork? = Groundwork(fetched: line.withLock { $0.fetched })
        while true {
            prepareEarly(of: request, past, &work)
            let reception = send {
                $0.receive(request, reply, at: context.now(), &work, &$1)
            }
            switch reception {
            case .taken, .retired: return reception
            case .closed: work?.noteClosed()
            case .overtaken: work?.noteOvertaken()
            case .postponed(let range):
                work?.noteOvertaken()
                guard let range else { continue }
                do throws(ChangeError) {
                    work?.fetched.add(try changes(range, past))
                } catch {
                    refuse(error, reply)
                    return .taken
                }
            }
        }
    }

    /// Makes an early result of a request, or of the end of a scope that comes first, if one is
    /// needed. Blocks.
    func prepareEarly(
        of request: ChangeRequest, _ past: DocumentPast, _ work: inout Groundwork?
    ) {
        if work?.needsEarly ?? false {
            let base = line.withLock { $0.base(at: context.now()) }
            try? work?.prepare(request, on: base, limits: context.limits, from: past)
        }
        // A success that rests on another history is refused by the journal.
        if work?.early?.isRefused ?? true { retireIfRewritten(past) }
    }

    /// Changes that a request needs; none if the history was rewritten meanwhile: then the line is
    /// retired. Blocks.
    func changes(_ range: ChangeRange, _ past: DocumentPast) throws(ChangeError) -> [Change] {
        do throws(ChangeError) {
            let found = try past.changes(range)
            return retireIfRewritten(past) ? [] : found
        } catch {
            if retireIfRewritten(past) { return [] }
            throw error
        }
    }

    /// Retires the line if the journal has another history: another process has rewritten the
    /// entries, and the line has not learned of it yet. A refusal may then be true of neither.
    /// Returns whether it did. Blocks.
    @discardableResult
    func retireIfRewritten(_ past: DocumentPast) -> Bool {
        if past.has(unusedDocument) { return false }
        retireForGood()
        return true
    }

    /// Replies that the journal could not be read.
    private func refuse(_ error: ChangeError, _ reply: Reply) {
        if let fault = DocumentFault(error, at: context.now()) {
            published.withLock { $0.lastFault = fault }
        }
        reply.refuse(error)
    }

    /// Seals the open groups if a precondition holds. Returns the committed document.
    func seal(if precondition: Precondition) throws(ChangeError) -> Document {
        noteUse()
        let result = send { line, actions -> Result<Document, ChangeError> in
            let document = line.committed
            if let absence = document.absence { return .failure(absence) }
            guard precondition.holds(for: document.revision) else {
                return .failure(.stale(head: document.revision))
            }
            line.sealed(&actions)
            return .success(line.committed)
        }
        return try result.get()
    }

    /// Seals the open groups.
    func seal() {
        send { $0.sealed(&$1) }
    }

    /// Asks for the first `checkDeadlines`, once the store has the host: a time that is over comes
    /// at once, and the line asks again only when it has come.
    func scheduleDeadlines() {
        if let time = line.withLock({ $0.clockTime }) { context.schedule(id, time) }
    }

    /// Seals the open group if its time is over. Returns whether a scope's time is over.
    func checkDeadlines() -> Bool {
        send { $0.timeReached(context.now(), &$1) }
    }

    /// Stores the committed document as a checkpoint.
    func writeCheckpoint() {
        let (committed, requests) = line.withLock { ($0.committed, $0.requests) }
        if committed.life == .unborn { return }
        var document = committed
        document.packVersions()
        let checkpoint = document.checkpoint(requests)
        line.withLock { line in
            line.checkpointNeed.written(checkpoint.body.count)
            line.adoptVersions(of: document, madeFrom: committed)
        }
        context.queue.submit(checkpoint)
        if document.oldestRevision > Forgetting.countMin { context.scheduleForgetting(self) }
    }

    /// Lets the document go, unless a commit is in flight or a request waits. Returns whether it
    /// did.
    func retire() -> Bool {
        leases.load(ordering: .relaxed) == 0 && send { $0.retire(&$1) }
    }

    /// The document was changed without this host: the next request loads it again.
    func retireForGood() {
        send { $0.retireForGood(&$1) }
    }

    /// Applies a page of entries that other processes wrote after a document. Returns the page, and
    /// whether there is no more. Blocks.
    func catchUp(
        after document: Document, in journal: any Journal
    ) throws(JournalError) -> (entries: [JournalEntry], isAll: Bool) {
        let entries = try journal.entries(
            of: id, from: document.nextRevision, limit: DocumentHost.pageSize)
        caughtUp(entries)
        return (entries, JournalPage.isAll(entries, limit: DocumentHost.pageSize))
    }

    private static var pageSize: Int { 1_000 }

    /// Applies entries of other processes, unless own changes are in flight.
    func caughtUp(_ entries: [JournalEntry]) {
        send { $0.caughtUp(entries, at: context.now(), &$1) }
    }

    /// The last revision here, if others have made a later one, up to a place.
    func revision(behind place: EntryPlace) -> Int? {
        line.withLock { $0.isBehind(place) ? $0.committed.nextRevision - 1 : nil }
    }

    /// The host has all that the journal had. Returns whether the result is final.
    func confirmed(_ result: Line.Unconfirmed) -> Bool {
        send { $0.confirmed(result, &$1) }
    }

    /// Lets a request wait for a turn. Returns `false` if the document is no longer hosted here.
    func park(_ request: ChangeRequest, _ reply: Reply) -> Bool {
        send { line, actions in
            if line.isRetired { return false }
            line.park(request, reply, nil, &actions)
            return true
        }
    }

    /// The journal's order has come to a revision of the document.
    func passed(_ place: EntryPlace) -> Line.TailResult {
        send { $0.passed(place, &$1) }
    }

    /// Drops the effect history, which the next own undo makes again. Returns the bytes that it
    /// took.
    func dropEffects() -> Int {
        line.withLock { line in
            defer { line.own.effects.drop() }
            return line.own.effects.weight
        }
    }

    /// For `HostLease` alone.
    func noteLease(_ count: Int) {
        leases.add(count, ordering: .relaxed)
    }
}

// MARK: Reading

extension DocumentHost {
    /// The document as it is committed.
    var document: Document {
        noteUse()
        return unusedDocument
    }

    /// The same, without marking the document as used, so that it does not stay in memory for that.
    var unusedDocument: Document { published.withLock { $0.document } }

    /// The committed document, and its last fault.
    func status() -> DocumentStatus {
        noteUse()
        return published.withLock {
            DocumentStatus(document: $0.document, lastFault: $0.lastFault)
        }
    }

    /// A change that is still in memory.
    func recentChange(at revision: Int) -> Change? {
        let body = line.withLock { $0.recent[revision] }
        return body.flatMap { try? Change(decoding: $0, revision: revision) }
    }

    /// The revision that a request made, if it was carried out.
    func revision(of token: RequestToken) throws(ChangeError) -> Int? {
        let requests = line.withLock { $0.requests }
        return try requests.revision(of: token)
    }

    /// Whether making a text of it takes too long for an event loop.
    var isLarge: Bool {
        published.withLock { $0.bytes == nil && $0.document.tree.byteCount > Published.bytesMax }
    }

    /// The committed document in bytes, rendered once for many readers.
    func rendered(
        _ render: (JSON) -> [UInt8]
    ) -> Result<RenderedDocument, ChangeError> {
        noteUse()
        // Nothing else is copied: a document has many parts, and most requests read.
        let known = published.withLock { published in
            published.bytes.map { RenderedDocument(published.document.revision, $0) }
        }
        if let known { return .success(known) }
        let document = published.withLock { $0.document }
        if let absence = document.absence { return .failure(absence) }
        let bytes = render(document.tree)
        if bytes.count <= Published.bytesMax {
            published.withLock { if $0.document.revision == document.revision { $0.bytes = bytes } }
        }
        return .success(RenderedDocument(document.revision, bytes))
    }

    /// When it was last used, and about how many bytes it holds.
    var weight: (lastUse: Int, bytes: Int) {
        let bytes = line.withLock { $0.weight }
        return (lastUse.load(ordering: .relaxed), bytes)
    }

    private func noteUse() {
        lastUse.max(context.uses.next(), ordering: .relaxed)
    }
}

/// A committed document in bytes.
public struct RenderedDocument: Sendable {
    public let revision: Int
    public let bytes: [UInt8]

    init(_ revision: Int, _ bytes: [UInt8]) {
        self.revision = revision
        self.bytes = bytes
    }
}

/// The state of a document for readers.
private struct Published {
    private(set) var document: Document
    /// The document as the API renders it, from the first read on; not of a deleted one.
    var bytes: [UInt8]?
    /// The last fault since the document was loaded.
    var lastFault: DocumentFault?

    /// Larger renderings are made again for each reader.
    static let bytesMax = 64 << 10

    init(document: Document) {
        self.document = document
    }

    mutating func show(_ document: Document) {
        self.document = document
        bytes = nil
    }
}
