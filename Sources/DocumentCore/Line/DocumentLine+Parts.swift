import JSONTree
package import Journaling
import SelectiveUndo
import Threading

// Parts of transactions.

/// A part that was prepared on the newest state, and has not happened yet.
package struct ReadyPart: Sendable {
    /// The document before it.
    package let document: Document
    package let prepared: Prepared
}

/// A part whose entry is going to be committed.
package struct StampedPart: Sendable {
    let change: Change
    package let entry: JournalEntry
    /// The document after it.
    let document: Document
}

extension DocumentLine {
    /// The result of a request for a part of a transaction.
    package enum PartReception: Sendable {
        /// It can be done. While the line is held, nothing else comes in between; then it is
        /// adopted, or cancelled.
        case ready(ReadyPart)
        case refused(ChangeError)
        /// The transaction was carried out before, and this is its part here.
        case repeated(revision: Int)
        /// A scope's time is over: it must be closed first.
        case closing
        /// An actor's undo without a visible effect in the documents read until now.
        case open
        /// Others may write to the document: it takes a turn.
        case inTurn
        case postponed(ChangeRange?)
        case overtaken
        case retired
    }

    /// Prepares a part, on the newest state, with what was made for it outside.
    package mutating func prepare(
        part request: ChangeRequest, at now: Timestamp, _ work: inout Groundwork?, isTurn: Bool
    ) -> PartReception {
        guard !isRetired else { return .retired }
        if !isTurn && takesTurns(at: now) { return .inTurn }
        do throws(PreparationError) {
            if let token = request.token, let made = try revision(of: token) {
                return .repeated(revision: made)
            }
            let time = time(at: now)
            if prepared.closing(at: time) != nil { return .closing }
            return .ready(
                ReadyPart(
                    document: prepared, prepared: try prepare(part: request, at: time, &work)))
        } catch {
            switch error {
            case .needs(let range): return .postponed(range)
            case .takesLong: return .postponed(nil)
            case .refused(.repeated(let revision)): return .repeated(revision: revision)
            case .refused(.abandoned): return .overtaken
            case .refused(let refusal): return .refused(refusal)
            }
        }
    }

    private func revision(of token: RequestToken) throws(PreparationError) -> Int? {
        do { return try requests.revision(of: token) } catch { throw .refused(error) }
    }

    private mutating func prepare(
        part request: ChangeRequest, at time: Timestamp, _ work: inout Groundwork?
    ) throws(PreparationError) -> Prepared {
        do throws(PreparationError) {
            guard let early = work?.early else { return try prepare(request, at: time, &work) }
            if early.epoch == epoch {
                work?.effects.lend(to: &own, at: prepared.revision)
                return try early.prepared()
            }
            if let refusal = early.refusalThatHolds { throw .refused(refusal) }
            guard borrowEffects(of: &work, for: request) else { throw .refused(.abandoned) }
            return try prepare(request, at: time, &work)
        } catch {
            work?.effects.restore(from: &own, at: prepared.revision, losses: losses)
            if case .refused = error { throw error }
            // The next early result reads what is missing, without the lock.
            throw work?.early == nil ? error : .refused(.abandoned)
        }
    }

    /// A part does not happen in this attempt: the line is as it was before it was prepared.
    package mutating func cancelPart(_ work: inout Groundwork?) {
        work?.effects.restore(from: &own, at: prepared.revision, losses: losses)
        own.effects.cancel()
    }

    /// A part was prepared, and is not to happen.
    package mutating func endPart(_ work: inout Groundwork?) {
        work?.effects.release(from: &own)
        own.effects.cancel()
    }

    /// Makes a part the newest state. Its entry is queued.
    package mutating func adopt(
        _ part: StampedPart, _ ready: ReadyPart, _ request: ChangeRequest, _ reply: Reply,
        _ work: inout Groundwork?, isTurn: Bool
    ) {
        defer { assert(isConsistent) }
        work?.effects.release(from: &own)
        prepared = part.document
        enqueue(
            with: part.change, part.entry, from: Former(ready.document, before: part.change),
            ready.prepared.merge, request, reply)
        if isTurn { sharing.turnCount = inFlight.count }
    }
}

extension ReadyPart {
    /// The part with its time and its place in the transaction.
    package func stamped(
        at time: Timestamp, _ transaction: TransactionPart?, _ elsewhere: [PartElsewhere]
    ) throws(ChangeError) -> StampedPart? {
        guard var change = prepared.change else { return nil }
        change.time = time
        change.transaction = transaction
        if !elsewhere.isEmpty { change.elsewhere = elsewhere }
        let entry = change.entry(following: document)
        var document = document
        do {
            try document.advance(by: change, to: prepared.tree, entry: entry)
        } catch {
            throw .version(error)
        }
        return StampedPart(change: change, entry: entry, document: document)
    }

    /// The condition on the document if the part changes nothing in it.
    package var condition: JournalCondition {
        let head = JournalHead(revision: document.revision, chain: document.chain)
        return JournalCondition(document.id, endsAt: document.life == .unborn ? nil : head)
    }

    /// Whether nothing can be seen of it.
    package var isHidden: Bool {
        guard let change = prepared.change, case .revert = change.kind else { return false }
        return change.edits.isEmpty
    }

    /// The revision that the part will have.
    package var place: DocumentRevision { DocumentRevision(document.id, document.nextRevision) }
}

extension Prepared {
    /// The changes that it takes out of effect, or puts back; of a deletion, or a return, the
    /// change that it reverses, and what goes with that.
    package var flipped: [Int] {
        guard let change else { return [] }
        let flipped = change.reversal?.flipped ?? []
        return flipped + (change.takesBack.map { [$0] } ?? []) + goesAlong
    }
}
