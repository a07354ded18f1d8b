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
    package let effects: EffectHistoryLoan
    /// What was fetched for it, and for others before it.
    package var fetched: FetchedChanges
    /// The merge of an edit with a base, for the early result after this one.
    var merging: MergeProgress?

    /// Prepares a request; if a scope has to be closed first, that; `nil` if this is for a part of
    /// a transaction. Old changes are read from a source; without one it throws `.needs`.
    package static func make(
        _ request: ChangeRequest, on base: EarlySource, limits: JSONLimits,
        fetched: FetchedChanges, from source: (any OldChanges)? = nil
    ) throws(PreparationError) -> EarlyResult? {
        let closing = base.document.closing(at: base.time)
        if request.isPart && closing != nil { return nil }
        let before = fetched.effects
        var fetched = fetched
        fetched.effects = nil
        let known = KnownChanges(base.recent, fetched, isHurried: false, source: source)
        let context = RequestContext(
            now: base.time, limits: limits, known: known, undoBytesMax: base.undoBytesMax)
        var effects =
            before?.following(base, context)
            ?? EffectCache(count: base.effectCount, longAgo: base.longAgo)
        var merging = fetched.merging
        func prepared(_ request: ChangeRequest) throws(PreparationError) -> Prepared {
            var prepared = try base.document.prepare(request, context, &effects, &merging)
            // Parts of transactions have their time and their place later.
            if !request.isDryRun && !request.isPart {
                prepared.entry = prepared.change?.entry(following: base.document)
            }
            return prepared
        }
        let result: Result<Prepared, ChangeError>
        var closed: ScopeClosing?
        do throws(PreparationError) {
            closed = try closing?.closingScope(prepared)
            if let closed {
                result = .success(closed.prepared)
            } else {
                result = .success(try prepared(request))
            }
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            result = .failure(refusal)
        }
        return EarlyResult(result, closed, on: base, effects, known.fetched, merging)
    }

    private init(
        _ result: Result<Prepared, ChangeError>, _ closing: ScopeClosing?, on base: EarlySource,
        _ effects: EffectCache, _ fetched: FetchedChanges, _ merging: MergeProgress?
    ) {
        epoch = base.epoch
        self.result = result
        self.closing = closing
        self.effects = EffectHistoryLoan(effects, at: base.document.revision, base.losses)
        self.fetched = fetched
        self.merging = merging
    }

    package var isRefused: Bool { if case .failure = result { true } else { false } }

    /// Why it was refused, if that does not change when others write more.
    var refusalThatHolds: ChangeError? {
        if case .failure(let error) = result, case .changeTooOld = error { error } else { nil }
    }

    package func prepared() throws(PreparationError) -> Prepared {
        do { return try result.get() } catch { throw .refused(error) }
    }
}
