public import JSONTree
public import Naming
import VersioningKit

/// A change, and the document that it led to. Shared by the reply and the feed: documents are
/// large.
public final class Transition: Sendable {
    public let change: Change
    /// The tree that the change's patch was applied to.
    public let before: JSON
    /// The document after it.
    public let document: Document
    /// The result of the merge, if the edit was made on an old state.
    public let merge: MergeReport?
    /// The actor's next undo and redo after it, if they are known without a scan.
    public let own: OwnAvailability?
    /// Whether it made a tag or a snapshot of a name that there was not, where that is known.
    public let isNewName: Bool

    package init(
        _ change: Change, from before: JSON, to document: Document, merge: MergeReport? = nil,
        own: OwnAvailability? = nil, isNewName: Bool = false
    ) {
        self.isNewName = isNewName
        self.change = change
        self.before = before
        self.document = document
        self.merge = merge
        self.own = own
    }
}

extension Change {
    /// See `Outcome.isLong`: of a change of a large tree. O(edits).
    func isLong(_ bytes: Int, isWhole: Bool, speaksText: Bool) -> Bool {
        if isWhole || !speaksText && patch.hasTextEdits { return true }
        return patch.byteCount + untracked.byteCount > bytes
    }

    /// Whether it gives a tag or a snapshot a name that there is not in a document.
    package func makesName(in document: Document) -> Bool {
        switch kind {
        case .tag(let tag, _): document.history.version(tagged: tag) == nil
        case .snapshot(let key, _): document.snapshots[key] == nil
        default: false
        }
    }
}

/// Whether an actor has something to undo and to redo.
public struct OwnAvailability: Sendable, Equatable {
    public let actor: Name
    public let hasUndo: Bool
    public let hasRedo: Bool

    public init(actor: Name, hasUndo: Bool, hasRedo: Bool) {
        self.actor = actor
        self.hasUndo = hasUndo
        self.hasRedo = hasRedo
    }
}
