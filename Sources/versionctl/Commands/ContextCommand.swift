import ArgumentParser
import Glibc
import HTTPCalling

/// `context`.
struct ContextCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "context", abstract: "Keep daemons by names.",
        discussion:
            "Example: versionctl context add work https://docs.example --token-file ~/.token",
        subcommands: [ContextAdd.self, ContextUse.self, ContextList.self, ContextRemove.self])
}

struct ContextAdd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Keep a daemon, and use it from now on.",
        discussion: "Example: versionctl context add work https://docs.example --as ada")

    @Argument(help: "A name for it.") var name: String
    @Argument(help: "Its address.") var server: String
    @Option(help: "The file with its token.") var tokenFile: String?
    @Option(name: .customLong("as"), help: "Who you are there.") var actor: String?

    func run() throws {
        guard ServerAddress(server) != nil else { throw Session.noAddress(server) }
        // It is used wherever versionctl is called.
        let file = tokenFile.map(Files.absolute)
        if let file { _ = try Files.read(file) }
        var contexts = try Contexts.read()
        contexts[name] = Contexts.Context(server: server, tokenFile: file, actor: actor)
        contexts.current = name
        try contexts.write()
    }
}

struct ContextUse: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use", abstract: "Use another daemon from now on.",
        discussion: "Example: versionctl context use work")

    @Argument(help: "Its name.") var name: String

    func run() throws {
        var contexts = try Contexts.read()
        guard contexts[name] != nil else { throw Contexts.unknown(name, contexts) }
        contexts.current = name
        try contexts.write()
    }
}

struct ContextList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show all that are kept; the one that is used has a star.",
        discussion: "Example: versionctl context list")

    func run() throws {
        let contexts = try Contexts.read()
        let rows = contexts.all.map { name, context in
            [name == contexts.current ? "*" : " ", name, context.server, context.actor ?? ""]
        }
        let text = Table.lines(rows).map { $0 + "\n" }.joined()
        Files.write(Array(text.utf8), to: STDOUT_FILENO)
    }
}

struct ContextRemove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget one.",
        discussion: "Example: versionctl context remove work")

    @Argument(help: "Its name.") var name: String

    func run() throws {
        var contexts = try Contexts.read()
        guard contexts[name] != nil else { throw Contexts.unknown(name, contexts) }
        contexts[name] = nil
        if contexts.current == name { contexts.current = nil }
        try contexts.write()
    }
}

extension Contexts {
    fileprivate static func unknown(_ name: String, _ contexts: Contexts) -> Trouble {
        let names = contexts.all.map(\.name).joined(separator: ", ")
        return Trouble(
            .notThere, "There is no context \(name).",
            hint: names.isEmpty ? "versionctl context add \(name) URL" : "There are: \(names)")
    }
}
