import AccessControl
import ArgumentParser
import Foundation

extension TokenCommand {
    /// `versiond token rotate`
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a new secret for a token; the old one stays valid for a time.",
            discussion: """
                The name stays the same, so the token can still undo its changes. Give clients the \
                new secret while both are valid. Example: versiond token rotate ada --overlap 7d
                """)

        @OptionGroup var file: FileOption

        @Argument(help: "The name of the token.")
        var name: String

        @Option(help: "How long existing secrets stay valid; 0s revokes them now.")
        var overlap = "1d"

        @Option(help: "The lifetime of the new secret, like 90d (default: forever).")
        var expires: String?

        func run() async throws {
            let token = Token()
            let now = Date()
            let end = now + (try TokenCommand.seconds(overlap, mayBeNone: true))
            let secret = TokenFile.Secret(
                hash: Token.hash(of: token.secret),
                expires: try expires.map { now + (try TokenCommand.seconds($0)) })
            try TokenFile.change(file.file, mayBeNew: false) { tokens in
                guard let place = tokens.tokens.firstIndex(where: { $0.name == name }) else {
                    throw ValidationError("the token \(name) does not exist")
                }
                let former = tokens.tokens[place].allSecrets
                tokens.tokens[place].allSecrets = try Rotate.secrets(
                    secret, before: former, now: now, end: end)
            }
            print(token.secret)
        }

        /// The new secret and the previous valid ones.
        private static func secrets(
            _ new: TokenFile.Secret, before former: [TokenFile.Secret], now: Date, end: Date
        ) throws -> [TokenFile.Secret] {
            // A secret that was to end would be followed by one that never does.
            guard new.expires != nil || former.first?.expires == nil else {
                throw ValidationError(
                    "the old secret has an expiry; set one for the new secret: --expires 90d")
            }
            let kept = former.map { secret in
                TokenFile.Secret(hash: secret.hash, expires: min(secret.expires ?? end, end))
            }.filter { $0.expires.map { $0 > now } ?? true }
            guard kept.count < TokenFile.secretsMax else {
                throw ValidationError(
                    "\(kept.count) secrets are already valid; use a shorter --overlap")
            }
            return [new] + kept
        }
    }
}
