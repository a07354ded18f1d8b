package import JSONTree
package import Journaling
package import Threading
import VersioningKit

/// One document between requests and commits.
///
/// A pure value: requests, ends of commits and time go in, actions come out. It has no lock, does
/// no I/O and reads no clock.
///
/// The journal leads and memory follows: a change is prepared on the newest prepared state, its
/// entry is queued, and the state is shown when the entry is durable. So several changes of one
/// document may be in one commit, and readers see only what is committed.
package struct DocumentLine: Sendable {
    /// Instructions to the host after an event, in this order.
    package enum Action: Sendable {
        /// Queue the entry. `commitEnded` follows for each, in the order of these actions.
        case commit(JournalEntry)
        /// Readers see the committed document from now on.
        case show
        /// Followers of the feed receive this event.
        case publish(FeedEvent)
        /// Something went wrong with the document itself.
        case note(DocumentFault)
        /// The result of a request is final and durable.
        case reply(Reply, Result<Outcome, Refusal>)
        /// Another process has written to the document: load it again for the next request.
        case forget
        /// Carry out the request on a newly loaded line.
        indirect case resubmit(ChangeRequest, Reply)
        /// Send the event `timeReached` when the clock shows about this time.
        case wake(at: Timestamp)
        /// Store a checkpoint of the committed document when there is time.
        case writeCheckpoint
        /// Ask for a turn to write to the document, after this revision; `turnBegan` or
        /// `turnFailed` follows.
        case requestTurn(after: Int)
        /// Send the event `confirmed` once this line has all that the journal has.
        indirect case confirm(Unconfirmed)
        /// Carry out the request on a thread that may take its time.
        indirect case prepareInBackground(ChangeRequest, Reply)

        package var isShow: Bool {
            if case .show = self { true } else { false }
        }

        /// Whether the actions of one event after the other must be carried out in their order, so
        /// that it is done before the next event comes.
        package var isOrdered: Bool {
            switch self {
            case .commit, .publish, .note, .requestTurn: true
            default: false
            }
        }
    }

    /// The result of receiving a request.
    package enum Reception: Sendable {
        /// A reply comes with these actions or with later ones.
        case taken
        /// No reply: this line no longer hosts the document. Load it again.
        case retired
        /// No reply: the request needs changes from the journal, or takes long to prepare. Receive
        /// it again with an early result, on a thread that may take its time.
        case postponed(ChangeRange?)
        /// No reply: the document has changed since the early result was made.
        case overtaken
        /// No reply: the early result was the end of a scope whose time is over. Receive the
        /// request again.
        case closed
    }

    /// A change that waits for the end of its commit.
    package struct InFlight: Sendable {
        let request: ChangeRequest
        /// `nil` for changes that the line makes by itself.
        let reply: Reply?
        let made: Transition
    }

    /// The parts of the newest state that are needed once a change has led to the next one. A
    /// document is large to copy.
    struct Former {
        let tree: JSON
        let version: Int
        /// Whether the change makes a tag or a snapshot of a name that there is not.
        let isNewName: Bool

        init(_ document: Document, before change: Change) {
            tree = document.tree
            version = document.history.currentID
            isNewName = change.makesName(in: document)
        }
    }

    /// A result that changed nothing, but rests on changes that are not durable yet.
    struct Deferred: Sendable {
        /// The newest of these changes.
        let revision: Int
        let request: ChangeRequest
        let reply: Reply
        let result: Result<Outcome, Refusal>
    }

    /// A result that changed nothing, while others may have written to the document.
    package struct Unconfirmed: Sendable {
        package let request: ChangeRequest
        package let reply: Reply
        let result: Result<Outcome, Refusal>
        /// Of the state that it rests on.
        let epoch: Int
    }

    /// The document as the journal has it.
    package var committed: Document
    /// The state on which the next change is prepared; ahead of `committed` while commits are in
    /// flight.
    package var prepared: Document { didSet { epoch += 1 } }
    /// Grows with each change of `prepared`: an early result from an older epoch is out of date.
    ///
    /// Counts states of `prepared`. A revision would not do: a failed commit discards prepared
    /// changes, and the line then prepares the same revision again with another content. Loading
    /// the document makes another line, which receives no early result of the old one, so the
    /// number is never reset.
    private(set) var epoch = 0
    /// How often something that was prepared got lost with its commit: an early result from before
    /// rests on another past, whatever its revision.
    var losses = 0
    /// For own undo on `prepared`.
    package var own = OwnUndoLookup()
    package var recent = RecentChanges()
    /// The changes read for the last request that needed older ones.
    package var fetched = FetchedChanges()
    package var requests: RequestLog
    /// In the order of their commits.
    package var inFlight = FIFO<InFlight>()
    /// The first ones in flight rest on a commit that failed: they are not stored.
    var orphans = 0
    /// Why that commit failed.
    var orphanError = JournalError.conflict
    /// In the order of their revisions.
    var deferred: [Deferred] = []
    /// Groups up to here are sealed, even if a commit that ends later was prepared before.
    var sealedRevision: Int?
    /// When `timeReached` will be sent, if that was asked for, in the document's time.
    var wakeTime: Timestamp?
    /// The clock's time at `wakeTime`, as it was when requested: since then, the document's time
    /// may have moved further ahead of the clock.
    private var wakeClock: Timestamp?
    private var time: DocumentTime
    package var isRetired = false
    package var checkpointNeed: CheckpointNeed
    /// Whether other processes also write to the document.
    package let isShared: Bool
    var sharing = Sharing()

    /// The approximate bytes in memory, including all that the document holds besides its value.
    /// O(1).
    package var weight: Int {
        committed.weight + own.effects.weight + recent.weight + fetched.weight + requests.weight
    }
    let limits: JSONLimits
    /// The approximate limit on bytes that one own undo may create.
    let undoBytesMax: Int

    /// `now` is the clock's time, here and in all events.
    package init(
        _ found: LoadedDocument, at now: Timestamp, limits: JSONLimits, undoBytesMax: Int = .max,
        isShared: Bool = false
    ) {
        self.undoBytesMax = undoBytesMax
        self.isShared = isShared
        committed = found.document
        prepared = found.document
        requests = found.requests
        time = DocumentTime(last: found.document.time, now: now)
        wakeTime = found.document.deadline
        checkpointNeed = CheckpointNeed(entriesSince: found.replayed)
        self.limits = limits
        wakeClock = clockTime
    }

    /// The document's time at a time of the clock.
    mutating func time(at now: Timestamp) -> Timestamp {
        time.follow(prepared.time, now: now)
        return time.time(at: now)
    }

    /// Asks for the event `timeReached` at `wakeTime`.
    mutating func wake(_ actions: inout [Action]) {
        wakeClock = clockTime
        if let clockTime { actions.append(.wake(at: clockTime)) }
    }

    /// Whether it was asked for early enough.
    func isWoken(at deadline: Timestamp) -> Bool {
        guard let wakeTime, let wakeClock else { return false }
        return wakeTime <= deadline && wakeClock <= time.clock(at: deadline)
    }

    /// The clock's time at `wakeTime`.
    package var clockTime: Timestamp? { wakeTime.map { time.clock(at: $0) } }

    /// Changes that are prepared and may still become durable.
    var pending: Int { inFlight.count - orphans }

    /// The invariant after each event.
    var isConsistent: Bool {
        let ahead = prepared.nextRevision - committed.nextRevision
        let waits = deferred.allSatisfy {
            committed.nextRevision <= $0.revision && $0.revision < prepared.nextRevision
        }
        let isOrdered = zip(deferred, deferred.dropFirst()).allSatisfy {
            $0.revision <= $1.revision
        }
        let hasUncommitted = (committed.nextRevision..<prepared.nextRevision).allSatisfy {
            recent[$0] != nil
        }
        return orphans >= 0 && ahead == pending && waits && isOrdered && hasUncommitted
    }
}
