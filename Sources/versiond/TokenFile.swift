import AccessControl
import ArgumentParser
import Foundation

/// The file that says who may do what: hashes of secrets, users of this machine, and what those may
/// do who show nothing.
struct TokenFile {
    /// A grant as it stands in the file.
    struct Entry {
        var name: String
        /// What a client shows for it.
        var key: Key
        var rights: Rights
        var prefix = ""
        var rate: Grant.Rate?

        enum Key: Equatable {
            /// Secrets, the newest first: while one is exchanged for another both are worth
            /// something.
            case secrets([Secret])
            /// A user's number.
            case user(UInt32, expires: Date?)
            case anonymous(expires: Date?)
        }
    }

    /// A token's secret: its hash, and when it is worth nothing any more.
    struct Secret: Equatable {
        var hash: String
        var expires: Date?
    }

    /// How many secrets a name may have: one, and those that are being replaced.
    static let secretsMax = 10

    /// Where it is: keys of issuers may be beside it.
    let path: String
    var entries: [Entry] = []
    var issuers: [IssuerEntry] = []
    var revoked: [RevokedEntry] = []

    /// Reads a file. One that is not there is an error, unless `mayBeNew`.
    init(_ path: String, mayBeNew: Bool = false) throws {
        if mayBeNew && !FileManager.default.fileExists(atPath: path) {
            self.init(path: path)
            return
        }
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: path)) } catch {
            throw CannotRun.noInput("\(path) cannot be read: \(CannotRun.reason(error))")
        }
        try self.init(data, path)
    }

    private init(path: String) {
        self.path = path
    }

    /// Reads what stands in a file.
    private init(_ data: Data, _ path: String) throws {
        self.path = path
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw ValidationError("\(path) must hold one JSON object")
        }
        do {
            try read(object)
        } catch let error as ValidationError {
            throw ValidationError("\(path): \(error.message)")
        }
    }

    private mutating func read(_ object: [String: Any]) throws {
        var top = StrictObject(object, "the file")
        for item in try top.objects("tokens") {
            var item = StrictObject(item, "a token")
            let secrets = try TokenFile.secrets(&item)
            entries.append(try TokenFile.entry(&item, .secrets(secrets)))
        }
        for item in try top.objects("users") {
            var item = StrictObject(item, "a user")
            guard let user = item.value("uid") as? Int, let user = UInt32(exactly: user) else {
                throw ValidationError("a user has no uid")
            }
            let expires = try TokenFile.expiry(&item)
            entries.append(try TokenFile.entry(&item, .user(user, expires: expires)))
        }
        if let value = top.value("anonymous") {
            guard let object = value as? [String: Any] else {
                throw ValidationError("anonymous must be an object")
            }
            var item = StrictObject(object, "anonymous")
            let expires = try TokenFile.expiry(&item)
            entries.append(try TokenFile.entry(&item, .anonymous(expires: expires)))
        }
        for item in try top.objects("issuers") {
            var item = StrictObject(item, "an issuer")
            issuers.append(try TokenFile.issuer(&item))
        }
        for item in try top.objects("revoked") {
            var item = StrictObject(item, "what is revoked")
            revoked.append(try TokenFile.revoked(&item))
        }
        try top.finish()
        try TokenFile.checkUnique(entries.map(\.name), "two entries have the same name")
        try TokenFile.checkUnique(issuers.map(\.name), "two issuers have the same name")
        try TokenFile.checkUnique(
            issuers.map { $0.identifier ?? $0.name }, "two issuers have the same issuer")
    }

    private static func checkUnique(_ names: [String], _ words: String) throws {
        guard Set(names).count == names.count else { throw ValidationError(words) }
    }

    /// `"hash":…` with `"expires":…`, or several of them in `"secrets":[…]`.
    private static func secrets(_ item: inout StrictObject) throws -> [Secret] {
        let several = try item.objects("secrets")
        guard several.isEmpty else {
            guard several.count <= secretsMax else {
                throw ValidationError("a token has more than \(secretsMax) secrets")
            }
            return try several.map { object in
                var part = StrictObject(object, "a secret")
                let secret = try self.secret(&part)
                try part.finish()
                return secret
            }
        }
        return [try secret(&item)]
    }

    private static func secret(_ item: inout StrictObject) throws -> Secret {
        guard let hash = try item.text("hash"), hash.utf8.count == 64,
            hash.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else {
            throw ValidationError("a token has no hash of 64 digits; versiond token makes them")
        }
        return Secret(hash: hash, expires: try expiry(&item))
    }

    private static func expiry(_ item: inout StrictObject) throws -> Date? {
        try date("expires", &item)
    }

    static func date(_ name: String, _ item: inout StrictObject) throws -> Date? {
        guard let text = try item.text(name) else { return nil }
        guard let date = try? Date(text, strategy: .iso8601) else {
            throw ValidationError("\(text): \(name) is no time like 2027-01-31T12:00:00Z")
        }
        return date
    }

    private static func entry(_ item: inout StrictObject, _ key: Entry.Key) throws -> Entry {
        let name = try item.text("name") ?? ""
        let isAnonymous = if case .anonymous = key { true } else { false }
        guard isAnonymous || (1...256).contains(name.utf8.count) else {
            throw ValidationError("an entry has no name of 1 to 256 bytes")
        }
        var entry = Entry(
            name: name, key: key, rights: try rights(try item.texts("rights")),
            prefix: try item.text("prefix") ?? "")
        if let text = try item.text("rate") { entry.rate = try rate(text) }
        try item.finish()
        return entry
    }

    static func rights(_ names: [String]) throws -> Rights {
        var rights: Rights = []
        for name in names {
            guard let right = Rights(name: name) else {
                throw ValidationError(
                    "\(name) is no right; there are \(Rights.allNames.joined(separator: ", "))")
            }
            rights.formUnion(right)
        }
        guard !rights.isEmpty else { throw ValidationError("an entry has no rights") }
        return rights
    }

    static func rate(_ text: String) throws -> Grant.Rate {
        guard let rate = Grant.Rate(text) else {
            throw ValidationError("\(text) is no rate like 100/10s")
        }
        return rate
    }

    /// What the entries mean. The daemon's own user, over a local socket, may do everything, unless
    /// the file says otherwise. Keys of issuers are read now; `otherwise` says what an issuer is
    /// whose keys cannot be.
    func accessList(
        owner: UInt32, otherwise: (IssuerEntry, any Error) throws -> Issuer? = { throw $1 }
    ) throws -> AccessList {
        var anonymous: Grant?
        for entry in entries {
            if case .anonymous(let expires) = entry.key { anonymous = entry.grant(until: expires) }
        }
        var list = AccessList(anonymous: anonymous)
        list.add(user: owner, .everything)
        for entry in entries {
            switch entry.key {
            case .secrets(let secrets):
                for secret in secrets {
                    list.add(tokenHash: secret.hash, entry.grant(until: secret.expires))
                }
            case .user(let user, let expires): list.add(user: user, entry.grant(until: expires))
            case .anonymous: break
            }
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
            throw ValidationError("\(path).lock cannot be taken")
        }
        defer { close(lock) }
        var tokens = try TokenFile(path, mayBeNew: mayBeNew)
        try body(&tokens)
        try tokens.write(to: path)
    }

    /// Writes the file anew: all or nothing, and for its owner only.
    func write(to path: String) throws {
        func objects(_ isWanted: (Entry) -> Bool) -> [[String: Any]] {
            entries.filter(isWanted).map(\.object)
        }
        var object: [String: Any] = [
            "tokens": objects { if case .secrets = $0.key { true } else { false } }
        ]
        let users = objects { if case .user = $0.key { true } else { false } }
        if !users.isEmpty { object["users"] = users }
        if let anonymous = objects({ if case .anonymous = $0.key { true } else { false } }).first {
            object["anonymous"] = anonymous
        }
        if !issuers.isEmpty { object["issuers"] = issuers.map(\.object) }
        if !revoked.isEmpty { object["revoked"] = revoked.map(\.object) }
        let data = try JSONSerialization.data(
            withJSONObject: object, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        // What cannot be read would keep the daemon from starting (V6).
        _ = try TokenFile(data, path)
        let draft = path + ".new"
        let manager = FileManager.default
        try? manager.removeItem(atPath: draft)
        guard
            manager.createFile(
                atPath: draft, contents: data + Data([0x0a]),
                attributes: [.posixPermissions: 0o600])
        else { throw ValidationError("\(draft) cannot be written") }
        guard unsafe rename(draft, path) == 0 else {
            throw ValidationError("\(path) cannot be replaced")
        }
    }
}

extension TokenFile.Entry {
    fileprivate func grant(until expires: Date?) -> Grant {
        Grant(
            name: name, rights: rights, prefix: prefix,
            expiry: expires.map { Int($0.timeIntervalSince1970 * 1_000) }, rate: rate)
    }

    /// When nothing that it has is worth anything any more; `nil` for never.
    var expires: Date? {
        switch key {
        case .secrets(let secrets):
            secrets.allSatisfy { $0.expires != nil } ? secrets.compactMap(\.expires).max() : nil
        case .user(_, let expires), .anonymous(let expires): expires
        }
    }

    fileprivate var object: [String: Any] {
        var object: [String: Any] = ["rights": rights.names]
        switch key {
        case .secrets(let secrets) where secrets.count == 1:
            object.merge(secrets[0].object) { $1 }
        case .secrets(let secrets): object["secrets"] = secrets.map(\.object)
        case .user(let user, let expires):
            object["uid"] = Int(user)
            object["expires"] = expires?.formatted(.iso8601)
        case .anonymous(let expires): object["expires"] = expires?.formatted(.iso8601)
        }
        if !name.isEmpty { object["name"] = name }
        if !prefix.isEmpty { object["prefix"] = prefix }
        object["rate"] = rate?.text
        return object
    }
}

extension TokenFile.Secret {
    fileprivate var object: [String: Any] {
        var object: [String: Any] = ["hash": hash]
        object["expires"] = expires?.formatted(.iso8601)
        return object
    }
}
