import JSONTree
import Naming

/// The claims of a signed token.
struct Claims: Sendable, Equatable {
    /// The subject, in the issuer's name space.
    let subject: String
    /// The party that acts for the subject (RFC 8693 section 4.1); earlier parties in it are
    /// information only.
    let agent: String?
    /// Milliseconds since 1970, as all times here.
    let expiry: Int
    let notBefore: Int?
    let issuedAt: Int?
    /// The token's own name, by which it can be revoked.
    let id: String?
    /// Whom it is for.
    let audiences: [String]?
    /// The scopes of an access token (RFC 9068 section 2.2.3), which only some issuers use.
    let scopes: [String]?
    /// The requested grant; missing members have the value of the issuer's grant.
    var rights: Rights?
    var prefix: String?
    var documents: Set<Name>?
    var rate: Grant.Rate?

    /// As many documents may be named one by one; a prefix has no bound.
    static let documentsMax = 100
    /// A name that is longer could be no actor's.
    static let subjectBytesMax = 256

    /// Reads a payload. An unknown member of `versiond` is refused: a misspelt `prefix` would open
    /// all documents.
    init(_ payload: JSON) throws(TokenFault) {
        guard let subject = payload["sub"]?.string, Claims.isActor(subject) else {
            throw .badClaims("sub must be a name of 1 to \(Claims.subjectBytesMax) visible bytes")
        }
        guard let expiry = try Claims.time("exp", in: payload) else {
            throw .badClaims("exp is missing")
        }
        self.subject = subject
        agent = try payload["act"].map(Claims.agent)
        self.expiry = expiry
        notBefore = try Claims.time("nbf", in: payload)
        issuedAt = try Claims.time("iat", in: payload)
        id = try Claims.text("jti", in: payload)
        audiences = try payload["aud"].map(Claims.audiences)
        scopes = payload["scope"]?.string?.split(separator: " ").map(String.init)
        guard let wishes = payload["versiond"] else { return }
        guard let members = wishes.members else { throw .badClaims("versiond is not an object") }
        for (name, value) in members { try read(name, value) }
    }

    private mutating func read(_ name: String, _ value: JSON) throws(TokenFault) {
        switch name {
        case "allow": rights = try Claims.rights(value)
        case "prefix":
            guard let text = value.string else {
                throw .badClaims("versiond.prefix is not a string")
            }
            try Claims.checkNoNUL("versiond.prefix", text)
            prefix = text
        case "documents":
            let names = try Claims.texts("versiond.documents", value)
            guard names.count <= Claims.documentsMax else {
                throw .badClaims("versiond.documents has more than \(Claims.documentsMax) names")
            }
            for name in names { try Claims.checkNoNUL("versiond.documents", name) }
            documents = Set(names.map { Name($0) })
        case "rate":
            guard let rate = value.string.flatMap(Grant.Rate.init) else {
                throw .badClaims("versiond.rate is not a rate like 100/10s")
            }
            self.rate = rate
        default: throw .badClaims("versiond.\(name) is unknown")
        }
    }

    private static func agent(_ value: JSON) throws(TokenFault) -> String {
        guard let agent = value["sub"]?.string, isActor(agent) else {
            throw .badClaims("act.sub must be a name of 1 to \(subjectBytesMax) visible bytes")
        }
        return agent
    }

    static func isActor(_ name: String) -> Bool {
        (1...subjectBytesMax).contains(name.utf8.count) && Grant.isReadable(name)
    }

    private static func rights(_ value: JSON) throws(TokenFault) -> Rights {
        var rights: Rights = []
        for name in try texts("versiond.allow", value) {
            guard let right = Rights(name: name) else {
                throw .badClaims(
                    "unknown right \(name); known: \(Rights.allNames.joined(separator: ", "))")
            }
            rights.formUnion(right)
        }
        return rights
    }

    private static func checkNoNUL(_ claim: String, _ name: String) throws(TokenFault) {
        guard Reach.mayName(name) else { throw .badClaims("\(claim) contains NUL") }
    }

    private static func texts(_ name: String, _ value: JSON) throws(TokenFault) -> [String] {
        let texts = value.elements?.map(\.string)
        guard let texts, !texts.contains(nil) else {
            throw .badClaims("\(name) is not a list of strings")
        }
        return texts.compactMap(\.self)
    }

    /// A name alone, or a list of names (RFC 7519 section 4.1.3).
    private static func audiences(_ value: JSON) throws(TokenFault) -> [String] {
        if let name = value.string { return [name] }
        return try texts("aud", value)
    }

    private static func text(_ name: String, in payload: JSON) throws(TokenFault) -> String? {
        guard let value = payload[name] else { return nil }
        guard let text = value.string else { throw .badClaims("\(name) is not a string") }
        return text
    }

    /// Seconds since 1970, maybe with a fraction, in milliseconds.
    private static func time(_ name: String, in payload: JSON) throws(TokenFault) -> Int? {
        guard let value = payload[name] else { return nil }
        guard let seconds = value.numberText.flatMap({ Double($0) }), (0...1e11).contains(seconds)
        else { throw .badClaims("\(name) is not a time in seconds since 1970") }
        return Int((seconds * 1_000).rounded())
    }
}
