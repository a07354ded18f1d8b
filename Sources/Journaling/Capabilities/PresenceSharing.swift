public import Naming

/// A client present in a document, in the form that daemons exchange.
public struct SharedPresence: Sendable, Equatable {
    public let document: DocumentID
    public let client: Name
    public let actor: Name
    public let owner: Name
    /// Its public state, as JSON text; `nil`: it has left.
    public let state: [UInt8]?
    public let revision: Int?
    /// When it showed this, or has gone: the newest counts.
    public let stamp: Int
    /// The time for which it is present, or for which daemons report that it has left.
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

/// A store by which daemons exchange the present clients. It is not history: it may be lost at any
/// time, and is in no backup.
public protocol PresenceSharing: Sendable {
    /// Makes what it needs, if it is not there. Blocks.
    func preparePresence() throws(JournalError)

    /// Stores the changes of this daemon and returns the changes of others since a time; since 0 it
    /// returns all that are still valid, and removes the rest. Times are in milliseconds since
    /// 1970, by clocks that may differ a little. Blocks.
    func exchangePresence(
        _ own: [SharedPresence], by daemon: [UInt8], since: Int, at now: Int
    ) throws(JournalError) -> [SharedPresence]
}
