import SelectiveUndo

/// The effect history of a request that is prepared outside its line. An early result makes it,
/// and a line has it while it decides the request.
///
/// Without it, an undo of an old change in a busy document would restart after every write, and
/// finally run under the lock. A history may be very large, so it is moved and never copied, and
/// histories that a line does not retain are left here, to be freed when no line is held.
package struct EffectLoan: Sendable {
    private enum State {
        /// No history was made for the request.
        case none
        /// The history is here, at a revision of a line that had lost this number of commits.
        case here(OwnUndoLookup, at: Int, losses: Int)
        /// A line has it, since a revision, in place of the history that it had before.
        case lent(since: Int, former: OwnUndoLookup)
    }

    private var state = State.none
    /// Histories that lines have left here.
    private var rest: [EffectCache] = []

    /// An empty loan: no history exists.
    init() {}

    /// A history that was made from the state of a line at a revision; see `DocumentLine.losses`.
    init(_ own: OwnUndoLookup, at revision: Int, losses: Int) {
        state = .here(own, at: revision, losses: losses)
    }

    /// The history, if no line has it.
    var own: OwnUndoLookup? {
        if case .here(let own, _, _) = state { own } else { nil }
    }

    /// About how many bytes the histories take that are here.
    package var weight: Int {
        let bytes = rest.reduce(0) { $0 + $1.weight }
        return switch state {
        case .none: bytes
        case .here(let own, _, _), .lent(_, let own): bytes + own.effects.weight
        }
    }

    /// Advances the history to a document, past `countMax` changes at most. Returns whether it is
    /// here, and at that document. O(changes in between).
    mutating func follow(
        to document: Document, losses: Int, countMax: Int = .max,
        _ change: (Int) throws(PreparationError) -> Change
    ) -> Bool {
        guard case .here(var own, var revision, losses) = state,
            (0...countMax).contains(document.revision - revision)
        else { return false }
        // The only reference to it is here from now on.
        state = .none
        defer { state = .here(own, at: revision, losses: losses) }
        own.effects.cancel()
        while revision < document.revision {
            guard let next = try? change(revision + 1) else { return false }
            own.follow(next, to: document)
            revision += 1
        }
        return true
    }

    /// Moves the history out.
    mutating func take() -> OwnUndoLookup? {
        guard case .here(let own, _, _) = state else { return nil }
        state = .none
        return own
    }

    /// Lends the history to a line at the revision that it is at.
    mutating func lend(to own: inout OwnUndoLookup, at revision: Int) {
        guard let found = take(), let former = own.adopt(found) else { return }
        state = .lent(since: revision, former: former)
    }

    /// Takes the history back from a line at a revision, which then has the one that it had before.
    mutating func restore(from own: inout OwnUndoLookup, at revision: Int, losses: Int) {
        guard case .lent(let start, let former) = state else { return }
        state = own.effects.hasHistory ? .here(own, at: revision, losses: losses) : .none
        own.effects.drop()
        if start == revision { own = former } else { rest.append(former.effects) }
    }

    /// Takes a history from a line that is too large to be retained there.
    mutating func release(from own: inout OwnUndoLookup) {
        guard own.effects.isLarge else { return }
        rest.append(own.effects)
        own.effects.drop()
    }
}
