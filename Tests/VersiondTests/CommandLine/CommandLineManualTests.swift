import Foundation
import TestSupport
import Testing

/// The examples of the command line's manual match its output.
@Suite struct CommandLineManualTests {
    private struct Step {
        let command: String
        var output = ""
    }

    private func steps() throws -> [Step] {
        let manual = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Documentation/Guide/CommandLine.md")
        var steps: [Step] = []
        var isConsole = false
        for line in try String(contentsOf: manual, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            if line.hasPrefix("```") {
                isConsole = line == "```console"
            } else if isConsole, line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
            } else if isConsole {
                steps[steps.count - 1].output += line + "\n"
            }
        }
        return steps
    }

    @Test func `each session goes as the manual says`() throws {
        let scene = try CommandLineScene()
        let steps = try steps()
        #expect(steps.count > 50)
        let outputs = try scene.run(steps.map(\.command))
        #expect(outputs.count == steps.count)
        for (step, output) in zip(steps, outputs) {
            // The parts that differ from one run to the next.
            let found = output.replacing(/\b\d\d:\d\d\b/, with: "14:05")
                .replacing(/run-[0-9a-f]{8}/, with: "run-5f2c81aa")
                .replacing(/menu-[0-9a-f]{8}\.json/, with: "menu-5f2c81aa.json")
                .replacingOccurrences(of: scene.directory.path + "/home", with: "~")
                .replacingOccurrences(of: "127.0.0.1:\(scene.daemon.port)", with: "localhost:8080")
            #expect(found == step.output, "$ \(step.command)")
        }
    }

    @Test func `the manual page has every command, also those below others`() throws {
        let scene = try CommandLineScene()
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Scripts/man").standardizedFileURL.path
        let page = try scene.run("\(script) \(Products.folder.path)/versionctl")
        let help = try scene.run("versionctl --help")
        let commands = help.matches(of: /\n  ([a-z][a-z-]*) {2,}\S/).map { String($0.output.1) }
        for command in commands + ["draft merge", "context add", "transaction undo", "runs redo"] {
            #expect(page.contains(".SS versionctl \(command)\n"), "\(command)")
        }
        #expect(page.contains(".B VERSIOND_TOKEN\n") && page.contains(".SH EXIT STATUS"))
    }

    @Test func `every command has its help, with its options and an example`() throws {
        let scene = try CommandLineScene()
        let names = /\n  ([a-z][a-z-]*) {2,}\S/
        var commands = try scene.run("versionctl --help").matches(of: names)
            .map { String($0.output.1) }
        #expect(commands.count > 30)
        for command in commands {
            let help = try scene.run("versionctl help \(command)")
            guard let below = help.range(of: "SUBCOMMANDS:") else { continue }
            commands += help[below.lowerBound...].matches(of: names)
                .map { "\(command) \($0.output.1)" }
        }
        let texts = try scene.run(commands.map { "versionctl help \($0)" })
        for (command, text) in zip(commands, texts) {
            let parts = text.components(separatedBy: "\nUSAGE: ")
            #expect(parts.count == 2 && parts[0].hasPrefix("OVERVIEW: "), "\(command)")
            #expect(parts[1].hasPrefix("versionctl \(command)"), "\(command)")
            let words = parts[0].split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains("versionctl \(command)"), "\(command) has no example")
        }
    }
}
