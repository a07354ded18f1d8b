/// Who may do what. A value; `AccessControl` holds the one that counts.
public struct AccessList: Sendable, Equatable {
    /// Grants by the hash of their secret.
    private var tokens: [String: Grant] = [:]
    /// Grants of this machine's users, for clients that come over a local socket.
    private var users: [UInt32: Grant] = [:]
    /// For those who show nothing.
    private var anonymous: Grant?

    /// Nobody may do anything, but those who are added.
    public init(anonymous: Grant? = nil) {
        self.anonymous = anonymous
    }

    /// Everybody may do everything.
    public static let open = AccessList(anonymous: .everything)

    /// Adds a token, by the hash of its secret.
    public mutating func add(tokenHash: String, _ grant: Grant) {
        tokens[tokenHash] = grant
    }

    /// Adds a user of this machine.
    public mutating func add(user: UInt32, _ grant: Grant) {
        users[user] = grant
    }

    /// How many tokens and users it knows.
    public var count: Int { tokens.count + users.count }

    /// What a client may do, by what it shows.
    func grant(of credentials: Credentials) -> Grant? {
        switch credentials {
        case .secret(let secret): tokens[Token.hash(of: secret)]
        case .hash(let hash): tokens[hash]
        case .user(let user): users[user] ?? anonymous
        case .none: anonymous
        }
    }
}

/// What a client shows.
public enum Credentials: Sendable, Equatable {
    case none
    case secret(String)
    /// A secret that was shown before, by its hash.
    case hash(String)
    /// A user of this machine, as the kernel says.
    case user(UInt32)
}
