public import JSONTree

/// What became of a request.
public struct Outcome: Sendable {
    /// The change that was made, or `nil` if there was nothing to do.
    public let change: Change?
    /// The tree that the change's patch was applied to.
    public let before: JSON
    /// The document after it.
    public let document: Document
    /// Whether the request created the document.
    public let isCreated: Bool
    /// Whether it was a dry run: nothing happened.
    public var isDryRun = false
    /// Whether the change was made earlier, by the same request.
    public var isRepeated = false

    /// The tree after it; of a dry run, the tree that there would be.
    public var tree: JSON {
        guard isDryRun, let change else { return document.tree }
        return (try? before.applying(change.edits)) ?? document.tree
    }
}
