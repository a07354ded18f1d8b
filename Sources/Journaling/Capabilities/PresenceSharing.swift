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
    /// When it showed this, or has gone: the newest counts.
    public let stamp: Int
    /// For how long it is here, or that it has gone is told.
    public let milliseconds: Int

    public init(
        document: DocumentID, client: Name, actor: Name, owner: Name, state: [UInt8]?,
        revision: Int?, stamp: Int, milliseconds: Int
    ) {
        self.document = document
        self.client = client
        self.actor = actor
        self.owner = owner
        self.state = state
        self.revision = revision
        self.stamp = stamp
        self.milliseconds = milliseconds
    }
}

/// A store by which daemons tell each other who is present. Nothing of it is history: it may be
/// lost at any time, and is in no backup.
public protocol PresenceSharing: Sendable {
    /// Makes what it needs, if it is not there. Blocks.
    func preparePresence() throws(JournalError)

    /// Tells what changed here, and returns what others have told since a time; since 0 it is all
    /// that counts still, and what does not is removed. Times are in milliseconds since 1970, by
    /// clocks that may differ a little. Blocks.
    func exchangePresence(
        _ own: [SharedPresence], by daemon: [UInt8], since: Int, at now: Int
    ) throws(JournalError) -> [SharedPresence]
}
