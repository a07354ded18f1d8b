package import JSONTree

/// A change of the document, as the feed brings it.
package struct ReplicaChange: Sendable {
    package let revision: Int
    package let patch: JSONPatch
    /// The kind of the change, in the daemon's words.
    package let kind: String
    /// The idempotency key, if the change is one of this client.
    package let key: String?
    /// The change restored what others removed after this revision.
    package let wonSince: Int?

    package init(
        revision: Int, patch: JSONPatch, kind: String, key: String? = nil, wonSince: Int? = nil
    ) {
        self.revision = revision
        self.patch = patch
        self.kind = kind
        self.key = key
        self.wonSince = wonSince
    }

    /// Kinds after which a client reads the document again: an erased place may still be shown,
    /// and a new document does not follow from a deleted one.
    var needsReload: Bool { ["purge", "forgotten", "create"].contains(kind) }

    /// The removed values that it may restore.
    var returning: MergeBase.Later.Returning {
        if ["undo", "redo", "goto", "discard-scope", "restore", "update"].contains(kind) {
            return .anything
        }
        return wonSince.map { .removed(after: $0) } ?? .nothing
    }
}

/// The result of a change of the feed.
package enum Received: Sendable {
    case shown(Shown)
    /// It was known already.
    case known
    /// A change before it is missing, or it does not fit: the changes since are to be read.
    case gap
}

/// The effect of an event on the shown value.
package struct Shown: Sendable {
    /// The value that was shown before; `nil`: none.
    package let before: JSON?
    /// The edits that lead from there to what is shown now.
    package let edits: [MergeEdit]
    /// Whether they were made here.
    package var isOwn = false
    /// The pairs of an edit made here and another one of which one gave way.
    package var conflicts: [EditPair] = []
    /// The step that the daemon has confirmed.
    package var confirmed: PendingStep?
    /// Whether the daemon made something else of it than was shown.
    package var isCorrected = false
    /// The operations that are not done any more, for the application. Where others have removed
    /// what they were made in, they do not apply to the value.
    package var lost = JSONPatch([])
    /// The revisions of the stored parts of an edit of which the rest was refused: they are to be
    /// undone, the last one first.
    package var storedParts: [Int] = []

    init(_ before: JSON?, _ edits: [MergeEdit]) {
        self.before = before
        self.edits = edits
    }
}

/// A change does not follow from what the client knows: the document has to be read again.
package struct Diverged: Error {}
