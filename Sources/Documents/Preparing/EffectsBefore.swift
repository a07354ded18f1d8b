import JSONTree

/// The effect history of an own undo that was overtaken: others wrote before it was done.
///
/// It is moved on by what they wrote, which costs that much and no more. Who undoes something far
/// back in a document that others write to all the time would begin anew each time, and in the end
/// hold them up.
struct EffectsBefore: Sendable {
    /// So many changes are looked at while others wait.
    private static let hurriedMax = 256

    private let effects: EffectCache
    private let revision: Int
    private let losses: Int

    /// What was made from the state of a line at a revision; see `DocumentLine.losses`.
    init(_ effects: EffectCache, at revision: Int, _ losses: Int) {
        var effects = effects
        effects.cancel()
        self.effects = effects
        self.revision = revision
        self.losses = losses
    }

    /// The effect history at what an early result is made from; `nil` if what came in between
    /// leads elsewhere. O(changes in between).
    func following(_ base: EarlySource, _ context: RequestContext) -> EffectCache? {
        guard base.losses == losses else { return nil }
        return try? following(base.document) { revision throws(PreparationError) in
            try context.change(revision, .forward)
        }
    }

    /// The same at the newest state of a line, while others wait.
    func following(_ line: DocumentLine<some Sendable>) -> EffectCache? {
        let document = line.prepared
        guard line.losses == losses, document.revision - revision <= EffectsBefore.hurriedMax else {
            return nil
        }
        return try? following(document) { revision throws(PreparationError) in
            guard let body = line.recent[revision],
                let change = try? Change(decoding: body, revision: revision)
            else { throw .takesLong }
            return change
        }
    }

    private func following(
        _ document: Document, _ change: (Int) throws(PreparationError) -> Change
    ) throws(PreparationError) -> EffectCache? {
        guard revision <= document.revision else { return nil }
        var effects = effects
        for next in revision..<document.revision {
            effects.follow(try change(next + 1), to: document)
        }
        return effects
    }
}
