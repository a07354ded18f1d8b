import AccessControl
import ArgumentParser
import Foundation
import Signatures

/// `versiond token`: makes, lists and removes tokens.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make, rotate, list and remove the tokens that clients show.",
        discussion: """
            A running daemon reads the file again when it gets SIGHUP (systemctl reload versiond).
            """,
        subcommands: [
            Create.self, Rotate.self, List.self, Remove.self, IssuerCommand.self, Revoke.self,
        ])

    /// Which file.
    struct FileOption: ParsableArguments {
        @Option(name: .shortAndLong, help: "The file with the tokens (or VERSIOND_TOKENS).")
        var file = ProcessInfo.processInfo.environment["VERSIOND_TOKENS"] ?? "tokens.json"
    }

    /// `versiond token create`
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a token. Its secret is printed once, and only its hash is kept.")

        @OptionGroup var file: FileOption

        @Option(help: "Who it is for: the actor of what is done with it.")
        var name: String

        @Option(
            help: "Rights, with commas between: \(Rights.allNames.joined(separator: ", ")).")
        var allow = "read,write"

        @Option(help: "Only documents whose names begin so.")
        var prefix = ""

        @Option(help: "How long it is worth something, like 12h or 90d (default: for ever).")
        var expires: String?

        @Option(help: "How many requests in how many seconds, like 100/10s (default: no bound).")
        var rate: String?

        func run() async throws {
            guard Grant.isReadable(name) else {
                throw ValidationError("a name has letters that can be seen")
            }
            let token = Token()
            let entry = TokenFile.Entry(
                name: name, hash: Token.hash(of: token.secret),
                expires: try expires.map { Date() + (try TokenCommand.seconds($0)) },
                rights: try TokenFile.rights(allow.split(separator: ",").map(String.init)),
                prefix: prefix.isEmpty ? nil : prefix, rate: try rate.map(TokenFile.rate))
            try TokenFile.change(file.file, mayBeNew: true) { tokens in
                guard !tokens.entries.contains(where: { $0.name == name }) else {
                    throw ValidationError("there is an entry \(name) already")
                }
                tokens.tokens.append(entry)
            }
            print(token.secret)
        }
    }

    /// `versiond token list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List names, rights, prefixes and expiries.")

        @OptionGroup var file: FileOption

        func run() async throws {
            let tokens = try TokenFile(file.file)
            for entry in tokens.entries {
                var words = [
                    entry.name ?? "(anonymous)", entry.rights.names.joined(separator: ","),
                    (entry.prefix ?? "") + "*",
                    entry.end.map { "until \($0.formatted(.iso8601))" } ?? "for ever",
                ]
                let count = entry.allSecrets.count
                if count > 1 { words.append("\(count) secrets") }
                print(words.joined(separator: "\t"))
            }
            for issuer in tokens.issuers {
                let words = [
                    issuer.name, issuer.rights.names.joined(separator: ","),
                    (issuer.prefix ?? "") + "*",
                    "signs with \(issuer.algorithm.rawValue)",
                    issuer.maxAge.map { "for \($0)" } ?? "for as long as it says",
                ]
                print(words.joined(separator: "\t"))
            }
            for revoked in tokens.revoked {
                print("\(revoked.issuer)\trevoked\t\(revoked.words)")
            }
        }
    }

    /// `versiond token remove`
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Take a token off the list.")

        @OptionGroup var file: FileOption

        @Argument(help: "Its name.")
        var name: String

        func run() async throws {
            try TokenFile.change(file.file, mayBeNew: false) { tokens in
                guard tokens.entries.contains(where: { $0.name == name }) else {
                    throw ValidationError("there is no entry \(name)")
                }
                tokens.tokens.removeAll { $0.name == name }
                tokens.users.removeAll { $0.name == name }
                if tokens.anonymous?.name == name { tokens.anonymous = nil }
            }
        }
    }
}

extension TokenCommand {
    /// A longer time is none: nobody waits for it, and no calendar need have its end.
    private static let secondsMax: TimeInterval = 100 * 366 * 86_400

    /// `12h` or `90d`, in seconds.
    static func seconds(_ text: String, mayBeNone: Bool = false) throws -> TimeInterval {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Double(text.dropLast()),
            number > 0 || mayBeNone && number == 0, number * unit <= secondsMax
        else { throw ValidationError("\(text) is no time like 12h or 90d") }
        return number * unit
    }
}
