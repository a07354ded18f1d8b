public import Naming

/// Somebody who is in a document, as daemons tell each other.
public struct SharedPresence: Sendable, Equatable {
    public let document: DocumentID
    public let client: Name
    public let actor: Name
    public let owner: Name
    /// What it shows, as JSON text; `nil`: it has gone.
    public let state: [UInt8]?
    public let revision: Int?
    /// For how long it is here, or that it has gone is told.
    public let milliseconds: Int

    public init(
        document: DocumentID, client: Name, actor: Name, owner: Name, state: [UInt8]?,
        revision: Int?, milliseconds: Int
    ) {
        self.document = document
        self.client = client
        self.actor = actor
        self.owner = owner
        self.state = state
        self.revision = revision
        self.milliseconds = milliseconds
    }
}

/// A store by which daemons tell each other who is present. Nothing of it is history: it may be
/// lost at any time, and is in no backup.
public protocol PresenceSharing: Sendable {
    /// Makes what it needs, if it is not there. Blocks.
    func preparePresence() throws(JournalError)

    /// Tells what changed here, and returns what others have told since `mark`, and the mark for
    /// the next time. From mark 0 on it is all that counts still, and what does not is removed.
    /// Blocks.
    func exchangePresence(
        _ own: [SharedPresence], by daemon: [UInt8], after mark: Int
    ) throws(JournalError) -> (others: [SharedPresence], mark: Int)
}
