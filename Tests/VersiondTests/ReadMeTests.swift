import Foundation
import TestSupport
import Testing

/// The console sessions of README and documentation run as written, each page on an empty daemon.
@Suite struct ReadMeTests {
    struct Step {
        let command: String
        var output: String
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The pages with sessions. `CommandLineManualTests` runs those of the command line.
    static let pages: [String] = {
        let folder = root.appending(path: "Documentation").path
        let all = FileManager.default.enumerator(atPath: folder)?.allObjects ?? []
        let names = all.compactMap { $0 as? String }.filter { $0.hasSuffix(".md") }.sorted()
        return (["README.md"] + names.map { "Documentation/\($0)" }).filter { name in
            let text = try? String(contentsOf: root.appending(path: name), encoding: .utf8)
            return !name.hasSuffix("CommandLine.md") && text?.contains("```console\n") == true
        }
    }()

    private func steps(of page: String) throws -> [Step] {
        let text = try String(
            contentsOf: ReadMeTests.root.appending(path: page), encoding: .utf8)
        var steps: [Step] = []
        var isConsole = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isConsole = line == "```console"
            } else if isConsole && line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2)), output: ""))
            } else if isConsole {
                steps[steps.count - 1].output += line + "\n"
            }
        }
        return steps
    }

    /// Times are the only thing that differs from one run to the next.
    private func timeless(_ text: String) -> String {
        text.replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, with: "TIME")
    }

    /// Where the daemon stores.
    enum Place: CaseIterable {
        case directory, database

        static var here: [Place] { PostgreSQLServer.isHere ? allCases : [.directory] }
    }

    @Test func `there are pages with sessions`() throws {
        #expect(ReadMeTests.pages.count >= 4)
        #expect(try steps(of: "Documentation/Guide/Tour.md").count > 40)
    }

    @Test(arguments: pages, Place.here)
    func `a session goes as the page says`(page: String, place: Place) throws {
        let directory = try TemporaryDirectory()
        let server = place == .database ? PostgreSQLServer.shared : nil
        let options = try server.map { ["--journal", try $0.newDatabase()] } ?? []
        let daemon = try DaemonProcess(directory: directory.path, options)
        let steps = try steps(of: page)
        let script = steps.map { $0.command + "\nprintf '\\036'\n" }.joined()
            .replacingOccurrences(of: "localhost:8080", with: "127.0.0.1:\(daemon.port)")
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", script]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let outputs = String(decoding: data, as: UTF8.self).split(
            separator: "\u{1e}", omittingEmptySubsequences: false)
        for (step, output) in zip(steps, outputs) {
            #expect(timeless(String(output)) == timeless(step.output), "\(page): $ \(step.command)")
        }
        #expect(outputs.count == steps.count + 1)
        #expect(daemon.terminate() == 0)
    }
}
