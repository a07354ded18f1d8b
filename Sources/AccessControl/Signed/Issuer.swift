import Naming
public import Signatures

/// An application that signs tokens for its users.
public struct Issuer: Sendable, Equatable {
    /// The name that the operator gave.
    public let name: String
    /// The `iss` of its tokens.
    public let identifier: String
    /// The algorithm of its keys; the token does not choose it.
    public let algorithm: SignatureAlgorithm
    public let keys: [Key]
    /// The maximum grant of its tokens.
    public let rights: Rights
    public let prefix: String
    public let rate: Grant.Rate?
    /// The maximum lifetime of a token, in milliseconds.
    public let ageMax: Int?
    /// The required `aud` of its tokens. By default `versiond`, or no `aud`.
    public let audience: String?
    /// Whether tokens have only the rights that their `scope` names.
    public let readsScopes: Bool
    /// Whether actor names begin with the issuer's name, so that two issuers share none.
    public let namesActors: Bool

    /// A key, and the name that tokens may have for it.
    public struct Key: Sendable, Equatable {
        public let id: String?
        public let verifying: VerifyingKey

        public init(id: String? = nil, _ verifying: VerifyingKey) {
            self.id = id
            self.verifying = verifying
        }
    }

    public init(
        name: String, identifier: String? = nil, algorithm: SignatureAlgorithm, keys: [Key],
        rights: Rights, prefix: String = "", rate: Grant.Rate? = nil, ageMax: Int? = nil,
        audience: String? = nil, readsScopes: Bool = false, namesActors: Bool = false
    ) {
        self.name = name
        self.identifier = identifier ?? name
        self.algorithm = algorithm
        self.keys = keys
        self.rights = rights
        self.prefix = prefix
        self.rate = rate
        self.ageMax = ageMax
        self.audience = audience
        self.readsScopes = readsScopes
        self.namesActors = namesActors
    }

    /// The accepted difference of clocks, in milliseconds.
    static let leeway = 30_000

    /// The keys that a token names, of which one must have signed it: names need not differ (RFC
    /// 7517 section 4.5). If no key has the name, those without a name; without a name the only
    /// key.
    func keys(named id: String?) -> [VerifyingKey] {
        guard let id else { return keys.count == 1 ? [keys[0].verifying] : [] }
        let named = keys.filter { $0.id == id }
        return (named.isEmpty ? keys.filter { $0.id == nil } : named).map(\.verifying)
    }

    /// The grant of claims that the issuer signed. Throws if there is none: the claims have another
    /// audience, or a longer life than the issuer may grant.
    func grant(of claims: Claims, at now: Int) throws(TokenFault) -> Grant {
        let subject = try actor(claims.subject)
        let agent = try claims.agent.map { agent throws(TokenFault) in try actor(agent) }
        let name = agent ?? subject
        try checkAudience(claims)
        try checkTime(claims, name, now)
        return Grant(
            name: name, rights: try rights(of: claims),
            reach: reach(of: claims), expiry: claims.expiry + Issuer.leeway,
            rate: stricter(claims.rate), promptBy: agent == nil ? nil : subject)
    }

    /// Only `Versiond-Actor` makes names below the client's own: a slash in a subject would make it
    /// a part of another name.
    private func actor(_ subject: String) throws(TokenFault) -> String {
        let subject = subject.unicodeScalars.map { letter in
            letter == "/" ? "%2F" : letter == "%" ? "%25" : String(letter)
        }.joined()
        let name = namesActors ? "\(self.name):\(subject)" : subject
        guard Claims.isActor(name) else {
            throw .badClaims("the actor \(name.prefix(40))… has more than 256 bytes")
        }
        return name
    }

    /// Whether a name is one of its actors, who are called by its own name.
    func hasActor(_ name: String) -> Bool {
        namesActors && name.utf8.starts(with: (self.name + ":").utf8)
    }

    /// RFC 7519 section 4.1.3: a token that is for others is refused.
    private func checkAudience(_ claims: Claims) throws(TokenFault) {
        let wanted = audience ?? "versiond"
        guard claims.audiences?.contains(wanted) ?? (audience == nil) else {
            throw .badClaims("aud does not contain \(wanted)")
        }
    }

    private func checkTime(_ claims: Claims, _ name: String, _ now: Int) throws(TokenFault) {
        let begin = max(claims.notBefore ?? 0, claims.issuedAt ?? 0)
        if begin > now + Issuer.leeway {
            throw .notYet(seconds: (begin - now + 999) / 1_000, name: name)
        }
        if claims.expiry + Issuer.leeway <= now { throw .expired(name: name) }
        guard let ageMax, claims.expiry - (claims.issuedAt ?? now) > ageMax + Issuer.leeway else {
            return
        }
        throw .badClaims("exp is more than \(ageMax / 1_000) s after iat, or after now")
    }

    /// The rights that the token requests, within those of the issuer.
    private func rights(of claims: Claims) throws(TokenFault) -> Rights {
        let wanted = rights.intersection(claims.rights ?? rights)
        guard readsScopes else { return wanted }
        guard let scopes = claims.scopes else {
            throw .badClaims("scope is missing, or not a string")
        }
        // Other words are about other services.
        let named = scopes.compactMap { Rights(name: $0) }
        return wanted.intersection(named.reduce([]) { $0.union($1) })
    }

    /// The requested part of the maximum grant; all of it if the token requests nothing.
    private func reach(of claims: Claims) -> Reach {
        if claims.prefix == nil && claims.documents == nil { return Reach(prefix: prefix) }
        return Reach(prefix: claims.prefix, documents: claims.documents ?? [])
            .intersection(prefix: prefix)
    }

    /// The slower one, with no more at once than either has.
    private func stricter(_ other: Grant.Rate?) -> Grant.Rate? {
        guard let rate, let other else { return rate ?? other }
        let isSlower = other.requests * rate.seconds < rate.requests * other.seconds
        let (slower, faster) = isSlower ? (other, rate) : (rate, other)
        guard slower.requests > faster.requests else { return slower }
        let seconds = (faster.requests * slower.seconds + slower.requests - 1) / slower.requests
        return Grant.Rate(requests: faster.requests, seconds: seconds)
    }
}

/// Revoked tokens.
public struct Revocation: Sendable, Equatable {
    /// The issuer's name.
    public let issuer: String
    public let what: What

    /// Which tokens.
    public enum What: Sendable, Equatable {
        /// One token, by its `jti`.
        case id(String)
        /// All that were issued for a subject before a time. Those that do not say when they were
        /// issued are among them.
        case subject(String, before: Int)
    }

    public init(issuer: String, _ what: What) {
        self.issuer = issuer
        self.what = what
    }

}

/// The revocations of one issuer, indexed.
struct Revocations: Sendable, Equatable {
    private var ids: Set<Name> = []
    private var subjects: [Name: Int] = [:]

    mutating func add(_ what: Revocation.What) {
        switch what {
        case .id(let id): ids.insert(Name(id))
        case .subject(let subject, let time):
            subjects[Name(subject)] = max(time, subjects[Name(subject)] ?? time)
        }
    }

    func contains(_ claims: Claims) -> Bool {
        if let id = claims.id, ids.contains(Name(id)) { return true }
        let names = [claims.subject, claims.agent].compactMap(\.self)
        guard let time = names.compactMap({ subjects[Name($0)] }).max() else { return false }
        return claims.issuedAt.map { $0 < time } ?? true
    }
}
