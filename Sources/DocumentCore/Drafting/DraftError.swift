public import JSONTree
public import Journaling

/// Why a draft and its origin stay as they are.
public enum DraftError: Error, Equatable, Sendable {
    /// The document is not a draft and has no origin.
    case noOrigin
    /// The origin of the draft is gone, or another document has its name now.
    case originGone(DocumentID)
    /// The document is not the one that the draft is from: its history is another one.
    case otherHistory(DocumentID)
    /// The client may not read the origin.
    case originOutOfReach(DocumentID)
    /// The client may not write the origin.
    case originForbidden(DocumentID)
    /// The draft and its origin have changed the same.
    case conflicts([DraftConflict])
    /// No conflict exists at a place that the request decides; the conflicts are at these places.
    case notInConflict(JSONPointer, in: [JSONPointer])
    /// A change of the draft does nothing without these.
    case needsChanges([Int], of: Int)
    /// A value was moved between a place that was chosen and this one, which was not.
    case movedPart(to: JSONPointer)
    /// The origin has what the update of this revision brought: a later merge rests on it.
    case mergedSince(update: Int)
    /// One merge of these drafts would change a document twice.
    case overlapping(DocumentID, [DocumentID])
}
