import Foundation
import JSONTree
import TestSupport
import Testing

/// Backup, restore, export and import, while a daemon continues.
@Suite struct TransferTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func path(_ name: String) -> String { directory.path + "/" + name }

    /// Lets a daemon store some changes; it is still there.
    private func daemon(_ count: Int) throws -> DaemonProcess {
        let daemon = try DaemonProcess(directory: path("data"))
        try write(count, to: daemon)
        return daemon
    }

    private func write(_ count: Int, to daemon: DaemonProcess) throws {
        let client = try daemon.connect()
        for number in 0..<count {
            let fields = ["Content-Type": "application/json", "Versiond-Actor": "ada"]
            let name = number % 3 == 0 ? "caf%C3%A9" : "menu"
            let response = try client.request(
                "PUT", "/v1/documents/\(name)?label=n%20\(number)", fields,
                body: #"{"n":\#(number),"text":"soup"}"#)
            #expect(response.status < 300)
        }
    }

    @discardableResult
    private func run(_ arguments: String...) throws -> String {
        let done = try DaemonProcess.run(arguments)
        #expect(done.status == 0, "\(arguments): \(done.output)")
        return done.output
    }

    private func export(_ name: String) throws -> String {
        try run("export", "--directory", path(name))
    }

    @Test func `a backup beside a running daemon is whole, and is what was stored`() throws {
        let daemon = try daemon(40)
        #expect(try run("check", "--directory", path("data")).contains("40 changes, 0 faults"))
        try run("backup", path("copy"), "--directory", path("data"))
        let before = try export("data")
        try write(10, to: daemon)
        #expect(daemon.terminate() == 0)
        #expect(try export("copy") == before)
        #expect(before.split(separator: "\n").count == 41)
        try run("check", "--directory", path("copy"))
        for name in ["copy", "copy/journal.sqlite", "copy/high-water"] {
            let mode = try FileManager.default.attributesOfItem(atPath: path(name))
            #expect((mode[.posixPermissions] as? Int ?? 0) & 0o077 == 0, "\(name)")
        }
        // Nothing is overwritten.
        let again = try DaemonProcess.run(["backup", path("copy"), "--directory", path("data")])
        #expect(again.status == 73)

        try run("restore", path("copy"), "--directory", path("restored"))
        let restored = try DaemonProcess(directory: path("restored"))
        let value = try restored.connect().request("GET", "/v1/documents/menu")
        #expect(try JSON(parsing: value.body)["n"] == 38)
        #expect(restored.terminate() == 0)
    }

    @Test func `a backup of which something is missing is not restored`() throws {
        let daemon = try daemon(20)
        try run("backup", path("copy"), "--directory", path("data"))
        #expect(daemon.terminate() == 0)
        try FileManager.default.removeItem(atPath: path("copy/high-water"))
        #expect(try DaemonProcess.run(["check", "--directory", path("copy")]).status == 65)
        let refused = try DaemonProcess.run(
            ["restore", path("copy"), "--directory", path("restored")])
        #expect(refused.status == 65)
        #expect(!FileManager.default.fileExists(atPath: path("restored")))
        #expect(!FileManager.default.fileExists(atPath: path("restored.partial")))
    }

    @Test func `A5: a backup with a flipped bit is never called ready, and leaves nothing`() throws
    {
        let daemon = try daemon(60)
        #expect(daemon.terminate() == 0)
        try run("pack", "--directory", path("data"))
        try run("backup", path("copy"), "--directory", path("data"))
        let whole = try export("copy")
        let file = URL(filePath: path("copy/journal.sqlite"))
        let bytes = try Data(contentsOf: file)
        var random = SeededGenerator(seed: 5)
        var refused = 0
        for _ in 0..<24 {
            var damaged = bytes
            let place = random.below(damaged.count)
            damaged[place] ^= 1 << UInt8(random.below(8))
            try damaged.write(to: file)
            let done = try DaemonProcess.run(
                ["restore", path("copy"), "--directory", path("restored")])
            if done.status == 0 {
                // The bit was in room that nothing uses.
                #expect(try export("restored") == whole, "byte \(place)")
                try run("check", "--directory", path("restored"))
                try FileManager.default.removeItem(atPath: path("restored"))
            } else {
                refused += 1
                #expect(done.status == 65 && !done.output.contains("ready"), "\(done.output)")
                #expect(!FileManager.default.fileExists(atPath: path("restored")))
                #expect(!FileManager.default.fileExists(atPath: path("restored.partial")))
            }
        }
        #expect(refused > 0)
        try bytes.write(to: file)
        #expect(
            try run("restore", "--quick", path("copy"), "--directory", path("restored"))
                .contains("is ready"))
    }

    @Test func `A13: a directory whose first start found no room is empty, not damaged`() throws {
        let first = try DaemonProcess.bash(
            "ulimit -f 4; \(Products.folder.path)/versiond serve --port 0 "
                + "--directory \(path("data"))")
        #expect(first.status != 0 && FileManager.default.fileExists(atPath: path("data")))
        let journal = path("data/journal.sqlite")
        if !FileManager.default.fileExists(atPath: journal) {
            _ = FileManager.default.createFile(atPath: journal, contents: nil)
        }
        #expect(try run("check", "--directory", path("data")).contains("0 faults"))
        for command in ["export", "dump"] {
            let refused = try DaemonProcess.run([command, "--directory", path("data"), "menu"])
            #expect(refused.output.contains("has no tables yet"), "\(refused.output)")
        }
        let backup = try DaemonProcess.run(["backup", path("copy"), "--directory", path("data")])
        #expect(backup.output.contains("has no tables yet"), "\(backup.output)")
        let daemon = try daemon(2)
        #expect(daemon.terminate() == 0)
        #expect(try run("check", "--directory", path("data")).contains("2 changes, 0 faults"))
    }

    @Test func `A16: an edited line of an export is refused, with its number`() throws {
        let daemon = try daemon(6)
        #expect(daemon.terminate() == 0)
        let lines = try export("data").split(separator: "\n").map(String.init)
        let edits = [
            ("patch", #""value":4"#, #""value":5"#),
            ("actor", #""actor":"ada""#, #""actor":"bob""#),
            ("kind", #""kind":""#, #""kind":"x"#), ("time", #""time":"2"#, #""time":"1"#),
            ("label", #""label":"n 4""#, #""label":"n 5""#), ("label", #""label":"n 4","#, ""),
        ]
        for (member, old, new) in edits {
            var copy = lines
            let number = 4
            copy[number] = copy[number].replacingOccurrences(of: old, with: new)
            #expect(copy[number] != lines[number], "\(member)")
            let file = path("edited")
            try Data((copy.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
            try? FileManager.default.removeItem(atPath: path("target"))
            let done = try DaemonProcess.run(["import", "--directory", path("target"), file])
            #expect(done.status == 65, "\(member)")
            #expect(done.output.contains("line 5: \(member) is not what"), "\(done.output)")
        }
        // A file that another program has rewritten is the same.
        let spaced = lines.map { $0.replacingOccurrences(of: #"","kind""#, with: #"" , "kind""#) }
        try Data((spaced.joined(separator: "\n") + "\n").utf8).write(
            to: URL(filePath: path("spaced")))
        try? FileManager.default.removeItem(atPath: path("target"))
        try run("import", "--directory", path("target"), path("spaced"))
    }

    @Test func `an export is imported elsewhere with the same chains, once`() throws {
        let daemon = try daemon(30)
        let first = try export("data")
        try write(12, to: daemon)
        #expect(daemon.terminate() == 0)
        try run("pack", "--directory", path("data"))
        let all = try export("data")
        let lines = first.split(separator: "\n")
        #expect(all.hasPrefix(lines.dropLast().joined(separator: "\n")), "packed or not")
        #expect(lines.last == #"{"end":true,"changes":30}"#)
        try Data(first.utf8).write(to: URL(filePath: path("first")))
        try Data(all.utf8).write(to: URL(filePath: path("all")))
        #expect(
            try run("import", "--directory", path("other"), path("first")).contains(
                "30 changes stored"))
        #expect(
            try run("import", "--directory", path("other"), path("all"))
                .contains("12 changes stored, 30 already known"))
        #expect(try export("other") == all)
        try run("check", "--directory", path("other"))
        let one = try run("export", "--directory", path("data"), "café")
        #expect(one.split(separator: "\n").count == 15)
        #expect(
            try DaemonProcess.run(["export", "--directory", path("data"), "none"]).status == 66)
    }

    @Test func `an import says which line does not fit, and keeps what came before it`() throws {
        let daemon = try daemon(9)
        #expect(daemon.terminate() == 0)
        let lines = try export("data").split(separator: "\n").map(String.init)
        func damaged(_ change: (inout [String]) -> Void) throws -> String {
            var copy = lines
            change(&copy)
            let file = path("damaged")
            try Data((copy.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
            try? FileManager.default.removeItem(atPath: path("target"))
            let done = try DaemonProcess.run(["import", "--directory", path("target"), file])
            #expect(done.status == 65)
            return done.output
        }
        #expect(try damaged { $0.remove(at: 4) }.contains("line 5: revision"))
        #expect(try damaged { $0[3] = "{}" }.contains("line 4: this is not a line of an export"))
        let changed = try damaged {
            $0[5] = $0[5].replacingOccurrences(of: #""bytes":"0b"#, with: #""bytes":"05"#)
        }
        #expect(changed.contains("line 6: "))
        #expect(
            try export("target") == lines[..<5].joined(separator: "\n")
                + "\n{\"end\":true,\"changes\":5}\n")
        let cut = try damaged { $0.removeLast(2) }
        #expect(cut.contains("incomplete") && cut.contains("8 changes stored"), "\(cut)")
        // Another document of the same name is not touched.
        let other = try DaemonProcess(directory: path("other"))
        _ = try other.connect().request(
            "PUT", "/v1/documents/menu", ["Content-Type": "application/json"], body: "1")
        #expect(other.terminate() == 0)
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(
            to: URL(filePath: path("all")))
        let taken = try DaemonProcess.run(["import", "--directory", path("other"), path("all")])
        #expect(taken.status == 65 && taken.output.contains("another document has the name menu"))
    }

    @Test func `all changes are downloaded, imported and the same; a cut download is noticed`()
        throws
    {
        let daemon = try daemon(700)
        let url = "http://127.0.0.1:\(daemon.port)/v1/export"
        #expect(try DaemonProcess.bash("curl -sS -o \(path("all")) \(url)").status == 0)
        #expect(daemon.terminate() == 0)
        let text = try String(contentsOfFile: path("all"), encoding: .utf8)
        #expect(try text == export("data"))
        try run("import", "--directory", path("other"), path("all"))
        #expect(try export("other") == text)
        try Data(text.utf8.prefix(text.utf8.count / 2)).write(to: URL(filePath: path("half")))
        let half = try DaemonProcess.run(["import", "--directory", path("third"), path("half")])
        #expect(half.status == 65)
    }
}
