import JSONTree
import TestSupport

/// `Reference/CommandLine.md`, from the description that ArgumentParser makes of a program.
struct CommandLinePage {
    private let root: JSON
    /// Options that most commands have, which are listed once.
    private let common: [JSON]

    /// From the output of `--experimental-dump-help`.
    init(_ help: String) throws {
        root = try JSON(parsing: Array(help.utf8))["command"] ?? [:]
        let commands = CommandLinePage.commands(below: root).filter {
            $0.command["subcommands"] == nil
        }
        let all = commands.map { CommandLinePage.arguments(of: $0.command) }
        common = (all.max { $0.count < $1.count } ?? []).filter { argument in
            all.count { $0.contains(argument) } > commands.count / 2
        }
    }

    var text: String {
        let name = root["commandName"]?.string ?? ""
        let options = table(common)
        let shared = options.isEmpty ? "" : "\n\nOptions of most commands:\n\n" + options
        let sections = CommandLinePage.commands(below: root).map { path, command in
            "### \(path)\n\n" + describe(command)
        }
        return "## \(name)\n\n\(CommandLinePage.prose(root))\(shared)\n"
            + sections.joined(separator: "\n")
    }

    private static func commands(below command: JSON) -> [(path: String, command: JSON)] {
        let name = command["commandName"]?.string ?? ""
        return (command["subcommands"]?.elements ?? []).flatMap { below in
            let path = "\(name) \(below["commandName"]?.string ?? "")"
            if path.hasSuffix(" help") { return [(path: String, command: JSON)]() }
            let inner = commands(below: below).map {
                (path: "\(name) \($0.path)", command: $0.command)
            }
            return [(path: path, command: below)] + inner
        }
    }

    /// The abstract and the discussion; indented lines are code.
    private static func prose(_ command: JSON) -> String {
        let discussion = command["discussion"]?.string.map { "\n\n" + $0 } ?? ""
        return (command["abstract"]?.string ?? "") + discussion.replacing("\n  ", with: "\n    ")
    }

    private static func arguments(of command: JSON) -> [JSON] {
        (command["arguments"]?.elements ?? []).filter { $0["shouldDisplay"] != false }
    }

    private func describe(_ command: JSON) -> String {
        let own = CommandLinePage.arguments(of: command).filter { !common.contains($0) }
        let options = table(own)
        return CommandLinePage.prose(command) + "\n" + (options.isEmpty ? "" : "\n" + options)
    }

    private func table(_ arguments: [JSON]) -> String {
        let rows = arguments.map { argument in
            let value = argument["valueName"]?.string ?? ""
            let names = (argument["names"]?.elements ?? []).map { name in
                (name["kind"] == "long" ? "--" : "-") + (name["name"]?.string ?? "")
            }
            let isOption = argument["kind"] == "option"
            let name = names.isEmpty ? "<\(value)>" : names.joined(separator: ", ")
            let shown = argument["defaultValue"]?.string.map { "`\($0)`" } ?? ""
            let note = argument["isOptional"] == false && shown.isEmpty ? "required" : shown
            return [
                "`\(name)\(isOption ? " <\(value)>" : "")`", argument["kind"] == "flag" ? "" : note,
                argument["abstract"]?.string ?? "",
            ]
        }
        return ReferencePage.table(["argument", "default", "meaning"], rows)
    }
}
