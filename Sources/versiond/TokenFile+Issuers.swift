import AccessControl
import ArgumentParser
import Foundation
public import Signatures

// Those who sign tokens, and what was revoked.

extension TokenFile {
    /// An issuer of signed tokens, as the file has it.
    struct IssuerEntry: Codable {
        var name: String
        var algorithm: SignatureAlgorithm
        /// The path of the key; relative to the folder of the file.
        var key: String?
        /// Where a set of keys is, instead.
        var jwks: String?
        var rights: Rights
        var prefix: String?
        var rate: Grant.Rate?
        /// `iss`, if it is not the name.
        var issuer: String?
        var audience: String?
        /// Like `1h`.
        var maxAge: String?
        /// Whether the claim `scope` limits the rights of a token.
        var scopes: Bool?
        /// Whether its users are called `NAME:sub`.
        var actorPrefix: Bool?
    }

    /// Signed tokens that are invalid: one by its own name, or those issued for a subject before a
    /// time.
    struct RevokedEntry: Codable {
        var issuer: String
        var jti: String?
        var subject: String?
        var at: Date?
        /// When it may be forgotten.
        var until: Date?
    }

    /// The files of issuers' keys, and the access to them that other users must not have: a shared
    /// secret also signs, and a user that can write a public key is the issuer.
    var keyPaths: [(path: String, others: mode_t)] {
        issuers.map { ($0.keyPath(besides: path), $0.algorithm == .hs256 ? 0o077 : 0o022) }
    }

    /// The names of issuers of which something is revoked, and that are not there.
    var unknownIssuers: [String] {
        let names = Set(issuers.map(\.name))
        return Set(revoked.map(\.issuer)).subtracting(names).sorted()
    }

    static func algorithm(_ name: String) throws -> SignatureAlgorithm {
        guard let algorithm = SignatureAlgorithm(rawValue: name) else {
            let names = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError(
                "unknown algorithm \(name); use \(names)")
        }
        return algorithm
    }
}

extension TokenFile.IssuerEntry {
    /// With its keys, which are read now, or with others.
    func issuer(besides file: String, keys: [Issuer.Key]? = nil) throws -> Issuer {
        Issuer(
            name: name, identifier: issuer, algorithm: algorithm,
            keys: try keys ?? self.keys(besides: file), rights: rights, prefix: prefix ?? "",
            rate: rate, ageMax: try ageMax, audience: audience, readsScopes: scopes == true,
            namesActors: namesActors)
    }

    var namesActors: Bool { actorPrefix == true }

    func check() throws {
        guard (1...256).contains(name.utf8.count) else {
            throw ValidationError("the name of an issuer must have 1 to 256 bytes")
        }
        guard (key == nil) != (jwks == nil) else {
            throw ValidationError("an issuer requires either key or jwks, the path of a file")
        }
        _ = try ageMax
        // An authorization server issues tokens for many services.
        guard scopes != true || audience != nil else {
            throw ValidationError(
                "an issuer with scopes requires audience, the address of this daemon")
        }
        // Its users are called NAME:sub: another colon, or a slash, would make them another
        // issuer's, or parts of a name.
        guard !namesActors || !name.contains(where: { $0 == ":" || $0 == "/" }) else {
            throw ValidationError("the name of an issuer with actorPrefix must not have : or /")
        }
    }

    private var ageMax: Int? {
        get throws { try maxAge.map { Int(try TokenCommand.seconds($0) * 1_000) } }
    }

    /// The path of its key; relative paths begin at the folder of the file.
    func keyPath(besides file: String) -> String {
        let path = key ?? jwks ?? ""
        return URL(filePath: path, relativeTo: URL(filePath: file).deletingLastPathComponent()).path
    }

    private func keys(besides file: String) throws -> [Issuer.Key] {
        let path = keyPath(besides: file)
        guard let bytes = (try? Data(contentsOf: URL(filePath: path))).map(Array.init) else {
            throw ValidationError("cannot read \(path), the key of \(name)")
        }
        if jwks == nil {
            guard let key = verifyingKey(bytes) else { throw ValidationError(unusable(path)) }
            return [Issuer.Key(key)]
        }
        guard let keys = Issuer.keys(ofSet: bytes, for: algorithm), !keys.isEmpty else {
            throw ValidationError("\(path) is not a JWKS with a key for \(algorithm.rawValue)")
        }
        return keys
    }

    private func unusable(_ path: String) -> String {
        guard algorithm == .hs256 else {
            return "\(path) is not a public key for \(algorithm.rawValue) in PEM"
        }
        let count = VerifyingKey.secretBytesMin
        return "\(path) must have a secret of at least \(count) bytes instead of a public key"
    }

    /// A secret is a line; the end of the line is none of it.
    private func verifyingKey(_ bytes: [UInt8]) -> VerifyingKey? {
        guard algorithm == .hs256 else {
            return VerifyingKey(pem: String(decoding: bytes, as: UTF8.self), for: algorithm)
        }
        // A public key is known to all, so any client could use it to sign.
        let text = String(decoding: bytes, as: UTF8.self)
        if text.contains("-----BEGIN") || text.first == "{" { return nil }
        let isEnd = { (byte: UInt8) in byte == 0x0a || byte == 0x0d }
        return VerifyingKey(secret: bytes.reversed().drop(while: isEnd).reversed())
    }
}

extension TokenFile.RevokedEntry {
    func check() throws {
        guard (jti == nil) != (subject == nil) else {
            throw ValidationError("a revocation requires jti or subject")
        }
        guard (subject == nil) == (at == nil) else {
            throw ValidationError("a revocation of a subject requires at")
        }
    }

    /// A description of the revoked tokens.
    var words: String {
        jti.map { "jti \($0)" }
            ?? "subject \(subject ?? ""), before \((at ?? .distantPast).formatted(.iso8601))"
    }

    /// Whether both are about the same token, or the same subject.
    func isSame(_ other: TokenFile.RevokedEntry) -> Bool {
        let (mine, others) = ((jti ?? subject ?? "").utf8, (other.jti ?? other.subject ?? "").utf8)
        return issuer == other.issuer && (jti == nil) == (other.jti == nil)
            && mine.elementsEqual(others)
    }

    var revocation: Revocation {
        if let jti { return Revocation(issuer: issuer, .id(jti)) }
        let before = Int((at ?? .distantPast).timeIntervalSince1970 * 1_000)
        return Revocation(issuer: issuer, .subject(subject ?? "", before: before))
    }
}

extension SignatureAlgorithm: Codable {
    public init(from decoder: any Decoder) throws {
        self = try TokenFile.algorithm(String(from: decoder))
    }
}
