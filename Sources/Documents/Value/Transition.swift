public import JSONTree

/// A change, and the document that it led to. Shared by all who tell of it: a document is large.
public final class Transition: Sendable {
    public let change: Change
    /// The tree that the change's patch was applied to.
    public let before: JSON
    /// The document after it.
    public let document: Document
    /// What became of the edit, if it was made on an old state.
    public let merge: MergeReport?

    init(_ change: Change, from before: JSON, to document: Document, merge: MergeReport? = nil) {
        self.change = change
        self.before = before
        self.document = document
        self.merge = merge
    }
}
