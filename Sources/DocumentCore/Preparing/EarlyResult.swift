package import JSONTree

/// What an early result is made from: a copy of the newest state of a line.
package struct EarlySource: Sendable {
    let epoch: Int
    let document: Document
    /// What time it is for the document.
    let time: Timestamp
    let recent: RecentChanges
    /// How many changes the last effect history had.
    var effectCount = 0
    /// What is known of who has not worked lately.
    var longAgo = LongAgo()
    /// See `DocumentLine.losses`.
    var losses = 0
    /// See `DocumentLine.undoBytesMax`.
    var undoBytesMax = Int.max

    package init(
        epoch: Int, document: Document, time: Timestamp, recent: RecentChanges,
        effectCount: Int = 0, longAgo: LongAgo = LongAgo(), losses: Int = 0,
        undoBytesMax: Int = Int.max
    ) {
        self.epoch = epoch
        self.document = document
        self.time = time
        self.recent = recent
        self.effectCount = effectCount
        self.longAgo = longAgo
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
