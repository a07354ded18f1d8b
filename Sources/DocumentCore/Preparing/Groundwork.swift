package import JSONTree

/// The data read and computed for a request outside its line. The next attempt reuses it.
package struct Groundwork: Sendable {
    /// The request is no longer prepared outside its line when this number of early results were
    /// overtaken.
    private static let overtakenMax = 3

    /// The host of the line: to another line an epoch is unknown, and its history may have been
    /// rewritten since.
    package var host: (any AnyObject & Sendable)?
    package var fetched: FetchedChanges
    package private(set) var early: EarlyResult?
    /// How far the merge of an edit with a base has come.
    private(set) var merging: MergeProgress?
    package var effects = EffectLoan()
    /// How many early results were overtaken.
    private var overtaken = 0

    package init(
        fetched: FetchedChanges = FetchedChanges(), host: (any AnyObject & Sendable)? = nil
    ) {
        self.fetched = fetched
        self.host = host
    }

    /// The part of it that also serves another request for the same document. Without the effect
    /// history an undo that continues past a hundred versions would read the changes each time.
    package var kept: Groundwork {
        var kept = Groundwork(fetched: fetched, host: host)
        kept.effects = effects
        return kept
    }

    /// Whether an early result is needed, and not always overtaken.
    package var needsEarly: Bool { early == nil && overtaken < Groundwork.overtakenMax }

    /// The early result was overtaken.
    package mutating func noteOvertaken() {
        early = nil
        overtaken += 1
    }

    /// The early result closed a scope, so the request begins again.
    package mutating func noteClosed() {
        early = nil
        overtaken = 0
    }

    /// Makes an early result of a request; if a scope has to be closed first, of that; none if a
    /// part of a transaction has to wait for that. Old changes are read from a source; without one
    /// it throws `.needs`.
    package mutating func prepare(
        _ request: ChangeRequest, on base: EarlySource, limits: JSONLimits,
        from source: (any OldChanges)? = nil
    ) throws(PreparationError) {
        let closing = base.document.closing(at: base.time)
        if request.isPart && closing != nil { return }
        let known = KnownChanges(base.recent, fetched, isUnderLock: false, source: source)
        let context = RequestContext(
            now: base.time, limits: limits, known: known, undoBytesMax: base.undoBytesMax)
        var own = lookup(on: base, context)
        defer {
            effects = EffectLoan(own, at: base.document.revision, losses: base.losses)
            fetched = known.fetched
        }
        func prepared(_ request: ChangeRequest) throws(PreparationError) -> Prepared {
            var prepared = try base.document.prepare(request, context, &own, &merging)
            // Parts of transactions have their time and their place later.
            if !request.isDryRun && !request.isPart {
                prepared.entry = prepared.change?.entry(following: base.document)
            }
            return prepared
        }
        do throws(PreparationError) {
            let closed = try closing?.closingScope(prepared)
            let result = if let closed { closed.prepared } else { try prepared(request) }
            early = EarlyResult(epoch: base.epoch, result: .success(result), closing: closed)
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            early = EarlyResult(epoch: base.epoch, result: .failure(refusal), closing: nil)
        }
    }

    /// The lookup to prepare with: the one that there is, if it can be advanced.
    private mutating func lookup(
        on base: EarlySource, _ context: RequestContext
    ) -> OwnUndoLookup {
        let isAdvanced = effects.follow(to: base.document, losses: base.losses) {
            revision throws(PreparationError) in try context.change(revision, .forward)
        }
        return (isAdvanced ? effects.take() : nil) ?? base.own
    }
}
