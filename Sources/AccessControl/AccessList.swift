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
    private var revocations: [Revocation] = []

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
        revocations.append(revocation)
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

    /// Whose a signed token is, and by which key; a token that names nobody is the only issuer's.
    func issuer(of token: SignedToken) throws(TokenFault) -> (Issuer, VerifyingKey) {
        let issuer = token.issuer.map { issuers[Name($0)] }
        guard let found = issuer ?? (issuers.count == 1 ? issuers.values.first : nil) else {
            throw .unknownIssuer(token.issuer)
        }
        guard let key = found.key(named: token.keyID) else { throw .badSignature }
        return (found, key)
    }

    /// The issuer of this name, if it has this key still.
    func issuer(_ name: String, withKey fingerprint: [UInt8]) -> Issuer? {
        issuers.values.first {
            Name($0.name) == Name(name)
                && $0.keys.contains { $0.verifying.fingerprint == fingerprint }
        }
    }

    /// What claims that an issuer signed grant now.
    func grant(of claims: Claims, _ issuer: Issuer, at now: Int) throws(TokenFault) -> Grant {
        let grant = try issuer.grant(of: claims, at: now)
        let isRevoked = revocations.contains {
            Name($0.issuer) == Name(issuer.name) && $0.isAbout(claims)
        }
        if isRevoked { throw .revoked(name: grant.name) }
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
