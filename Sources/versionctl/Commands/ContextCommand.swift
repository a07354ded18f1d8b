import ArgumentParser
import Glibc
import HTTPCalling

/// `context`.
struct ContextCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "context", abstract: "Store the addresses of daemons by name.",
        discussion:
            "Example: versionctl context add work https://docs.example --token-file ~/.token",
        subcommands: [ContextAdd.self, ContextUse.self, ContextList.self, ContextRemove.self])
}

struct ContextAdd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a context and make it current.",
        discussion: "Example: versionctl context add work https://docs.example --as ada")

    @Argument(help: "The name of the context.") var name: String
    @Argument(help: "The address of the daemon.") var server: String
    @Option(help: "The file with the token.") var tokenFile: String?
    @Option(name: .customLong("as"), help: "The actor.") var actor: String?

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
        commandName: "use", abstract: "Make another context current.",
        discussion: "Example: versionctl context use work")

    @Argument(help: "The name of the context.") var name: String

    func run() throws {
        var contexts = try Contexts.read()
        guard contexts[name] != nil else { throw Contexts.unknown(name, contexts) }
        contexts.current = name
        try contexts.write()
    }
}

struct ContextList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the contexts; a star marks the current one.",
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
        commandName: "remove", abstract: "Remove a context.",
        discussion: "Example: versionctl context remove work")

    @Argument(help: "The name of the context.") var name: String

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
            .notThere, "The context \(name) does not exist.",
            hint: names.isEmpty ? "versionctl context add \(name) URL" : "Contexts: \(names)")
    }
}
