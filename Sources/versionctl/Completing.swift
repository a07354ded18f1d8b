import ArgumentParser
import HTTPCalling
import JSONTree

/// Completions of the shell. The daemon has a quarter of a second to return them.
enum Completing {
    /// Names of documents that begin as what is being typed; behind an `@` the document's tags.
    static let documents: @Sendable ([String], Int, String) -> [String] = { _, _, begun in
        guard let place = begun.lastIndex(of: "@") else { return offered(names(begun)) }
        let name = String(begun[..<place])
        return offered(states(of: name).map { "\(name)@\($0)" })
    }

    /// States of the document that is named before.
    static let states: @Sendable ([String], Int, String) -> [String] = { words, _, _ in
        // versionctl, the command, and its first argument.
        let arguments = words.dropFirst(2).filter { !$0.hasPrefix("-") }
        guard let document = arguments.first.flatMap({ DocumentAddress(argument: $0) }) else {
            return []
        }
        return offered(states(of: document.name))
    }

    /// Omits names with characters that a shell interprets. bash expands completions, so such a
    /// name could run a command on the machine of a user who presses the tab key.
    private static func offered(_ names: [String]) -> [String] {
        let plain = names.filter { name in
            name.first != "-" && name.first != "~"
                && name.unicodeScalars.allSatisfy {
                    $0.properties.isAlphabetic || $0.properties.numericType != nil
                        || "._-~/:@%+=,".unicodeScalars.contains($0)
                }
        }
        // zsh shows the text after a colon as a description.
        guard variable("SAP_SHELL") == "zsh" else { return plain }
        return plain.map { $0.split(separator: ":", omittingEmptySubsequences: false) }
            .map { $0.joined(separator: "\\:") }
    }

    private static func names(_ begun: String) -> [String] {
        let found = ask(target("/v1/documents", [("prefix", begun), ("limit", "50")]))
        return found?["documents"]?.elements?.compactMap { $0["document"]?.string } ?? []
    }

    private static func states(of name: String) -> [String] {
        let found = ask("/v1/documents/\(name.escaped)/tags")
        let tags = found?["tags"]?.elements?.compactMap { $0["tag"]?.string } ?? []
        return tags.map { "tag:\($0)" } + ["head"]
    }

    private static func ask(_ target: String) -> JSON? {
        Programs.end(afterMilliseconds: 250)
        guard let options = try? CommonOptions.parse([]),
            let session = try? Session(options, timeout: 1),
            let answer = try? session.raw(HTTPCall("GET", target)), answer.status == 200
        else { return JSON?.none }
        return try? JSON(reading: answer.body)
    }
}
