import DocumentCore
import Journaling
import Threading

/// The newest entries that may concern runs, as they were committed by this process, so that the
/// index need not read them from the journal.
final class CommittedEntries: Sendable {
    private struct State {
        /// All entries with numbers after `start`, up to `end`, were scanned.
        var start: Int
        var end: Int
        var kept: [(sequence: Int, entry: JournalEntry)] = []
        /// The bytes of these.
        var bytes = 0
        /// Entries since `wake` was called.
        var count = 0
        var wake: (@Sendable () -> Void)?

        var isFull: Bool {
            kept.count >= CommittedEntries.keptMax || bytes >= CommittedEntries.bytesMax
        }

        mutating func forget(upTo last: Int) {
            (start, kept, bytes) = (last, [], 0)
        }
    }

    private let state: Lock<State>

    /// The limit on entries; beyond it the journal is read.
    private static let keptMax = 4_096
    /// The same for their bytes.
    private static let bytesMax = 4 << 20
    /// The number of entries after which the index follows.
    private static let countMax = 1_024

    /// `last`: the number of the last entry that was committed before.
    init(after last: Int) {
        state = Lock(State(start: last, end: last))
    }

    /// The number of the last committed entry.
    var last: Int { state.withLock { $0.end } }

    /// Has `body` called from time to time, after a commit.
    func wake(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = body }
    }

    /// Notes the entries of a commit.
    func note(_ batch: JournalBatch, _ fates: [EntryFate]) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            for index in fates.indices {
                guard case .stored(let sequence) = fates[index] else { continue }
                // Another process has written, or too many are kept.
                if sequence != state.end + 1 || state.isFull { state.forget(upTo: sequence - 1) }
                state.end = sequence
                // An entry is large to copy.
                let revision = batch.entries[index].revision
                if batch.entries[index].document.isOwn
                    || Change.mayConcernRuns(batch.entries[index].body, at: revision)
                {
                    state.kept.append((sequence, batch.entries[index]))
                    state.bytes += batch.entries[index].body.count
                }
            }
            state.count += fates.count
            if state.count < CommittedEntries.countMax { return nil }
            state.count = 0
            return state.wake
        }
        wake?()
    }

    /// The entries after a number up to the last one, which are not kept any longer; `nil` if they
    /// have to be read.
    func take(after position: Int) -> JournalPage? {
        state.withLock { state in
            guard (state.start..<state.end).contains(position) else { return nil }
            let page = JournalPage(
                entries: state.kept.filter { $0.sequence > position }, end: state.end)
            state.forget(upTo: state.end)
            return page
        }
    }

    /// Forgets all entries: the index reads them from the journal.
    func forget() {
        state.withLock { $0.forget(upTo: $0.end) }
    }
}
