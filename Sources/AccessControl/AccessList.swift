import Naming
import Signatures

/// Who may do what. A value; `AccessControl` holds the one that counts.
public struct AccessList: Sendable, Equatable {
    /// Grants by the hash of their secret.
    private var tokens: [String: Grant] = [:]
    /// Grants of this machine's users, for clients that come over a local socket.
    private var users: [UInt32: Grant] = [:]
    /// For those who show nothing.
    private var anonymous: Grant?
    /// Those who sign tokens, by what the tokens have as `iss`.
    private var issuers: [Name: Issuer] = [:]
    /// By the issuer's name.
    private var revocations: [Name: Revocations] = [:]

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

    /// Adds somebody who signs tokens.
    public mutating func add(_ issuer: Issuer) {
        issuers[Name(issuer.identifier)] = issuer
    }

    /// Adds what is worth nothing any more.
    public mutating func add(_ revocation: Revocation) {
        revocations[Name(revocation.issuer), default: Revocations()].add(revocation.what)
    }

    /// How many tokens, users and issuers it knows.
    public var count: Int { tokens.count + users.count + issuers.count }

    /// What a client may do, by what it shows.
    func grant(of credentials: Credentials) -> Grant? {
        switch credentials {
        case .secret(let secret): tokens[Token.hash(of: secret)]
        case .hash(let hash): tokens[hash]
        case .user(let user): users[user] ?? anonymous
        case .none: anonymous
        }
    }

    /// The issuer that the operator calls so.
    public func issuer(called name: String) -> Issuer? {
        issuers.values.first { Name($0.name) == Name(name) }
    }

    /// Whose a signed token is, and which keys may have signed it; a token that names no issuer is
    /// the only issuer's.
    func issuer(of origin: SignedToken.Origin) throws(TokenFault) -> (Issuer, [VerifyingKey]) {
        let found = origin.issuer.map { issuers[Name($0)] }
        guard let issuer = found ?? (issuers.count == 1 ? issuers.values.first : nil) else {
            throw .unknownIssuer(origin.issuer)
        }
        return (issuer, issuer.keys(named: origin.keyID))
    }

    /// What claims that an issuer signed grant now.
    func grant(of claims: Claims, _ issuer: Issuer, at now: Int) throws(TokenFault) -> Grant {
        let grant = try issuer.grant(of: claims, at: now)
        if revocations[Name(issuer.name)]?.contains(claims) == true {
            throw .revoked(name: grant.name)
        }
        // Nobody else's users may have the names that an issuer has for its own.
        if !issuer.namesActors, issuers.values.contains(where: { $0.hasActor(grant.name) }) {
            throw .badClaims("sub is a name of another issuer's users")
        }
        return grant
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
