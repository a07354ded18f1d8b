import AccessControl
import ArgumentParser
import Foundation
import Signatures

extension TokenCommand {
    /// `versiond token issuer`
    struct IssuerCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "issuer",
            abstract: "Believe tokens that an application signs for its users.",
            subcommands: [Add.self, Remove.self])
    }
}

extension TokenCommand.IssuerCommand {
    /// `versiond token issuer add`
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Believe the tokens of an issuer, up to what is allowed here.",
            discussion: """
                Example: versiond token issuer add --name shop --algorithm ES256 --key shop.pub \
                --allow read,write --prefix shop/ --max-age 1h
                """)

        @OptionGroup var file: TokenCommand.FileOption

        @Option(help: "What tokens have as iss, if --issuer does not say otherwise.")
        var name: String

        @Option(help: "HS256, RS256, ES256 or EdDSA; tokens with another one are refused.")
        var algorithm: String

        @Option(help: "The file with the public key in PEM, or for HS256 with the secret.")
        var key: String?

        @Option(help: "The file with several keys: a JSON Web Key Set.")
        var jwks: String?

        @Option(help: "The most that a token may grant: read, propose, write, undo-others, admin.")
        var allow = "read,write"

        @Option(help: "Only documents whose names begin so.")
        var prefix = ""

        @Option(help: "How long a token may be worth something after iat, like 1h.")
        var maxAge: String?

        @Option(help: "What tokens have as iss, like https://login.example.com/.")
        var issuer: String?

        @Option(help: "What tokens must have as aud (without it: versiond, or nothing).")
        var audience: String?

        @Flag(help: "Actors are called NAME:sub, so that those of two issuers never meet.")
        var actorPrefix = false

        @Option(help: "How many requests each user has, like 100/10s (default: no bound).")
        var rate: String?

        func run() async throws {
            let entry = try entry()
            try TokenFile.change(file.file, mayBeNew: true) { tokens in
                guard !tokens.issuers.contains(where: { $0.name == name }) else {
                    throw ValidationError("there is an issuer \(name) already")
                }
                // A key that cannot be used would keep the daemon from starting.
                _ = try entry.issuer(besides: file.file)
                tokens.issuers.append(entry)
            }
            guard maxAge == nil else { return }
            let note = "note: without --max-age a token counts for as long as it says\n"
            FileHandle.standardError.write(Data(note.utf8))
        }

        private func entry() throws -> TokenFile.IssuerEntry {
            guard (key == nil) != (jwks == nil) else {
                throw ValidationError("give a --key, or a --jwks")
            }
            let entry = TokenFile.IssuerEntry(
                name: name, algorithm: try TokenFile.algorithm(algorithm), key: key.map(stored),
                jwks: jwks.map(stored),
                rights: try TokenFile.rights(allow.split(separator: ",").map(String.init)),
                prefix: prefix.isEmpty ? nil : prefix, rate: try rate.map(TokenFile.rate),
                issuer: issuer, audience: audience, maxAge: maxAge,
                actorPrefix: actorPrefix ? true : nil)
            try entry.check()
            return entry
        }

        /// The daemon runs elsewhere: a path from here would mean another file there. One that is
        /// beside the file of tokens moves with it.
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
            abstract: "Believe an issuer no more: all its tokens are worth nothing.")

        @OptionGroup var file: TokenCommand.FileOption

        @Argument(help: "Its name.")
        var name: String

        func run() async throws {
            try TokenFile.change(file.file, mayBeNew: false) { tokens in
                let count = tokens.issuers.count
                tokens.issuers.removeAll { $0.name == name }
                guard tokens.issuers.count < count else {
                    throw ValidationError("there is no issuer \(name)")
                }
                // What was revoked stays so: the issuer may be added anew, with the same key.
            }
        }
    }
}

extension TokenCommand {
    /// `versiond token revoke`
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take back a signed token, or all that a user has until now.",
            discussion: """
                A token of `versiond token create` is taken back by `versiond token remove`. \
                Example: versiond token revoke --subject user-17
                """)

        @OptionGroup var file: FileOption

        @Option(help: "Whose tokens; may be left out if there is one issuer.")
        var issuer: String?

        @Option(help: "The token's own name.")
        var jti: String?

        @Option(help: "A user, as sub has it: what was issued until now, and half a minute on.")
        var subject: String?

        @Option(help: "How long it is remembered, like 90d (default: for ever).")
        var keep: String?

        func run() async throws {
            let now = Date()
            guard (jti == nil) != (subject == nil) else {
                throw ValidationError("give a --jti, or a --subject")
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
                print("\(what); a daemon that runs hears of it by SIGHUP")
            }
        }

        /// iat is in whole seconds, and the issuer's clock may be fast by as much as is allowed.
        private static func end(after now: Date) -> Date {
            Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down) + 31)
        }

        private func found(_ issuers: [TokenFile.IssuerEntry]) throws -> TokenFile.IssuerEntry {
            if let issuer {
                guard let found = issuers.first(where: { $0.name == issuer }) else {
                    throw ValidationError("there is no issuer \(issuer)")
                }
                return found
            }
            guard issuers.count == 1 else {
                throw ValidationError("say whose token: --issuer NAME")
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
