import AccessControl
import ArgumentParser
import Foundation
import Signatures

extension TokenCommand {
    /// `versiond token issuer`
    struct IssuerCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "issuer",
            abstract: "Manage applications that sign tokens for their users.",
            subcommands: [Add.self, Remove.self])
    }
}

extension TokenCommand.IssuerCommand {
    /// `versiond token issuer add`
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an issuer, and the rights that its tokens can grant.",
            discussion: """
                Example: versiond token issuer add --name shop --algorithm ES256 --key shop.pub \
                --allow read,write --prefix shop/ --max-age 1h
                """)

        @OptionGroup var file: TokenCommand.FileOption

        @Option(help: "The name of the issuer, and the claim iss unless --issuer is set.")
        var name: String

        @Option(help: "The algorithm of its tokens: HS256, RS256, ES256 or EdDSA.")
        var algorithm: String

        @Option(help: "The file with the public key in PEM, or with the secret for HS256.")
        var key: String?

        @Option(help: "The file with several keys, a JSON Web Key Set.")
        var jwks: String?

        @Option(
            help: "The rights that a token can grant: read, propose, write, undo-others, admin.")
        var allow = "read,write"

        @Option(help: "Limits the tokens to documents with this prefix.")
        var prefix = ""

        @Option(help: "The maximum lifetime of a token after iat, like 1h.")
        var maxAge: String?

        @Option(help: "The claim iss of the tokens, like https://login.example.com/.")
        var issuer: String?

        @Option(help: "The required claim aud (by default versiond, or no aud).")
        var audience: String?

        @Flag(help: "Take the rights from the claim scope, within --allow; requires --audience.")
        var scopes = false

        @Flag(help: "Name actors NAME:sub, so that two issuers do not share actors.")
        var actorPrefix = false

        @Option(help: "The request rate of each user, like 100/10s (default: no limit).")
        var rate: String?

        func run() async throws {
            let entry = try entry()
            try TokenFile.change(file.file, mayBeNew: true) { tokens in
                guard !tokens.issuers.contains(where: { $0.name == name }) else {
                    throw ValidationError("the issuer \(name) already exists")
                }
                // A key that cannot be used would keep the daemon from starting.
                _ = try entry.issuer(besides: file.file)
                tokens.issuers.append(entry)
            }
            guard maxAge == nil else { return }
            let note =
                "note: without --max-age the claim exp alone limits the lifetime of a token\n"
            FileHandle.standardError.write(Data(note.utf8))
        }

        private func entry() throws -> TokenFile.IssuerEntry {
            guard (key == nil) != (jwks == nil) else {
                throw ValidationError("--key or --jwks is required")
            }
            let entry = TokenFile.IssuerEntry(
                name: name, algorithm: try TokenFile.algorithm(algorithm), key: key.map(stored),
                jwks: jwks.map(stored),
                rights: try TokenFile.rights(allow.split(separator: ",").map(String.init)),
                prefix: prefix.isEmpty ? nil : prefix, rate: try rate.map(TokenFile.rate),
                issuer: issuer, audience: audience, maxAge: maxAge,
                scopes: scopes ? true : nil, actorPrefix: actorPrefix ? true : nil)
            try entry.check()
            return entry
        }

        /// The daemon runs elsewhere: a path from here would mean another file there. A path
        /// relative to the file of tokens moves with it.
        private func stored(_ path: String) -> String {
            let key = URL(filePath: path).absoluteURL
            let beside = URL(filePath: file.file).absoluteURL.deletingLastPathComponent()
            return key.deletingLastPathComponent().path == beside.path
                ? key.lastPathComponent : key.path
        }
    }

    /// `versiond token issuer remove`
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an issuer; all its tokens become invalid.")

        @OptionGroup var file: TokenCommand.FileOption

        @Argument(help: "The name of the issuer.")
        var name: String

        func run() async throws {
            try TokenFile.change(file.file, mayBeNew: false) { tokens in
                let count = tokens.issuers.count
                tokens.issuers.removeAll { $0.name == name }
                guard tokens.issuers.count < count else {
                    throw ValidationError("the issuer \(name) does not exist")
                }
                // Revocations remain: the issuer may be added again with the same key.
            }
        }
    }
}

extension TokenCommand {
    /// `versiond token revoke`
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a signed token, or all tokens of a user.",
            discussion: """
                To revoke a token of `versiond token create`, use `versiond token remove`. \
                Example: versiond token revoke --subject user-17
                """)

        @OptionGroup var file: FileOption

        @Option(help: "The issuer; optional if the file has one issuer.")
        var issuer: String?

        @Option(help: "The claim jti of the token.")
        var jti: String?

        @Option(help: "The claim sub of a user: revokes all tokens issued up to 30 s from now.")
        var subject: String?

        @Option(help: "How long the revocation is stored, like 90d (default: forever).")
        var keep: String?

        func run() async throws {
            let now = Date()
            guard (jti == nil) != (subject == nil) else {
                throw ValidationError("--jti or --subject is required")
            }
            let until = try keep.map { now + (try TokenCommand.seconds($0)) }
            try TokenFile.change(file.file, mayBeNew: false) { tokens in
                let issuer = try found(tokens.issuers)
                let new = TokenFile.RevokedEntry(
                    issuer: issuer.name, jti: jti, subject: subject.map { name($0, of: issuer) },
                    at: subject == nil ? nil : Revoke.end(after: now), until: until)
                tokens.revoked.removeAll { entry in
                    entry.until.map { $0 < now } ?? false || entry.isSame(new)
                }
                tokens.revoked.append(new)
                let what = "\(issuer.name): revoked \(new.words)"
                print("\(what); send SIGHUP to a running daemon")
            }
        }

        /// iat is in whole seconds, and the issuer's clock may be fast by as much as is allowed.
        private static func end(after now: Date) -> Date {
            Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down) + 31)
        }

        private func found(_ issuers: [TokenFile.IssuerEntry]) throws -> TokenFile.IssuerEntry {
            if let issuer {
                guard let found = issuers.first(where: { $0.name == issuer }) else {
                    throw ValidationError("the issuer \(issuer) does not exist")
                }
                return found
            }
            guard issuers.count == 1 else {
                throw ValidationError("--issuer is required")
            }
            return issuers[0]
        }

        /// Logs and histories show the actor; the token has what follows the issuer's name.
        private func name(_ subject: String, of issuer: TokenFile.IssuerEntry) -> String {
            let before = issuer.name + ":"
            let isActor = issuer.namesActors && subject.utf8.starts(with: before.utf8)
            return isActor ? String(subject.dropFirst(before.count)) : subject
        }
    }
}
