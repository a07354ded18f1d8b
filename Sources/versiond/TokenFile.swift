public import AccessControl
import ArgumentParser
import Foundation

/// The file that says who may do what: hashes of secrets, users of this machine, and what those may
/// do who show nothing.
struct TokenFile: Codable {
    /// A grant in the file: of a token, of a user of this machine, or of clients that
    /// show nothing, who have no name.
    struct Entry: Codable {
        var name: String?
        /// A user's number.
        var uid: Int?
        /// A token's secret, if it has one.
        var hash: String?
        /// The expiry of that secret, or of the user's grant.
        var expires: Date?
        /// A token's secrets, if it has several.
        var secrets: [Secret]?
        var rights: Rights
        var prefix: String?
        var rate: Grant.Rate?
    }

    /// A token's secret: its hash and its expiry.
    struct Secret: Codable {
        var hash: String
        var expires: Date?
    }

    /// How many secrets a name may have: one, and those that are being replaced.
    static let secretsMax = 10

    /// The path of the file; keys of issuers are relative to its folder.
    private(set) var path = ""
    var tokens: [Entry] = []
    var users: [Entry] = []
    var anonymous: Entry?
    var issuers: [IssuerEntry] = []
    var revoked: [RevokedEntry] = []

    private enum CodingKeys: CodingKey {
        case tokens, users, anonymous, issuers, revoked
    }

    var entries: [Entry] { tokens + users + (anonymous.map { [$0] } ?? []) }

    /// Reads a file. One that is not there is an error, unless `mayBeNew`.
    init(_ path: String, mayBeNew: Bool = false) throws {
        self.path = path
        if mayBeNew && !FileManager.default.fileExists(atPath: path) { return }
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: path)) } catch {
            throw CannotRun.noInput("cannot read \(path): \(CannotRun.reason(error))")
        }
        do {
            self = try StrictDecoder.decode(TokenFile.self, from: data)
            try check()
        } catch let error as ValidationError {
            throw ValidationError("\(path): \(error.message)")
        }
        self.path = path
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        tokens = try values.decodeIfPresent([Entry].self, forKey: .tokens) ?? []
        users = try values.decodeIfPresent([Entry].self, forKey: .users) ?? []
        anonymous = try values.decodeIfPresent(Entry.self, forKey: .anonymous)
        issuers = try values.decodeIfPresent([IssuerEntry].self, forKey: .issuers) ?? []
        revoked = try values.decodeIfPresent([RevokedEntry].self, forKey: .revoked) ?? []
    }

    private func check() throws {
        for token in tokens { try token.checkToken() }
        for user in users { try user.checkUser() }
        try anonymous?.checkAnonymous()
        for issuer in issuers { try issuer.check() }
        for entry in revoked { try entry.check() }
        let prefixes = entries.compactMap(\.prefix) + issuers.compactMap(\.prefix)
        guard prefixes.allSatisfy(Reach.mayName) else {
            throw ValidationError("a prefix contains NUL")
        }
        try TokenFile.checkUnique(entries.map { $0.name ?? "" }, "two entries have the same name")
        try TokenFile.checkUnique(issuers.map(\.name), "two issuers have the same name")
        try TokenFile.checkUnique(
            issuers.map { $0.issuer ?? $0.name }, "two issuers have the same issuer")
    }

    private static func checkUnique(_ names: [String], _ words: String) throws {
        guard Set(names).count == names.count else { throw ValidationError(words) }
    }

    static func rights(_ names: [String]) throws -> Rights {
        var rights: Rights = []
        for name in names {
            guard let right = Rights(name: name) else {
                throw ValidationError(
                    "unknown right \(name); known: \(Rights.allNames.joined(separator: ", "))")
            }
            rights.formUnion(right)
        }
        guard !rights.isEmpty else { throw ValidationError("an entry has no rights") }
        return rights
    }

    static func rate(_ text: String) throws -> Grant.Rate {
        guard let rate = Grant.Rate(text) else {
            throw ValidationError("\(text) is not a rate like 100/10s")
        }
        return rate
    }

    /// The access list of the entries. The daemon's own user has all rights over a local socket,
    /// unless the file restricts it. Keys of issuers are read now; `otherwise` replaces an issuer
    /// whose keys cannot be read.
    func accessList(
        owner: UInt32, otherwise: (IssuerEntry, any Error) throws -> Issuer? = { throw $1 }
    ) throws -> AccessList {
        var list = AccessList(anonymous: anonymous.map { $0.grant(until: $0.expires) })
        list.add(user: owner, .everything)
        for token in tokens {
            for secret in token.allSecrets {
                list.add(tokenHash: secret.hash, token.grant(until: secret.expires))
            }
        }
        for user in users {
            list.add(user: UInt32(user.uid ?? 0), user.grant(until: user.expires))
        }
        for entry in issuers {
            do { list.add(try entry.issuer(besides: path)) } catch {
                if let issuer = try otherwise(entry, error) { list.add(issuer) }
            }
        }
        for entry in revoked { list.add(entry.revocation) }
        return list
    }

    /// Reads the file, lets `body` change it, and writes it; one at a time does so.
    static func change(
        _ path: String, mayBeNew: Bool, _ body: (inout TokenFile) throws -> Void
    ) throws {
        let lock = unsafe open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX) == 0 else {
            throw ValidationError("cannot lock \(path).lock")
        }
        defer { close(lock) }
        var tokens = try TokenFile(path, mayBeNew: mayBeNew)
        try body(&tokens)
        try tokens.write(to: path)
    }

    /// Replaces the file atomically, readable by its owner only.
    func write(to path: String) throws {
        let object = try StrictDecoder.object(self).filter { name, value in
            name == "tokens" || (value as? [Any])?.isEmpty != true
        }
        let data = try JSONSerialization.data(
            withJSONObject: object, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        // The daemon would not start with an invalid file.
        try check()
        let draft = path + ".new"
        let manager = FileManager.default
        try? manager.removeItem(atPath: draft)
        guard
            manager.createFile(
                atPath: draft, contents: data + Data([0x0a]),
                attributes: [.posixPermissions: 0o600])
        else { throw ValidationError("cannot write \(draft)") }
        guard unsafe rename(draft, path) == 0 else {
            throw ValidationError("cannot replace \(path)")
        }
    }
}

extension TokenFile.Entry {
    /// A token's secrets, the newest first: while one is exchanged for another both are worth
    /// something.
    var allSecrets: [TokenFile.Secret] {
        get { secrets ?? hash.map { [.init(hash: $0, expires: expires)] } ?? [] }
        set {
            let only = newValue.count == 1 ? newValue[0] : nil
            (hash, expires) = (only?.hash, only?.expires)
            secrets = only == nil ? newValue : nil
        }
    }

    /// When nothing that it has is worth anything any more; `nil` for never.
    var end: Date? {
        guard let secrets else { return expires }
        return secrets.allSatisfy { $0.expires != nil } ? secrets.compactMap(\.expires).max() : nil
    }

    fileprivate func grant(until expires: Date?) -> Grant {
        Grant(
            name: name ?? "", rights: rights, prefix: prefix ?? "",
            expiry: expires.map { Int($0.timeIntervalSince1970 * 1_000) }, rate: rate)
    }

    fileprivate func checkToken() throws {
        try checkName()
        guard uid == nil else { throw ValidationError("a token must not have a uid") }
        guard secrets == nil || hash == nil && expires == nil else {
            throw ValidationError("a token requires either hash and expires, or secrets")
        }
        guard allSecrets.count <= TokenFile.secretsMax else {
            throw ValidationError("a token has more than \(TokenFile.secretsMax) secrets")
        }
        guard !allSecrets.isEmpty, allSecrets.allSatisfy(\.isHash) else {
            throw ValidationError(
                "the hash of a token must have 64 digits; create it with versiond token")
        }
    }

    fileprivate func checkUser() throws {
        try checkName()
        guard let uid, UInt32(exactly: uid) != nil else {
            throw ValidationError("a user has no uid")
        }
        guard allSecrets.isEmpty else {
            throw ValidationError("a user must not have a hash")
        }
    }

    fileprivate func checkAnonymous() throws {
        guard uid == nil, allSecrets.isEmpty else {
            throw ValidationError("anonymous must not have a uid or a hash")
        }
    }

    private func checkName() throws {
        guard let name, (1...256).contains(name.utf8.count) else {
            throw ValidationError("the name of an entry must have 1 to 256 bytes")
        }
    }
}

extension TokenFile.Secret {
    fileprivate var isHash: Bool {
        hash.utf8.count == 64
            && hash.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

extension Rights: Codable {
    public init(from decoder: any Decoder) throws {
        self = try TokenFile.rights([String](from: decoder))
    }

    /// By their names.
    public func encode(to encoder: any Encoder) throws { try names.encode(to: encoder) }
}

extension Grant.Rate: Codable {
    public init(from decoder: any Decoder) throws {
        self = try TokenFile.rate(String(from: decoder))
    }

    /// Like `100/10s`.
    public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}
