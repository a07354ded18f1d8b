package import Naming

/// The parts that few requests have. A class, so that a request holds them by one word.
package final class RareRequestParts: Sendable {
    /// Where a document is from that is made as a copy: so it is a draft.
    let start: DraftStart?
    /// The initial settings of the document, if the request creates it.
    let defaults: SettingsChange?
    /// The quotas that refuse the request.
    let refusals: QuotaRefusals
    /// The person or program that asked the actor for the change.
    let promptBy: Name?

    /// `nil` without any part.
    package init?(
        start: DraftStart?, promptBy: Name?, defaults: SettingsChange? = nil,
        _ refusals: QuotaRefusals = QuotaRefusals()
    ) {
        if start == nil, promptBy == nil, defaults == nil, refusals == QuotaRefusals() {
            return nil
        }
        self.start = start
        self.promptBy = promptBy
        self.defaults = defaults
        self.refusals = refusals
    }
}
