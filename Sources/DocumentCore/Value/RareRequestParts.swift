import Naming
import SelectiveUndo

/// The parts that few requests have.
package struct RareRequestParts: Sendable {
    /// Where a document is from that is made as a copy: so it is a draft.
    var start: DraftStart?
    /// The initial settings of the document, if the request creates it.
    package var defaults: SettingsChange?
    /// The quotas that refuse the request.
    package var refusals = QuotaRefusals()
    /// How long edits of runs can be undone.
    package var undoLimits: UndoLimits?
    /// The person or program that asked the actor for the change.
    var promptBy: Name?
    /// The operations that an undo or redo by operations leaves.
    var choice: PartChoice?

    private var isEmpty: Bool {
        start == nil && defaults == nil && refusals == QuotaRefusals() && promptBy == nil
            && choice == nil && undoLimits == nil
    }

    /// A class, so that a request holds them by one word.
    final class Box: Sendable {
        let parts: RareRequestParts

        /// `nil` without any part.
        init?(_ parts: RareRequestParts) {
            if parts.isEmpty { return nil }
            self.parts = parts
        }
    }
}
