import JSONTree

/// What an early result is made from: a copy of the newest state of a line.
struct EarlySource: Sendable {
    let epoch: Int
    let document: Document
    /// What time it is for the document.
    let time: Timestamp
    let recent: RecentChanges
    /// How many changes the last effect history had.
    let effectCount: Int
}

/// A request that was prepared outside the line, and without its lock.
///
/// It is adopted if the line is still in the epoch that it was made in.
struct EarlyResult: Sendable {
    let epoch: Int
    let result: Result<Prepared, ChangeError>
    let effects: EffectCache
    /// The merge of an edit with a base, for the early result after this one.
    var merging: Merging?

    /// Prepares a request; `nil` if scopes have to be closed first.
    static func make(
        _ request: ChangeRequest, on base: EarlySource, limits: JSONLimits, fetched: FetchedChanges
    ) throws(PreparationError) -> EarlyResult? {
        guard base.document.closing(at: base.time) == nil else { return nil }
        let known = KnownChanges(base.recent, fetched, isHurried: false)
        let context = RequestContext(now: base.time, limits: limits, known: known)
        var effects = EffectCache(count: base.effectCount)
        var merging = fetched.merging
        do throws(PreparationError) {
            var prepared = try base.document.prepare(request, context, &effects, &merging)
            // Parts of transactions have their time and their place later.
            if !request.isDryRun && !request.isPart {
                prepared.entry = prepared.change?.entry(following: base.document)
            }
            return EarlyResult(
                epoch: base.epoch, result: .success(prepared), effects: effects,
                merging: merging)
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            return EarlyResult(
                epoch: base.epoch, result: .failure(refusal), effects: effects,
                merging: merging)
        }
    }

    func prepared() throws(PreparationError) -> Prepared {
        do { return try result.get() } catch { throw .refused(error) }
    }
}
