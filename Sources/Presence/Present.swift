public import Journaling
public import Naming

/// Somebody who is in a document: a page, a program, with what it shows of itself.
public struct Present: Sendable, Equatable {
    public let client: Name
    /// Who it is.
    public let actor: Name
    /// Whose credentials made it: nobody else may change it.
    public let owner: Name
    /// What it shows, as JSON text. Nobody looks inside.
    public let state: [UInt8]
    /// Where the state holds.
    public let revision: Int?
    /// When it showed this, in milliseconds since 1970: of what two daemons say, the newer counts.
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

/// Why somebody cannot be present.
public enum PresenceError: Error, Equatable, Sendable {
    /// The client belongs to other credentials.
    case foreign(client: Name)
    /// As many are present in the document as may be: of these credentials, or of all. `own`: how
    /// many are of these.
    case tooManyClients(own: Int)
    /// What all show, or what is of these credentials, takes as much memory as it may. `own`: what
    /// these take.
    case tooManyBytes(own: Int)
}

/// What became of presence in a document since somebody looked.
public struct PresenceChange: Sendable, Equatable {
    public let document: DocumentID
    /// Who came, or shows something else; in the order of clients.
    public var clients: [Present]
    /// Who has gone.
    public var gone: [Name]
    /// Whether these are all who are there, and who is not named is not.
    public var isAll: Bool
}
