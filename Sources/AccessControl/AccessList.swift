import Naming
import Signatures

/// The grants of clients. A value; `AccessControl` holds the current one.
public struct AccessList: Sendable, Equatable {
    /// Grants by the hash of their secret.
    private var tokens: [String: Grant] = [:]
    /// Grants of this machine's users, for clients that come over a local socket.
    private var users: [UInt32: Grant] = [:]
    /// The grant of clients without a token.
    private var anonymous: Grant?
    /// The issuers, by the `iss` of their tokens.
    private var issuers: [Name: Issuer] = [:]
    /// By the issuer's name.
    private var revocations: [Name: Revocations] = [:]

    /// Without grants, except those that are added.
    public init(anonymous: Grant? = nil) {
        self.anonymous = anonymous
    }

    /// All rights for all clients.
    public static let open = AccessList(anonymous: .everything)

    /// Adds a token, by the hash of its secret.
    public mutating func add(tokenHash: String, _ grant: Grant) {
        tokens[tokenHash] = grant
    }

    /// Adds a user of this machine.
    public mutating func add(user: UInt32, _ grant: Grant) {
        users[user] = grant
    }

    /// Adds an issuer.
    public mutating func add(_ issuer: Issuer) {
        issuers[Name(issuer.identifier)] = issuer
    }

    /// Adds revocations.
    public mutating func add(_ revocation: Revocation) {
        revocations[Name(revocation.issuer), default: Revocations()].add(revocation.what)
    }

    /// How many tokens, users and issuers it knows.
    public var count: Int { tokens.count + users.count + issuers.count }

    /// The grant of a client, by its credentials.
    func grant(of credentials: Credentials) -> Grant? {
        switch credentials {
        case .secret(let secret): tokens[Token.hash(of: secret)]
        case .hash(let hash): tokens[hash]
        case .user(let user): users[user] ?? anonymous
        case .none: anonymous
        }
    }

    /// The issuers whose name is an address, where a client of OAuth can get a token.
    public var authorizationServers: [String] {
        issuers.values.map(\.identifier).filter { $0.hasPrefix("https://") }.sorted()
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

    /// The grant of signed claims at present.
    func grant(of claims: Claims, _ issuer: Issuer, at now: Int) throws(TokenFault) -> Grant {
        let grant = try issuer.grant(of: claims, at: now)
        if revocations[Name(issuer.name)]?.contains(claims) == true {
            throw .revoked(name: grant.name)
        }
        // Users of another issuer must not have names of this issuer.
        if !issuer.namesActors, issuers.values.contains(where: { $0.hasActor(grant.name) }) {
            throw .badClaims("sub is in the name space of another issuer")
        }
        return grant
    }
}

/// The credentials of a client.
public enum Credentials: Sendable, Equatable {
    case none
    case secret(String)
    /// A secret that was shown before, by its hash.
    case hash(String)
    /// A user of this machine, as the kernel says.
    case user(UInt32)
}
