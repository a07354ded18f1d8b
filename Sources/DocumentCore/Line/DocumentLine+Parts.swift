import JSONTree
package import Journaling
import SelectiveUndo
import Threading

// Parts of transactions.

/// What was read and made for a part outside the line's lock.
package struct PartPreparation: Sendable {
    package var early: EarlyResult?
    /// For whose line it was read and made: to another line an epoch is unknown, and what was read
    /// may be of a history that was rewritten since.
    package var host: (any AnyObject & Sendable)?
    package var fetched = FetchedChanges()
    /// How many early results were overtaken.
    package var attempts = 0

    package init(
        early: EarlyResult? = nil, host: (any AnyObject & Sendable)? = nil,
        fetched: FetchedChanges = FetchedChanges(), attempts: Int = 0
    ) {
        self.early = early
        self.host = host
        self.fetched = fetched
        self.attempts = attempts
    }

    /// What also helps with another request. Without the effect history the next one would read the
    /// changes again: an undo that goes on past a hundred versions would cost seconds.
    package var kept: PartPreparation {
        var kept = PartPreparation(host: host, fetched: fetched)
        if let early { kept.fetched.effects = early.effects }
        return kept
    }

    /// The early result was overtaken.
    package mutating func noteOvertaken() {
        if let early { fetched.effects = early.effects }
        early = nil
        attempts += 1
    }
}

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
    /// What became of a request for a part.
    package enum PartReception: Sendable {
        /// It can be done. While the line is held, nothing else comes in between; then it is
        /// adopted, or cancelled.
        case ready(ReadyPart)
        case refused(ChangeError)
        /// The transaction was carried out before, and this is its part here.
        case repeated(revision: Int)
        /// A scope's time is over: it must be closed first.
        case closing
        /// It is an actor's undo of which nothing can be seen in any document so far.
        case open
        /// Others may write to the document: it takes a turn.
        case inTurn
        case postponed(ChangeRange?)
        case overtaken
        case retired
    }

    /// Prepares a part, on the newest state, with what was made for it outside.
    package mutating func prepare(
        part request: ChangeRequest, at now: Timestamp, _ help: PartPreparation?, isTurn: Bool
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
                    document: prepared, prepared: try prepare(part: request, at: time, help)))
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
        part request: ChangeRequest, at time: Timestamp, _ help: PartPreparation?
    ) throws(PreparationError) -> Prepared {
        if let early = help?.early {
            if early.epoch == epoch {
                // It stays there: the transaction may have to wait for other lines.
                if let found = early.effects.copy { effects.adopt(found) }
                return try early.prepared()
            }
            if let refusal = early.refusalThatHolds { throw .refused(refusal) }
            guard early.effects.handOver(to: &self, for: request) || early.effects.isHandedOver
            else { throw .refused(.abandoned) }
            do throws(PreparationError) { return try prepare(request, at: time, nil) } catch {
                // What it needs beside that is looked up without the lock, by the next result.
                if case .refused = error { throw error }
                early.effects.takeBack(from: &effects, at: prepared.revision)
                throw .refused(.abandoned)
            }
        }
        do throws(PreparationError) {
            return try prepare(request, at: time, help?.fetched)
        } catch {
            if case .refused = error { throw error }
            help?.fetched.effects?.takeBack(from: &effects, at: prepared.revision)
            throw error
        }
    }

    /// Takes back what was done for a part that does not happen. What was handed over for it, and
    /// is too large to be kept, goes back for the next attempt.
    package mutating func cancelPart(_ help: PartPreparation?) {
        effects.cancel()
        guard effects.isLarge, let before = help?.early?.effects ?? help?.fetched.effects,
            before.isHandedOver
        else { return }
        before.takeBack(from: &effects, at: prepared.revision)
    }

    /// Makes a part the newest state. Its entry is queued.
    package mutating func adopt(
        _ part: StampedPart, _ ready: ReadyPart, _ request: ChangeRequest, _ reply: Reply,
        isTurn: Bool
    ) {
        defer { assert(isConsistent) }
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
        at time: Timestamp, _ transaction: TransactionPart, _ elsewhere: [PartElsewhere]
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

    /// What must be true of the document, if nothing is changed in it.
    package var condition: JournalCondition {
        let head = JournalHead(revision: document.revision, chain: document.chain)
        return JournalCondition(document.id, endsAt: document.life == .unborn ? nil : head)
    }

    /// Whether nothing can be seen of it.
    package var isHidden: Bool {
        guard let change = prepared.change, case .revert = change.kind else { return false }
        return change.edits.isEmpty
    }

    /// Where the part will stand.
    package var place: DocumentRevision { DocumentRevision(document.id, document.nextRevision) }
}
