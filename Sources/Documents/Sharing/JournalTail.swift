import DocumentCore
import Journaling
import Synchronization
import Threading

/// Follows a shared journal and publishes its entries, own ones included: so followers of every
/// process receive all changes in one order, without gaps.
///
/// Changes that own commits or catching up have left with the hosts are published as they are; the
/// rest is made of the journal's entries.
final class JournalTail: Sendable {
    private struct State {
        /// Everything up to here was published.
        var position: Int
        var places: [EntryPlace] = []
        var past: FeedPast
    }

    /// For the thread, when it waits for the end of a commit of this process.
    private struct Pause {
        var isPaused = false
        var isStopped = false
    }

    /// Finds the hosts of documents in memory. Not the bare closure: Swift wraps a closure again
    /// each time it is read out of a generic type.
    private struct Hosts: Sendable {
        let find: @Sendable (DocumentID) -> DocumentHost?
    }

    private let journal: any SharedJournal
    private let feed: Feed
    private let state: Lock<State>
    private let pause = Lock(Pause())
    /// Beside the state, which is locked while the journal is read.
    private let reached: Atomic<Int>
    private let isPaused = Atomic(false)
    private let hosts = Lock(Hosts { _ in nil })
    private let thread = Lock<WorkerThread?>(nil)

    private static let pageSize = 512
    /// After a fault of the journal, in milliseconds.
    private static let faultPause = 200

    init(_ journal: any SharedJournal, _ feed: Feed) {
        self.journal = journal
        self.feed = feed
        let position = journal.lastSequence
        reached = Atomic(position)
        state = Lock(
            State(
                position: position,
                past: FeedPast(.all, .all, journal)))
    }

    /// How many entries are known, and not yet published.
    var lag: Int { max(0, journal.lastSequence - reached.load(ordering: .relaxed)) }

    /// Begins to follow; the hosts of documents in memory are found by `hosts`.
    func begin(hosts: @escaping @Sendable (DocumentID) -> DocumentHost?, hasThread: Bool) {
        self.hosts.withLock { $0 = Hosts(find: hosts) }
        guard hasThread else { return }
        let thread = WorkerThread(name: "tail") { [weak self, journal] in
            while let position = self?.run(), journal.awaitEntry(after: position) {}
        }
        self.thread.withLock { $0 = thread }
    }

    func stop() {
        pause.withLock { $0.isStopped = true }
        pause.signal()
        journal.stopWaiting()
        thread.withLock { $0 }?.join()
    }

    /// Commits of this process have ended.
    func commitsEnded() {
        guard isPaused.load(ordering: .sequentiallyConsistent) else { return }
        pause.withLock { $0.isPaused = false }
        pause.signal()
    }

    /// Publishes all there is. Returns the position then; `nil` when it is stopped.
    private func run() -> Int? {
        while !pause.withLock({ $0.isStopped }) {
            switch advance() {
            case .advanced: continue
            case .atEnd(let position): return position
            case .waiting: waitForCommits()
            case .failed: waitForCommits(milliseconds: JournalTail.faultPause)
            }
        }
        return nil
    }

    /// A commit of this process that the journal has may not have ended here.
    private func waitForCommits(milliseconds: Int? = nil) {
        pause.withLock { $0.isPaused = true }
        isPaused.store(true, ordering: .sequentiallyConsistent)
        defer { isPaused.store(false, ordering: .sequentiallyConsistent) }
        if let milliseconds {
            pause.wait(milliseconds: milliseconds) { $0.isStopped }
        } else if case .waiting = advance() {
            // The tail ended before, and nothing would wake it.
            pause.withLock(when: { !$0.isPaused || $0.isStopped }) { _ in }
        }
    }

    /// One step. Returns whether there was something to do.
    func step() -> Bool {
        if case .advanced = advance() { true } else { false }
    }

    private enum Step {
        case advanced
        case atEnd(position: Int)
        /// For the end of a commit of this process.
        case waiting
        case failed
    }

    /// Publishes the next place.
    private func advance() -> Step {
        state.withLock { state in
            do throws(JournalError) {
                if state.places.isEmpty {
                    state.places = try journal.places(
                        after: state.position, limit: JournalTail.pageSize
                    ).reversed()
                    try catchUp(state.places)
                }
                guard let place = state.places.last else {
                    return .atEnd(position: state.position)
                }
                guard try publish(place, &state) else { return .waiting }
                state.position = place.sequence
                reached.store(place.sequence, ordering: .relaxed)
                state.places.removeLast()
                return .advanced
            } catch {
                return .failed
            }
        }
    }

    /// Reads for all documents in memory that are behind these places at once what they miss.
    private func catchUp(_ places: [EntryPlace]) throws(JournalError) {
        let find = hosts.withLock { $0 }.find
        var behind: [DocumentID: DocumentHost] = [:]
        var known: [DocumentRevision] = []
        // The first ones are needed first, if all are too much.
        for place in places.reversed() where behind[place.document] == nil {
            guard let host = find(place.document), let last = host.revision(behind: place)
            else { continue }
            behind[place.document] = host
            known.append(DocumentRevision(place.document, last))
        }
        // One is read when its turn comes.
        if known.count < 2 { return }
        for (document, entries) in try journal.entries(after: known) where !entries.isEmpty {
            behind[document]?.caughtUp(entries)
        }
    }

    /// Returns `false` if the end of a commit must come first.
    private func publish(
        _ place: EntryPlace, _ state: inout State
    ) throws(JournalError) -> Bool {
        let host = hosts.withLock { $0 }.find(place.document)
        if let host {
            var passage = host.passed(place)
            if case .behind = passage {
                _ = try host.catchUp(after: host.unusedDocument, in: journal)
                passage = host.passed(place)
            }
            switch passage {
            case .published: return true
            case .waiting: return false
            case .behind, .unknown: break
            }
        }
        guard feed.isFollowed(place.document) else { return true }
        return try publishFromJournal(place, &state)
    }

    private func publishFromJournal(
        _ place: EntryPlace, _ state: inout State
    ) throws(JournalError) -> Bool {
        do throws(ChangeError) {
            guard let item = try state.past.item(at: place) else { return true }
            feed.wake(feed.publish(item, of: place.document))
        } catch {
            if case .journal(let error) = error, case .unavailable = error { throw error }
            // Followers read it in the journal, or its error.
            feed.noteForeignWrite()
        }
        return true
    }
}
