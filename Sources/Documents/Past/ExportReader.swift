import DocumentCore
import Journaling
import Threading

/// An export of everything that was committed by now, as `Transfer` makes its lines: page after
/// page, each when the client can take it. So a slow one fills no memory.
public final class ExportReader: Sendable {
    /// The next part.
    public enum Part: Sendable {
        /// Lines.
        case lines([UInt8])
        /// Nothing yet; `wake` will be called.
        case nothing
        case end
        /// The rest cannot be read. Asking again gives the end.
        case failed(ChangeError)
    }

    private struct State {
        var position = 0
        var count = 0
        var ready: [Part] = []
        var isReading = false
        /// Of what is being sent.
        var permit: ByteBudget.Permit?
        /// Nothing comes after what is ready.
        var isOver = false

        mutating func finish(with part: Part) {
            ready.append(part)
            (isReading, isOver) = (false, true)
        }
    }

    private let journal: any Journal
    private let readers: WorkQueue
    private let feed: Feed
    /// The place in the queue for room.
    private let waiter = ByteBudget.Waiter()
    /// Where it ends; known once the first page is read.
    private let last = Lock<Int?>(nil)
    private let state = Lock(State())

    init(_ journal: any Journal, _ readers: WorkQueue, _ feed: Feed) {
        self.feed = feed
        self.journal = journal
        self.readers = readers
    }

    /// The last number committed when the export began, by any process.
    private func end() throws(JournalError) -> Int {
        if let known = last.withLock({ $0 }) { return known }
        let newest = try journal.lastSequenceOfAll()
        last.withLock { $0 = newest }
        return newest
    }

    /// The next part. Does not block; if it returns `nothing`, `wake` is called when the caller
    /// should ask again. One caller at a time.
    public func next(_ wake: @escaping @Sendable () -> Void) -> Part {
        let (part, reading) = state.withLock { state -> (Part, (Int, ByteBudget.Permit)?) in
            if !state.ready.isEmpty { return (state.ready.removeFirst(), nil) }
            // The part returned last has been sent.
            let held = state.permit
            state.permit = nil
            if state.isOver { return (.end, nil) }
            if state.isReading { return (.nothing, nil) }
            guard let permit = held ?? feed.take(for: .export, waiter, orWake: wake) else {
                return (.nothing, nil)
            }
            state.isReading = true
            return (.nothing, (state.position, permit))
        }
        guard let (position, permit) = reading else { return part }
        let isAccepted = readers.async { [self] in
            read(after: position, permit)
            wake()
        }
        return isAccepted ? .nothing : .failed(DocumentStore.closed)
    }

    /// The export is not sent any more.
    public func cancel() {
        waiter.leave()
        state.withLock { ($0.isOver, $0.ready, $0.permit) = (true, [], nil) }
    }

    private func read(after position: Int, _ permit: ByteBudget.Permit) {
        let isWanted = state.withLock { state in
            // By now others may have found out how much a page takes.
            let isWanted = !state.isOver && permit.adjust(to: feed.expectedWeight(.export))
            if !isWanted { state.isReading = false }
            return isWanted
        }
        guard isWanted else { return }
        let last: Int
        do throws(JournalError) { last = try end() } catch {
            return state.withLock { $0.finish(with: .failed(.journal(error))) }
        }
        do throws(Transfer.Refusal) {
            let page = try Transfer.page(journal, after: position, upTo: last)
            feed.note(page.bytes.count, of: .export)
            let isHeld = permit.adjust(to: page.bytes.count)
            state.withLock { state in
                state.isReading = false
                // It is read again when there is room.
                if state.isOver || !isHeld { return }
                state.permit = permit
                state.count += page.count
                state.position = page.end
                if !page.bytes.isEmpty { state.ready.append(.lines(page.bytes)) }
                guard page.end >= last else { return }
                let end = Transfer.end(changes: state.count) + "\n"
                state.finish(with: .lines(Array(end.utf8)))
            }
        } catch {
            let fault: JournalError =
                if case .journal(let fault) = error { fault } else { .corrupt(error.reason) }
            state.withLock { $0.finish(with: .failed(.journal(fault))) }
        }
    }
}
