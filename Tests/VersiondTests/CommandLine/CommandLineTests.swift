import Foundation
import JSONTree
import TestSupport
import Testing

/// The behaviour at a shell in error cases.
@Suite struct CommandLineTests {
    private struct Case: CustomTestStringConvertible {
        let line: String
        let status: Int
        let words: String
        var testDescription: String { line }

        init(_ status: Int, _ words: String, _ line: String) {
            (self.line, self.status, self.words) = (line, status, words)
        }
    }

    private static let cases = [
        Case(4, "The document nothing does not exist.", "versionctl get nothing"),
        Case(4, "Did you mean menu?", "versionctl get menus"),
        Case(4, "Version 99 does not exist.", "versionctl get menu@version:99"),
        Case(2, "revision 0", "versionctl set menu /n 1 --if-match 7"),
        Case(
            2, "test",
            "echo '[{\"op\":\"test\",\"path\":\"/n\",\"value\":7}]' | versionctl patch menu"),
        Case(65, "/n/x", "versionctl set menu n/x 1"),
        Case(65, "not valid JSON", "versionctl set menu /n '{'"),
        Case(64, "not a JSON Pointer", "versionctl set menu /~2 1"),
        Case(1, "No edit by zoe", "versionctl undo menu --as zoe"),
        Case(64, "Missing expected argument", "versionctl get"),
        Case(64, "--yes", "versionctl rm menu --purge"),
        Case(64, "not the address", "versionctl get menu -s ftp://x"),
        Case(4, "no unfinished edit", "versionctl edit menu --resume"),
        Case(4, "No such file", "versionctl put menu /no/such/file"),
        Case(69, "No daemon is reachable", "versionctl get menu -s http://127.0.0.1:1"),
        Case(69, "No daemon is reachable", "versionctl get menu -s http://no.such.host.invalid"),
        Case(69, "No daemon is reachable", "versionctl get menu -s unix:/no/socket"),
        Case(69, "No daemon is reachable", "versionctl watch -s http://127.0.0.1:1"),
        Case(4, "Cannot run", "versionctl run menu -m x -- /no/such/program"),
    ]

    @Test func `each trouble has its sentence and its status`() throws {
        let scene = try CommandLineScene()
        try scene.run("echo '{\"n\":1}' | versionctl put menu -q")
        let outputs = try scene.run(CommandLineTests.cases.map { "\($0.line); echo \"status $?\"" })
        for (case_, output) in zip(CommandLineTests.cases, outputs) {
            #expect(output.contains(case_.words), "\(case_.line): \(output)")
            #expect(output.hasSuffix("status \(case_.status)\n"), "\(case_.line): \(output)")
            #expect(output.hasPrefix("error: ") || output.hasPrefix("Error: "), "\(output)")
        }
    }

    @Test func `a token is needed, found in the environment or a file, and never shown`() throws {
        let tokens = try TemporaryDirectory()
        let file = tokens.path + "/tokens.json"
        let made = try DaemonProcess.run([
            "token", "create", "--file", file, "--name", "ada", "--allow", "read,write",
        ])
        let token = try #require(made.output.firstMatch(of: /vd_\S+/)).output
        let scene = try CommandLineScene(["--tokens", file])
        let without = try scene.run("versionctl ls; echo $?")
        #expect(
            without.contains("hint: Set VERSIOND_TOKEN") && without.hasSuffix("3\n"))
        try Data("\(token)\n".utf8).write(to: URL(filePath: tokens.path + "/mine"))
        let lines = [
            "echo 1 | VERSIOND_TOKEN=\(token) versionctl put menu",
            "versionctl set menu '' 2 --token-file \(tokens.path)/mine",
            "versionctl undo menu --token-file \(tokens.path)/mine",
            "versionctl get menu -v --token-file \(tokens.path)/mine",
            "versionctl rm menu --token-file \(tokens.path)/mine; echo $?",
        ]
        let outputs = try scene.run(lines)
        #expect(outputs[0] == "menu: revision 0, version 0\n")
        #expect(outputs[2].hasPrefix("menu: undid 1 change (1)"), "one is who the token says")
        #expect(outputs[3].contains("Bearer $VERSIOND_TOKEN") && !outputs[3].contains(token))
        #expect(outputs[4].contains("versionctl whoami") && outputs[4].hasSuffix("3\n"))
    }

    @Test func `a change whose answer is lost is sent again, and carried out once`() throws {
        let scene = try CommandLineScene()
        try scene.run("echo '{\"n\":[]}' | versionctl put menu")
        // The first two connections are closed before the answer comes back.
        let line = try LossyLine(to: scene.daemon.port, losing: 2)
        let told = try scene.run(
            "versionctl set menu /n/- 1 && versionctl get menu",
            ["VERSIOND_URL": "http://127.0.0.1:\(line.port)"])
        #expect(told == "menu: revision 1, version 1\n{\"n\":[1]}\n")
        #expect(line.lost == 2)
    }

    @Test func `a change that is never answered is unknown, and says so`() throws {
        let scene = try CommandLineScene()
        try scene.run("echo '{\"n\":[]}' | versionctl put menu")
        let line = try LossyLine(to: scene.daemon.port, losing: 100)
        let told = try scene.run(
            "versionctl unset menu /n; echo $?",
            ["VERSIOND_URL": "http://127.0.0.1:\(line.port)"])
        #expect(told.contains("The change may be stored") && told.hasSuffix("76\n"), "\(told)")
        #expect(try scene.run("versionctl log menu --changes --json | wc -l") == "2\n")
    }

    @Test func `the log shows who asked the actor for a change`() throws {
        let scene = try CommandLineScene()
        let lines = [
            "echo '{\"n\":1}' | versionctl put menu -q --as agent --prompt-by ada",
            "export VERSIOND_PROMPT_BY=bob",
            "versionctl run menu --as agent -- versionctl set menu /n 2 -q",
            "versionctl log menu --changes | grep -o 'agent.* for [a-z]*' | sed s/run-[0-9a-f]*/run/",
        ]
        #expect(
            try scene.run(lines.joined(separator: "\n"))
                == "agent/run for bob\nagent for ada\n")
        let shown = try scene.run(
            "versionctl log menu; versionctl show menu 0; versionctl blame menu")
        let (ada, bob) = (shown.split(separator: " for ada"), shown.split(separator: " for bob"))
        #expect(ada.count == 3 && bob.count == 3, "\(shown)")
    }

    @Test func `27: runs are listed, and one is reviewed`() throws {
        let scene = try CommandLineScene()
        let lines = [
            "echo '{\"n\":1,\"o\":{}}' | versionctl put menu -q --as ada",
            "versionctl set menu /n 2 -q --as agent/run-1 --prompt-by ada -m 'new n'",
            "versionctl set menu /o/x 1 -q --as agent/run-1",
            "versionctl set menu /o/x 5 -q --as bob",
            "versionctl tag menu lunch -q --as agent/run-1",
            "versionctl set other '' 1 -q --as agent/run-2 || versionctl put other -q --as agent/run-2",
        ]
        _ = try scene.run("echo 1 | (" + lines.joined(separator: "\n") + ")")
        let listed = try scene.run("versionctl runs").split(separator: "\n")
        #expect(listed.count == 2 && listed[0].hasPrefix("agent/run-2"))
        let first = String(listed.last ?? "")
        for word in ["agent/run-1", "2 edits", "1 document", "asked by ada", "new n"] {
            #expect(first.contains(word), "\(first)")
        }
        let some = try scene.run("versionctl runs --requested-by ada --json | grep -c agent/run-1")
        #expect(some == "1\n")
        let review = try scene.run("versionctl runs agent/run-1")
        #expect(review.contains("menu: changed “n” from 1 to 2"), "\(review)")
        #expect(review.contains("/n 2 -> 1"), "\(review)")
        #expect(review.contains("menu: tag, revision 4: not undone with the run"), "\(review)")
        #expect(try scene.run("versionctl runs no/run; echo $?").hasSuffix("4\n"))
    }

    @Test func `29: a restore point is set, listed, restored and deleted`() throws {
        let scene = try CommandLineScene()
        let lines = [
            "export VERSIOND_ACTOR=ada",
            "echo 1 | versionctl put a/menu -q; echo 1 | versionctl put b -q",
            "versionctl restore-point before --prefix a/ -m 'new prices'; versionctl restore-point",
            "echo 2 | versionctl put a/menu -q; echo 2 | versionctl put b -q",
            "echo 2 | versionctl put a/new -q; versionctl get a/menu@restore-point:before",
            "versionctl restore --to restore-point:before --dry-run; versionctl get a/menu",
            "versionctl restore --to restore-point:before; versionctl get a/menu; versionctl get b",
            "versionctl restore --to restore-point:before --delete-created; versionctl ls",
            "versionctl restore b restore-point:before -q; versionctl get b",
            "versionctl restore-point other --at restore-point:before --ttl 1d; "
                + "versionctl restore-point --json | grep -c restorePoint",
            "versionctl restore-point before -d; versionctl restore --to restore-point:before; "
                + "echo $?",
            "versionctl restore b --to 1h; echo $?; versionctl restore b; echo $?",
        ]
        let told = try scene.run(lines)
        #expect(told[2].contains("before is at cursor:2\n") || told[2].contains("cursor:3"))
        for word in ["ada", "a/", "new prices"] { #expect(told[2].contains(word), "\(told[2])") }
        #expect(told[4] == "1\n")
        #expect(told[5].contains("(not done)") && told[5].hasSuffix("\n2\n"), "\(told[5])")
        #expect(told[6].contains("a/new: created since"), "\(told[6])")
        #expect(told[6].hasSuffix("\n1\n2\n"), "a document outside the prefix stays: \(told[6])")
        #expect(told[7].contains("a/new: deleted") && !told[7].hasSuffix("a/new\n"), "\(told[7])")
        #expect(told[8] == "1\n")
        #expect(told[9].hasSuffix("\n2\n"), "\(told[9])")
        #expect(told[10].contains("does not exist") && told[10].hasSuffix("\n4\n"), "\(told[10])")
        #expect(told[11].split(separator: "\n").filter { $0 == "64" }.count == 2, "\(told[11])")
    }

    @Test func `18: a run is undone but for what is kept, and redone`() throws {
        let scene = try CommandLineScene()
        let lines = [
            "export VERSIOND_ACTOR=ada",
            "echo '{\"n\":1,\"m\":1}' | versionctl put a/menu -q; echo 1 | versionctl put b -q",
            "echo '{\"n\":2,\"m\":2}' | versionctl put a/menu -q --as agent/run-1",
            "echo 2 | versionctl put b -q --as agent/run-1",
            "versionctl runs undo agent/run-1 --keep a/menu/n --keep b --dry-run",
            "versionctl runs undo agent/run-1 --keep a/menu/n --keep b",
            "versionctl get a/menu; versionctl get b",
            "versionctl redo --prefix '' --by agent/run-1 -q; versionctl get a/menu",
            "versionctl undo b --by agent/run-1 -q; versionctl get b; versionctl get a/menu",
            "versionctl runs redo agent/run-1 -q; versionctl get b",
            "versionctl runs redo agent/run-1; echo $?",
            "versionctl runs undo agent/run-1 --keep no/such; echo $?",
            "versionctl undo b --by agent/run-1 --if-match 0; echo $?",
        ]
        let told = try scene.run(lines)
        #expect(told[4].hasSuffix("(not done)\n") && told[4].contains("a/menu"), "\(told[4])")
        #expect(told[5].contains("kept /n"), "\(told[5])")
        #expect(told[6] == "{\"n\":2,\"m\":1}\n2\n")
        #expect(told[7] == "{\"n\":2,\"m\":2}\n", "a redo over documents: \(told[7])")
        #expect(told[8] == "1\n{\"n\":2,\"m\":2}\n", "an undo in one document: \(told[8])")
        #expect(told[9] == "2\n" && told[10].hasSuffix("\n1\n"), "\(told[9...10])")
        #expect(told[11].contains("--keep menu/price") && told[11].hasSuffix("\n4\n"))
        #expect(told[12].hasSuffix("\n2\n"), "\(told[12])")
    }

    @Test func `text of an edit is lost in no way`() throws {
        let scene = try CommandLineScene()
        let state = scene.directory.path + "/home/.local/state/versionctl/menu-*.json"
        let lines = [
            "echo '{\"n\":1}' | versionctl put menu -q",
            // No JSON, twice: it opens again with the reason, and then keeps it.
            "EDITOR='sed -i s/1/one/' versionctl edit menu; echo $?",
            "head -1 \(state)",
            // No other program overwrites it.
            "versionctl edit menu; echo $?",
            "EDITOR='sed -i s/one/2/' versionctl edit menu --resume",
            "versionctl get menu; ls \(state) 2>&1",
            // An editor that fails, and a daemon that is away.
            "EDITOR='sh -c \"sed -i s/2/7/ \\$1; false\" x' versionctl edit menu; echo $?",
            "rm \(state)*; EDITOR='sed -i s/2/3/; true' versionctl edit menu -q; versionctl get menu",
        ]
        let outputs = try scene.run(lines)
        #expect(outputs[1].contains("not valid JSON") && outputs[1].contains("--resume"))
        #expect(outputs[1].hasSuffix("65\n") && outputs[2].hasPrefix("// "))
        #expect(outputs[3].contains("is not stored") && outputs[3].hasSuffix("2\n"))
        #expect(outputs[4].contains("revision 1"), "\(outputs[4])")
        #expect(outputs[5].hasPrefix("{\"n\":2}") && outputs[5].contains("No such file"))
        #expect(outputs[6].contains("Your text: /") && outputs[6].hasSuffix("74\n"))
    }

    @Test func `colors, indentation and the pager are for terminals`() throws {
        let scene = try CommandLineScene()
        try scene.run("echo '{\"dish\":\"soup\",\"n\":1}' | versionctl put menu -q")
        try scene.run("versionctl set menu /n 2 -q")
        let plain = try scene.run("versionctl log menu; versionctl get menu")
        #expect(!plain.contains("\u{1b}") && plain.hasSuffix("{\"dish\":\"soup\",\"n\":2}\n"))
        // In a pseudo-terminal.
        let seen = try scene.run("script -qec 'versionctl log menu; versionctl get menu' /dev/null")
        #expect(
            seen.contains("\u{1b}[32m@\u{1b}[0m") && seen.contains("{\r\n  \"dish\""),
            "\(seen.debugDescription)")
        let calm = try scene.run(
            "script -qec 'versionctl log menu' /dev/null", ["NO_COLOR": "1"])
        #expect(!calm.contains("\u{1b}[32m"))
        for number in 0..<30 { try scene.run("versionctl set menu /n \(number) -q") }
        let paged = try scene.run(
            "script -qec 'versionctl log menu' /dev/null", ["PAGER": "sed s/^/P:/"])
        #expect(paged.split(separator: "\n").allSatisfy { $0.hasPrefix("P:") }, "\(paged)")
        // The editor has the terminal.
        let editor = "sh -c 'test -t 0 && test -t 1 && sed -i s/soup/pie/ $0'"
        let edited = try scene.run(
            "script -qec 'versionctl edit menu' /dev/null", ["EDITOR": editor])
        #expect(edited.contains("→ \"pie\""), "\(edited)")
    }

    @Test func `commands, options, documents and tags are completed`() throws {
        let scene = try CommandLineScene()
        try scene.run("versionctl put menu --text -q </dev/null; versionctl tag menu lunch -q")
        #expect(try scene.offered("und") == "undo undelete\n")
        #expect(try scene.offered("undo menu --with").contains("--with-label"))
        #expect(try scene.offered("get m") == "menu\n")
        #expect(try scene.offered("goto menu ''") == "tag:lunch head\n")
        #expect(try scene.offered("get x") == "\n")
        // One that takes connections, and never answers.
        let silent = try LossyLine(to: scene.daemon.port, losing: 0, isSilent: true)
        let url = "http://127.0.0.1:\(silent.port)"
        #expect(try scene.offered("get m", ["VERSIOND_URL": url]) == "\n")
        #expect(try scene.offered("get m", ["VERSIOND_URL": "http://127.0.0.1:1"]) == "\n")
    }

    @Test func `it has the version of the daemon that it was made with`() throws {
        let scene = try CommandLineScene()
        #expect(try scene.run("versionctl --version") == scene.run("versiond --version"))
    }

    @Test func `watch goes on after the connection was cut, and misses nothing`() throws {
        let scene = try CommandLineScene()
        try scene.run("echo '{\"n\":0}' | versionctl put menu -q")
        let line = try LossyLine(to: scene.daemon.port, losing: 0)
        try scene.run(
            "behind 'versionctl watch menu --since 0 --json -s http://127.0.0.1:\(line.port) "
                + ">seen 2>said'; echo $! >watcher; await '[ -s seen ]'")
        line.cut(losing: 1)
        let numbers = try scene.run(
            """
            for n in 1 2 3; do versionctl set menu /n $n -q; done
            await 'grep -q value.:3 seen'; kill $(cat watcher)
            jq -r .change.revision seen | paste -sd,
            """)
        #expect(numbers == "0,1,2,3\n")
        #expect(try scene.run("cat said").contains("retrying in 1 s"))
    }
}
