/// One event of a document, for its followers.
public enum FeedEvent: Sendable {
    /// A change was committed, with this number in the journal's order; `nil` where that is not
    /// known yet, and where a document is read by its revisions.
    case change(Transition, sequence: Int?)
    /// The current version is finished. It has no revision of its own and is published live only.
    indirect case seal(Document)
}
