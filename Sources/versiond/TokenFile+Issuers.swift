import AccessControl
import ArgumentParser
import Foundation
import Signatures

// Those who sign tokens, and what was revoked.

extension TokenFile {
    /// Somebody who signs tokens, as it stands in the file.
    struct IssuerEntry {
        var name: String
        var algorithm: SignatureAlgorithm
        /// Where the key is, or a set of keys; a path without a slash before it is beside the file.
        var key: KeyFile
        var rights: Rights
        var prefix = ""
        var rate: Grant.Rate?
        /// `iss`, if it is not the name.
        var identifier: String?
        var audience: String?
        /// Like `1h`.
        var maxAge: String?
        var namesActors = false

        enum KeyFile: Equatable {
            case key(String)
            case set(String)

            var path: String {
                switch self {
                case .key(let path), .set(let path): path
                }
            }
        }
    }

    /// Tokens that are worth nothing although they are signed.
    struct RevokedEntry: Equatable {
        var issuer: String
        var what: What
        /// When it may be forgotten.
        var until: Date?

        enum What: Equatable {
            case id(String)
            /// What was issued for a subject before a time.
            case subject(String, at: Date)
        }
    }

    /// Where keys of issuers are, and what nobody else may do with them: a shared secret signs,
    /// too, and who can write a public key is the issuer.
    var keyPaths: [(path: String, others: mode_t)] {
        issuers.map { ($0.keyPath(besides: path), $0.algorithm == .hs256 ? 0o077 : 0o022) }
    }

    /// The names of issuers of which something is revoked, and that are not there.
    var unknownIssuers: [String] {
        let names = Set(issuers.map(\.name))
        return Set(revoked.map(\.issuer)).subtracting(names).sorted()
    }

    static func issuer(_ item: inout StrictObject) throws -> IssuerEntry {
        guard let name = try item.text("name"), (1...256).contains(name.utf8.count) else {
            throw ValidationError("an issuer has no name of 1 to 256 bytes")
        }
        var entry = IssuerEntry(
            name: name, algorithm: try algorithm(try item.text("algorithm") ?? ""),
            key: try keyFile(&item), rights: try rights(try item.texts("rights")),
            prefix: try item.text("prefix") ?? "")
        if let text = try item.text("rate") { entry.rate = try rate(text) }
        entry.identifier = try item.text("issuer")
        entry.audience = try item.text("audience")
        entry.maxAge = try item.text("maxAge")
        if let text = entry.maxAge { _ = try TokenCommand.seconds(text) }
        entry.namesActors = try item.flag("actorPrefix")
        try item.finish()
        try entry.checkName()
        return entry
    }

    static func algorithm(_ name: String) throws -> SignatureAlgorithm {
        guard let algorithm = SignatureAlgorithm(rawValue: name) else {
            let names = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError(
                "\(name.isEmpty ? "nothing" : name) is no algorithm; use \(names)")
        }
        return algorithm
    }

    private static func keyFile(_ item: inout StrictObject) throws -> IssuerEntry.KeyFile {
        switch (try item.text("key"), try item.text("jwks")) {
        case (let path?, nil): .key(path)
        case (nil, let path?): .set(path)
        default: throw ValidationError("an issuer has a key or a jwks: the path of a file")
        }
    }

    static func revoked(_ item: inout StrictObject) throws -> RevokedEntry {
        guard let issuer = try item.text("issuer") else {
            throw ValidationError("what is revoked has no issuer")
        }
        let what: RevokedEntry.What
        switch (try item.text("jti"), try item.text("subject")) {
        case (let id?, nil): what = .id(id)
        case (nil, let subject?):
            guard let time = try date("at", &item) else {
                throw ValidationError("a subject is revoked at a time: at")
            }
            what = .subject(subject, at: time)
        default: throw ValidationError("what is revoked has a jti or a subject")
        }
        let entry = RevokedEntry(issuer: issuer, what: what, until: try date("until", &item))
        try item.finish()
        return entry
    }
}

extension TokenFile.IssuerEntry {
    /// With its keys, which are read now, or with others.
    func issuer(besides file: String, keys: [Issuer.Key]? = nil) throws -> Issuer {
        Issuer(
            name: name, identifier: identifier, algorithm: algorithm,
            keys: try keys ?? self.keys(besides: file), rights: rights, prefix: prefix,
            rate: rate, ageMax: try ageMax, audience: audience, namesActors: namesActors)
    }

    /// Its users are called `NAME:sub`: another colon, or a slash, would make them somebody else's.
    func checkName() throws {
        guard !namesActors || !name.contains(where: { $0 == ":" || $0 == "/" }) else {
            throw ValidationError("an issuer with actorPrefix has no : and no / in its name")
        }
    }

    private var ageMax: Int? {
        get throws { try maxAge.map { Int(try TokenCommand.seconds($0) * 1_000) } }
    }

    /// Where its key is, beside the file of tokens if nothing else is said.
    func keyPath(besides file: String) -> String {
        URL(filePath: key.path, relativeTo: URL(filePath: file).deletingLastPathComponent()).path
    }

    private func keys(besides file: String) throws -> [Issuer.Key] {
        let path = keyPath(besides: file)
        guard let bytes = (try? Data(contentsOf: URL(filePath: path))).map(Array.init) else {
            throw ValidationError("\(path), the key of \(name), cannot be read")
        }
        switch key {
        case .key:
            guard let key = verifyingKey(bytes) else {
                throw ValidationError(unusable(path))
            }
            return [Issuer.Key(key)]
        case .set:
            guard let keys = Issuer.keys(ofSet: bytes, for: algorithm), !keys.isEmpty else {
                throw ValidationError("\(path) is no JWKS with a key for \(algorithm.rawValue)")
            }
            return keys
        }
    }

    private func unusable(_ path: String) -> String {
        guard algorithm == .hs256 else {
            return "\(path) is no public key for \(algorithm.rawValue) in PEM"
        }
        let count = VerifyingKey.secretBytesMin
        return "\(path) must have a secret of \(count) bytes, and no public key"
    }

    /// A secret is a line; the end of the line is none of it.
    private func verifyingKey(_ bytes: [UInt8]) -> VerifyingKey? {
        guard algorithm == .hs256 else {
            return VerifyingKey(pem: String(decoding: bytes, as: UTF8.self), for: algorithm)
        }
        // Everybody has a public key, and could sign with it.
        let text = String(decoding: bytes, as: UTF8.self)
        if text.contains("-----BEGIN") || text.first == "{" { return nil }
        let isEnd = { (byte: UInt8) in byte == 0x0a || byte == 0x0d }
        return VerifyingKey(secret: bytes.reversed().drop(while: isEnd).reversed())
    }

    var object: [String: Any] {
        var object: [String: Any] = [
            "name": name, "algorithm": algorithm.rawValue, "rights": rights.names,
        ]
        switch key {
        case .key(let path): object["key"] = path
        case .set(let path): object["jwks"] = path
        }
        if !prefix.isEmpty { object["prefix"] = prefix }
        if namesActors { object["actorPrefix"] = true }
        object["rate"] = rate?.text
        object["issuer"] = identifier
        object["audience"] = audience
        object["maxAge"] = maxAge
        return object
    }
}

extension TokenFile.RevokedEntry.What: CustomStringConvertible {
    var description: String {
        switch self {
        case .id(let id): "jti \(id)"
        case .subject(let subject, let time):
            "subject \(subject), before \(time.formatted(.iso8601))"
        }
    }
}

extension TokenFile.RevokedEntry {
    var revocation: Revocation {
        switch what {
        case .id(let id): return Revocation(issuer: issuer, .id(id))
        case .subject(let subject, let time):
            let before = Int(time.timeIntervalSince1970 * 1_000)
            return Revocation(issuer: issuer, .subject(subject, before: before))
        }
    }

    var object: [String: Any] {
        var object: [String: Any] = ["issuer": issuer]
        switch what {
        case .id(let id): object["jti"] = id
        case .subject(let subject, let time):
            object["subject"] = subject
            object["at"] = time.formatted(.iso8601)
        }
        object["until"] = until?.formatted(.iso8601)
        return object
    }
}
