import JSONTree

/// The source of an early result: a copy of the newest state of a line.
package struct EarlySource: Sendable {
    let epoch: Int
    let document: Document
    /// The document's time.
    let time: Timestamp
    let recent: RecentChanges
    /// The facts about own undo that are known without the effect history.
    let own: OwnUndoLookup
    /// See `DocumentLine.losses`.
    let losses: Int
    /// See `DocumentLine.undoBytesMax`.
    let undoBytesMax: Int

    package init(
        epoch: Int, document: Document, time: Timestamp, recent: RecentChanges,
        own: OwnUndoLookup = OwnUndoLookup(), losses: Int = 0, undoBytesMax: Int = Int.max
    ) {
        self.epoch = epoch
        self.document = document
        self.time = time
        self.recent = recent
        self.own = own
        self.losses = losses
        self.undoBytesMax = undoBytesMax
    }
}

/// A request that was prepared outside the line, and without its lock.
///
/// It is adopted if the line is still in the epoch that it was made in.
package struct EarlyResult: Sendable {
    let epoch: Int
    package let result: Result<Prepared, ChangeError>
    /// The end of a scope whose time is over, which comes first: it is the result of that. The
    /// request is prepared again when the line has adopted it.
    package let closing: ScopeClosing?

    package var isRefused: Bool { if case .failure = result { true } else { false } }

    /// Why it was refused, if that does not change when others write more.
    var refusalThatHolds: ChangeError? {
        if case .failure(let error) = result, case .changeTooOld = error { error } else { nil }
    }

    package func prepared() throws(PreparationError) -> Prepared {
        do { return try result.get() } catch { throw .refused(error) }
    }
}
