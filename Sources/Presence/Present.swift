public import Journaling
public import Naming

/// A client present in a document: a page or a program, with its public state.
public struct Present: Sendable, Equatable {
    public let client: Name
    /// The actor of the client.
    public let actor: Name
    /// The credentials that made it: only they may change it.
    public let owner: Name
    /// Its public state, as JSON text. The daemon does not interpret it.
    public let state: [UInt8]
    /// Where the state holds.
    public let revision: Int?
    /// The time of its state, in milliseconds since 1970: of the reports of two daemons, the newer
    /// one counts.
    public let stamp: Int
    /// Since when it is here, in milliseconds since 1970.
    public var since: Int
    /// Until when it is here, unless it is renewed or a stream keeps it.
    public var until: Int

    public init(
        client: Name, actor: Name, owner: Name, state: [UInt8], revision: Int?, stamp: Int,
        since: Int,
        until: Int
    ) {
        self.client = client
        self.actor = actor
        self.owner = owner
        self.state = state
        self.revision = revision
        self.stamp = stamp
        self.since = since
        self.until = until
    }

    /// The longest state.
    public static let stateBytesMax = 2 << 10

    /// About how many bytes it takes in memory.
    var weight: Int { state.count + client.text.utf8.count + actor.text.utf8.count + 256 }
}

/// The reason why a client cannot be present.
public enum PresenceError: Error, Equatable, Sendable {
    /// The client belongs to other credentials.
    case foreign(client: Name)
    /// As many are present in the document as may be: of these credentials, or of all. `own`: how
    /// many are of these.
    case tooManyClients(own: Int)
    /// All states together, or those of these credentials, have reached the limit on memory. `own`:
    /// the bytes of these credentials.
    case tooManyBytes(own: Int)
}

/// The changes of presence in a document since a number.
public struct PresenceChange: Sendable, Equatable {
    public let document: DocumentID
    /// The clients that joined or changed; in the order of clients.
    public var clients: [Present]
    /// The clients that left.
    public var gone: [Name]
    /// Whether these are all who are there, and who is not named is not.
    public var isAll: Bool
}
