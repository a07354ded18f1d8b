import AccessControl
import ArgumentParser
import Foundation
import Signatures

/// `versiond token`: makes, lists and removes tokens.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Create, rotate, list and remove tokens.",
        discussion: """
            A running daemon reloads the file on SIGHUP (systemctl reload versiond).
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
            abstract: "Create a token and print its secret once; the file has only its hash.")

        @OptionGroup var file: FileOption

        @Option(help: "The name of the token, which is the actor of its changes.")
        var name: String

        @Option(
            help: "The rights, separated by commas: \(Rights.allNames.joined(separator: ", ")).")
        var allow = "read,write"

        @Option(help: "Limits the token to documents with this prefix.")
        var prefix = ""

        @Option(help: "The lifetime of the token, like 12h or 90d (default: forever).")
        var expires: String?

        @Option(help: "The request rate, like 100/10s (default: no limit).")
        var rate: String?

        func run() async throws {
            guard Grant.isReadable(name) else {
                throw ValidationError("the name must have visible characters only")
            }
            let token = Token()
            let entry = TokenFile.Entry(
                name: name, hash: Token.hash(of: token.secret),
                expires: try expires.map { Date() + (try TokenCommand.seconds($0)) },
                rights: try TokenFile.rights(allow.split(separator: ",").map(String.init)),
                prefix: prefix.isEmpty ? nil : prefix, rate: try rate.map(TokenFile.rate))
            try TokenFile.change(file.file, mayBeNew: true) { tokens in
                guard !tokens.entries.contains(where: { $0.name == name }) else {
                    throw ValidationError("the entry \(name) already exists")
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
                    entry.end.map { "until \($0.formatted(.iso8601))" } ?? "forever",
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
                    issuer.maxAge.map { "for \($0)" } ?? "until exp",
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
        static let configuration = CommandConfiguration(abstract: "Remove a token.")

        @OptionGroup var file: FileOption

        @Argument(help: "The name of the token.")
        var name: String

        func run() async throws {
            try TokenFile.change(file.file, mayBeNew: false) { tokens in
                guard tokens.entries.contains(where: { $0.name == name }) else {
                    throw ValidationError("the entry \(name) does not exist")
                }
                tokens.tokens.removeAll { $0.name == name }
                tokens.users.removeAll { $0.name == name }
                if tokens.anonymous?.name == name { tokens.anonymous = nil }
            }
        }
    }
}

extension TokenCommand {
    /// The longest duration, so that the end is a valid date.
    private static let secondsMax: TimeInterval = 100 * 366 * 86_400

    /// `12h` or `90d`, in seconds.
    static func seconds(_ text: String, mayBeNone: Bool = false) throws -> TimeInterval {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Double(text.dropLast()),
            number > 0 || mayBeNone && number == 0, number * unit <= secondsMax
        else { throw ValidationError("\(text) is not a duration like 12h or 90d") }
        return number * unit
    }
}
