import JSONTree
import Journaling
import SelectiveUndo
import Threading
import VersioningKit

/// What became of a request.
public struct Outcome: Sendable {
    /// The change that was made, or `nil` if there was nothing to do.
    public let change: Change?
    /// The tree that the change's patch was applied to.
    public let before: JSON
    /// The document after it.
    public let document: Document
    /// Whether the request brought the document to life.
    public let isCreated: Bool
    /// Whether it was only asked for, and has not happened.
    public var isDryRun = false
    /// Whether it happened before, when the same request came first.
    public var isRepeated = false

    /// The tree after it; of a dry run, the tree that there would be.
    public var tree: JSON {
        guard isDryRun, let change else { return document.tree }
        return (try? before.applying(change.edits)) ?? document.tree
    }
}

/// Holds one document in memory and lets one change through at a time.
///
/// The journal leads and memory follows: a change is prepared on the newest prepared document,
/// queued under the lock, and shown when it is durable. So several changes of one document may ride
/// in one commit, and readers see only what is committed.
final class DocumentKeeper: Sendable {
    typealias Reply = @Sendable (Result<Outcome, ChangeError>) -> Void

    let id: DocumentID
    private let surroundings: Surroundings
    private let state: Lock<State>

    /// What a keeper shares with all others.
    struct Surroundings: Sendable {
        let journal: any Journal
        let queue: CommitQueue
        let limits: JSONLimits
        let feed: Feed
        let now: @Sendable () -> Timestamp
        /// Asks for `lookAfter` at about that time.
        let lookLater: @Sendable (DocumentID, Timestamp) -> Void
        /// Asks for `writeCheckpoint` when there is time.
        let checkpointLater: @Sendable (DocumentKeeper) -> Void
    }

    private typealias Echo = @Sendable (JournalError?) -> Void

    private struct State {
        var committed: Document
        /// What the next change is prepared on; ahead of `committed` while commits are under way.
        var prepared: Document { didSet { stamp += 1 } }
        /// Grows with each change of `prepared`.
        private(set) var stamp = 0
        /// For own undo on `prepared`.
        var effects = EffectLines()
        var recent = RecentChanges()
        var pending = 0
        /// Grows when prepared changes are thrown away; late answers to them are ignored.
        var generation = 0
        /// Answers that changed nothing and wait until the revision that they saw is durable.
        var echoes: [(revision: Int, reply: Echo)] = []
        /// Up to here the groups are sealed, whatever a commit that comes in still says.
        var sealedRevision = -1
        /// When somebody will look, if anybody was asked.
        var lookTime: Timestamp?
        var requests: RequestLog
        var isRetired = false
        var lastUse = 0
        var body: [UInt8]?
        var checkpoint: CheckpointNeed
        var lastFault: DocumentFault?
    }

    /// What a request would do to the document as it was at a stamp.
    private struct Ahead {
        let stamp: Int
        let result: Result<Prepared, ChangeError>
        let effects: EffectLines
    }

    /// So often a request is prepared beside the lock; one that is always overtaken then takes it.
    private static let attemptsBeside = 3

    init(_ found: Replay.Found, _ surroundings: Surroundings) {
        id = found.document.id
        self.surroundings = surroundings
        state = Lock(
            State(
                committed: found.document, prepared: found.document,
                lookTime: found.document.deadline, requests: found.requests,
                checkpoint: CheckpointNeed(entriesSince: found.replayed)))
        if let time = found.document.deadline { surroundings.lookLater(id, time) }
    }
}

extension DocumentKeeper {
    /// Carries out a request; `reply` comes when what it says is durable, perhaps on another
    /// thread.
    ///
    /// Only with `mayBlock` it reads the journal for changes that are not in memory: beside the
    /// lock, for which readers and the journal's own thread may wait, unless it is overtaken again
    /// and again.
    func change(
        _ request: ChangeRequest, use: Int, mayBlock: Bool, reply: @escaping Reply
    ) -> Reception {
        var answer = Answer.overtaken
        for _ in 0..<(mayBlock ? DocumentKeeper.attemptsBeside : 0) {
            guard case .overtaken = answer, let ahead = prepareAhead(request) else { break }
            answer = take(request, use: use, reply) { state throws(ChangeError) in
                guard ahead.stamp == state.stamp else { return .overtaken }
                if ahead.effects.hasLine { state.effects = ahead.effects }
                return try adopt(ahead.result.get(), request, &state, reply)
            }
        }
        if case .overtaken = answer {
            answer = take(request, use: use, reply) { state throws(ChangeError) in
                let source = ChangeSource(id, state.recent, mayBlock ? surroundings.journal : nil)
                do throws(ChangeError) {
                    let hasClosed = try closeExpired(&state, source)
                    // What was closed is in memory, and perhaps not in the journal yet.
                    let fresh = hasClosed ? source.again(state.recent) : source
                    return try submit(request, &state, fresh, reply)
                } catch {
                    if source.hasMissed { return .needsJournal }
                    throw error
                }
            }
        }
        switch answer {
        case .now(let result): reply(result)
        case .later, .overtaken: break
        case .gone: return .gone
        case .needsJournal: return .needsJournal
        }
        return .taken
    }

    /// Takes the lock for a request that was not carried out before.
    private func take(
        _ request: ChangeRequest, use: Int, _ reply: @escaping Reply,
        _ body: (inout State) throws(ChangeError) -> Answer
    ) -> Answer {
        state.withLock { state -> Answer in
            if state.isRetired { return .gone }
            state.lastUse = max(state.lastUse, use)
            do throws(ChangeError) {
                if let token = request.token, let revision = try state.requests.revision(of: token)
                {
                    return settled(.failure(.repeated(revision: revision)), &state, reply)
                }
                return try body(&state)
            } catch {
                note(error, &state)
                return settled(.failure(error), &state, reply)
            }
        }
    }

    /// Prepares a request beside the lock; `nil` if scopes are to be closed first.
    private func prepareAhead(_ request: ChangeRequest) -> Ahead? {
        let (stamp, document, recent, count) = state.withLock { state in
            (state.stamp, state.prepared, state.recent, state.effects.count)
        }
        guard document.closing(at: surroundings.now()) == nil else { return nil }
        let source = ChangeSource(id, recent, surroundings.journal)
        var effects = EffectLines(count: count)
        let result = Result { () throws(ChangeError) in
            try document.prepare(request, circumstances(source), &effects)
        }
        return Ahead(stamp: stamp, result: result, effects: effects)
    }

    private func circumstances(_ source: ChangeSource) -> Circumstances {
        Circumstances(
            now: surroundings.now(), limits: surroundings.limits, change: source.change)
    }

    /// What became of a request at the door.
    enum Reception {
        /// A reply came or will come.
        case taken
        /// No reply: this keeper has let its document go.
        case gone
        /// No reply: it takes changes from the journal, on a thread that may block.
        case needsJournal
    }

    private enum Answer {
        case now(Result<Outcome, ChangeError>)
        /// When a commit is done.
        case later
        case gone
        case needsJournal
        /// The document is another than the one that the request was prepared for.
        case overtaken
    }

    /// Closes scopes whose time is over, before anything else happens. Answers whether any were.
    private func closeExpired(
        _ state: inout State, _ source: ChangeSource
    ) throws(ChangeError) -> Bool {
        var hasClosed = false
        while let closing = state.prepared.closing(at: surroundings.now()) {
            // A source has one request; what it reads for this one is in memory for the next.
            do throws(ChangeError) {
                _ = try submit(closing, &state, source.again(state.recent)) { _ in }
            } catch {
                // What cannot be discarded must not stand in the way of all that comes after.
                guard error.isAboutDiscarding else { throw error }
                note(error, &state)
                var popping = closing
                popping.action = .popScope(isForced: true)
                _ = try submit(popping, &state, source.again(state.recent)) { _ in }
            }
            hasClosed = true
        }
        return hasClosed
    }

    /// Prepares a request and queues its entry.
    private func submit(
        _ request: ChangeRequest, _ state: inout State, _ source: ChangeSource,
        _ reply: @escaping Reply
    ) throws(ChangeError) -> Answer {
        let prepared = try state.prepared.prepare(
            request, circumstances(source), &state.effects)
        // It shares the recent changes, which are about to get one more.
        source.release()
        return try adopt(prepared, request, &state, reply)
    }

    /// Makes what was prepared the newest state, and queues its entry.
    private func adopt(
        _ prepared: Prepared, _ request: ChangeRequest, _ state: inout State,
        _ reply: @escaping Reply
    ) throws(ChangeError) -> Answer {
        let before = state.prepared
        guard let change = prepared.change, !request.isDryRun else {
            state.effects.cancel()
            let outcome = Outcome(
                change: prepared.change, before: before.tree, document: before, isCreated: false,
                isDryRun: request.isDryRun)
            return settled(.success(outcome), &state, reply)
        }
        let entry = JournalEntry(
            document: id, revision: change.revision, body: change.encoded(),
            following: before.chain, lifecycle: change.kind.lifecycle)
        var document = before
        do {
            try document.advance(
                by: change, to: prepared.tree, entry: entry, grouping: prepared.grouping)
        } catch {
            state.effects.cancel()
            throw .version(error)
        }
        state.prepared = document
        state.effects.advance(by: change, to: document)
        state.requests.note(change)
        state.recent.append(
            entry.body, at: entry.revision, committed: state.committed.revision)
        state.pending += 1
        let outcome = Outcome(
            change: change, before: before.tree, document: document,
            isCreated: change.kind == .create)
        enqueue(entry, change, outcome, generation: state.generation, reply)
        return .later
    }

    private func enqueue(
        _ entry: JournalEntry, _ change: Change, _ outcome: Outcome, generation: Int,
        _ reply: @escaping Reply
    ) {
        surroundings.queue.submit(entry) { [self] result in
            switch result {
            case .success(let sequence):
                let woken = committed(outcome.document, entry) { last in
                    tell(change, outcome, sequence: sequence, after: last)
                }
                // Who wrote is answered before many are told.
                reply(.success(outcome))
                surroundings.feed.wake(woken)
            case .failure(let error):
                failed(error, generation: generation)
                reply(.failure(.journal(error)))
            }
        }
    }

    /// An answer that changed nothing. It may rest on changes that are not durable yet; then it
    /// waits.
    private func settled(
        _ result: Result<Outcome, ChangeError>, _ state: inout State, _ reply: @escaping Reply
    ) -> Answer {
        if state.pending == 0 { return .now(result) }
        let echo: Echo = { error in reply(error.map { .failure(.journal($0)) } ?? result) }
        state.echoes.append((revision: state.prepared.revision, reply: echo))
        return .later
    }

    /// Memory follows the journal, and those who follow are told: under the lock, so that nobody
    /// hears of a seal before the change that it ends with.
    private func committed(
        _ document: Document, _ entry: JournalEntry, _ tell: (Document) -> [FeedChannel.Wake]
    ) -> [FeedChannel.Wake] {
        var woken: [FeedChannel.Wake] = []
        let (echoes, lookTime, isCheckpointDue) = state.withLock { state in
            woken = tell(state.committed)
            state.committed = document
            sealCommitted(&state)
            state.body = nil
            state.pending -= 1
            let ripe = state.echoes.prefix { $0.revision <= document.revision }
            state.echoes.removeFirst(ripe.count)
            var lookTime: Timestamp?
            if let deadline = document.deadline, state.lookTime.map({ deadline < $0 }) ?? true {
                state.lookTime = deadline
                lookTime = deadline
            }
            return (ripe, lookTime, state.checkpoint.count(entry))
        }
        for echo in echoes { echo.reply(nil) }
        if let lookTime { surroundings.lookLater(id, lookTime) }
        if isCheckpointDue { surroundings.checkpointLater(self) }
        return woken
    }

    private func note(_ error: ChangeError, _ state: inout State) {
        if let fault = DocumentFault(error, at: surroundings.now()) { state.lastFault = fault }
    }

    /// Memory goes back to the journal.
    private func failed(_ error: JournalError, generation: Int) {
        let echoes = state.withLock { state in
            note(.journal(error), &state)
            guard state.generation == generation else {
                return [] as [(revision: Int, reply: Echo)]
            }
            state.generation += 1
            state.prepared = state.committed
            state.effects.drop()
            state.recent.removeAll(after: state.committed.revision)
            state.requests.removeAll(after: state.committed.revision)
            state.pending = 0
            if state.sealedRevision > state.committed.revision { seal(&state) }
            // Somebody else wrote: what is committed is not what we know, so it is loaded anew.
            if case .conflict = error { state.isRetired = true }
            let echoes = state.echoes
            state.echoes = []
            return echoes
        }
        for echo in echoes { echo.reply(error) }
    }
}

extension DocumentKeeper {
    /// The document as it is committed.
    func document(use: Int) -> Document {
        state.withLock { state in
            state.lastUse = max(state.lastUse, use)
            return state.committed
        }
    }

    /// The committed document, and what went wrong with it last.
    func status(use: Int) -> DocumentStatus {
        state.withLock { state in
            state.lastUse = max(state.lastUse, use)
            return DocumentStatus(document: state.committed, lastFault: state.lastFault)
        }
    }

    /// Texts up to this size are kept ready for the next reader.
    private static let bodyBytesMax = 64 << 10

    /// The committed document and its JSON text with a line end, if there is one to read.
    func text(use: Int) -> (document: Document, text: [UInt8]) {
        let (document, known) = state.withLock { state in
            state.lastUse = max(state.lastUse, use)
            return (state.committed, state.body)
        }
        if let known { return (document, known) }
        let text = document.tree.serialized() + [0x0a]
        if text.count <= DocumentKeeper.bodyBytesMax {
            state.withLock { state in
                if state.committed.revision == document.revision { state.body = text }
            }
        }
        return (document, text)
    }

    /// Ends the open groups, whether they are quiet or not.
    func seal() {
        state.withLock { state in
            state.prepared.ownGroups.closeAll()
            seal(&state)
        }
    }

    private func seal(_ state: inout State) {
        state.prepared.history.seal()
        state.sealedRevision = state.prepared.revision
        sealCommitted(&state)
    }

    /// A finished version is told of once it is durable.
    private func sealCommitted(_ state: inout State) {
        guard state.committed.history.openGroup != nil,
            state.committed.revision == state.sealedRevision
        else { return }
        state.committed.history.seal()
        surroundings.feed.wake(tellOfSeal(in: state.committed))
    }

    /// Tells of a change, and of the group that it ends: before it, if it is no part of the group.
    private func tell(
        _ change: Change, _ outcome: Outcome, sequence: Int, after last: Document
    ) -> [FeedChannel.Wake] {
        let document = outcome.document
        let isPart = if case .append(joins: true, _) = change.kind { true } else { false }
        let goesOn =
            document.history.openGroup != nil
            && document.history.currentID == last.history.currentID
        let isEnded = last.history.openGroup != nil && !goesOn
        var woken = isEnded && !isPart ? tellOfSeal(in: last) : []
        woken += surroundings.feed.publish(
            FeedItem(.change(change, before: outcome.before), document, sequence: sequence), of: id)
        return isEnded && isPart ? woken + tellOfSeal(in: document) : woken
    }

    private func tellOfSeal(in document: Document) -> [FeedChannel.Wake] {
        surroundings.feed.publish(FeedItem(.seal, document, sequence: 0), of: id)
    }

    /// Ends the open group if its time is over. Says when to look again, and whether a scope is to
    /// be closed.
    func lookAfter(at now: Timestamp) -> (next: Timestamp?, hasExpiredScope: Bool) {
        state.withLock { state in
            if let deadline = state.prepared.history.sealDeadline, deadline <= now.duration {
                seal(&state)
            }
            let isExpired = state.prepared.closing(at: now) != nil
            // A scope that is closed now is looked after with the change that closes it.
            state.lookTime =
                isExpired ? nil : state.prepared.deadline.flatMap { $0 > now ? $0 : nil }
            return (state.lookTime, isExpired)
        }
    }

    /// Stores the committed document as a checkpoint.
    func writeCheckpoint() {
        let (document, requests) = state.withLock { ($0.committed, $0.requests) }
        let checkpoint = document.checkpoint(requests)
        state.withLock { $0.checkpoint.written(checkpoint) }
        surroundings.queue.submit(checkpoint)
    }

    /// Lets the document go, unless a change is under way. Answers whether it did.
    func retire() -> Bool {
        state.withLock { state in
            guard state.pending == 0, !state.isRetired else { return false }
            // Whoever loads it begins a new group.
            seal(&state)
            state.isRetired = true
            return true
        }
    }

    /// When it was last used, and about how many bytes it holds.
    var weight: (lastUse: Int, bytes: Int) {
        state.withLock { state in
            (state.lastUse, state.committed.weight + state.effects.weight)
        }
    }
}

extension ChangeError {
    /// Whether what was done in a scope cannot be taken back, or may not.
    fileprivate var isAboutDiscarding: Bool {
        switch self {
        case .mismatch, .foreignEdit: true
        default: false
        }
    }
}

extension Change.Kind {
    /// What the journal must know of it.
    var lifecycle: JournalEntry.Lifecycle {
        switch self {
        case .create: .begins
        case .delete: .ends
        default: .goesOn
        }
    }
}
