import AccessControl
import ArgumentParser
import Foundation

extension TokenCommand {
    /// `versiond token rotate`
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give a token a new secret; the old one is worth something for a while.",
            discussion: """
                The name stays, and so what it did stays its own to undo. Clients get the new \
                secret while both are worth something. Example: versiond token rotate ada \
                --overlap 7d
                """)

        @OptionGroup var file: FileOption

        @Argument(help: "Its name.")
        var name: String

        @Option(help: "How long the secrets until now are worth something yet; 0s: no longer.")
        var overlap = "1d"

        @Option(help: "How long the new one is worth something, like 90d (default: for ever).")
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
                    throw ValidationError("there is no token \(name)")
                }
                let former = tokens.tokens[place].allSecrets
                tokens.tokens[place].allSecrets = try Rotate.secrets(
                    secret, before: former, now: now, end: end)
            }
            print(token.secret)
        }

        /// The new secret, and those before it that are worth something yet.
        private static func secrets(
            _ new: TokenFile.Secret, before former: [TokenFile.Secret], now: Date, end: Date
        ) throws -> [TokenFile.Secret] {
            // A secret that was to end would be followed by one that never does.
            guard new.expires != nil || former.first?.expires == nil else {
                throw ValidationError("its secret ends: say when the new one does, --expires 90d")
            }
            let kept = former.map { secret in
                TokenFile.Secret(hash: secret.hash, expires: min(secret.expires ?? end, end))
            }.filter { $0.expires.map { $0 > now } ?? true }
            guard kept.count < TokenFile.secretsMax else {
                throw ValidationError(
                    "\(kept.count) secrets are worth something already; use a shorter --overlap")
            }
            return [new] + kept
        }
    }
}
