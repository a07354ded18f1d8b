import Foundation
import JSONTree
import TestSupport
import Testing

/// Faults that a tester found at a shell: names, numbers, signals, shells.
@Suite struct CommandLineEdgeTests {
    private func scene(_ value: String = #"{"n":1}"#) throws -> CommandLineScene {
        let scene = try CommandLineScene()
        try scene.run("echo '\(value)' | versionctl put menu -q")
        return scene
    }

    /// Names and values

    @Test func `dots are a name, and lead nowhere else`() throws {
        let scene = try scene()
        // The daemon has no such names: what a proxy would make of them is another resource.
        for line in [
            "tag menu ..", "tag menu .", "snapshot menu ..", "snapshot menu .. -d", "get ..",
            "tag menu .. -d", "transaction show ..", "edit ..",
        ] {
            let told = try scene.run("versionctl \(line); echo $?; versionctl get menu")
            #expect(
                told.hasPrefix("error: ") && told.hasSuffix("65\n{\"n\":1}\n"), "\(line): \(told)")
        }
    }

    @Test func `an argument that is no UTF-8 is refused`() throws {
        let scene = try scene()
        let told = try scene.run("versionctl get $'menu\\xff'; echo $?")
        #expect(told.contains("Argument 2 is not valid UTF-8") && told.hasSuffix("64\n"))
    }

    @Test func `a number below zero is a value, and no option`() throws {
        let scene = try scene()
        #expect(
            try scene.run("versionctl set menu /n -5.50 -m cold -q; versionctl get menu")
                == "{\"n\":-5.50}\n")
    }

    @Test func `what is as deep as a document may be is stored, shown and watched`() throws {
        let scene = try scene()
        let deep = String(repeating: "[", count: 127) + String(repeating: "]", count: 127)
        let lines = [
            "echo '\(deep)' | versionctl put deep; echo $?",
            "versionctl watch deep --since 0 --once --json | grep -c '\(deep)'".replacing(
                "[", with: "\\["
            ).replacing("]", with: "\\]"),
        ]
        let told = try scene.run(lines)
        #expect(told == ["deep: revision 0, version 0\n0\n", "1\n"])
    }

    @Test func `a state where it means nothing is refused, and a name like one can be said`() throws
    {
        let scene = try scene()
        for line in [
            "set menu@0 /n 2", "undo menu@0", "log menu@0", "diff menu@0", "watch menu@0",
            "put menu@0 /dev/null", "edit menu@1h", "tag menu@0 x",
        ] {
            let told = try scene.run("versionctl \(line); echo $?")
            #expect(told.hasSuffix("64\n") && told.contains("menu@"), "\(line): \(told)")
        }
        let lines = [
            "echo 7 | versionctl put menu@7@head -q; versionctl get menu@7@head; versionctl ls",
            "versionctl tag menu a@b -q; versionctl get menu@tag:a@b",
            "versionctl get menu@0s",
        ]
        #expect(try scene.run(lines) == ["7\nmenu\nmenu@7\n", "{\"n\":1}\n", "{\"n\":1}\n"])
    }

    @Test func `watch shows each value as it was, and large ones at once`() throws {
        let scene = try scene()
        let lines = [
            "versionctl set menu /n 2 -q; versionctl set menu /n 3 -q",
            ": >values; behind 'versionctl watch menu --since 0 --value >values'; await '[ $(wc -l <values) = 3 ]'; cat values; kill $!",
            "head -c 3000000 /dev/zero | tr '\\0' x | versionctl put big --text -q",
            "timeout 60 versionctl watch big --since 0 --once --json | wc -c",
        ]
        let told = try scene.run(lines)
        #expect(told[1].hasPrefix("{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n"), "\(told[1])")
        #expect(Int(told[3].filter(\.isNumber)) ?? 0 > 3_000_000, "\(told[3])")
    }

    @Test func `what others have called something cannot lead a terminal`() throws {
        let scene = try scene()
        let told = try scene.run(
            "versionctl set menu /n 2 -q -m $'red\\e[31m\\nline\\u202e'; versionctl log menu"
        )
        #expect(told.contains("red\\u{1B}[31m\\nline") && !told.contains("\u{1b}"), "\(told)")
        #expect(!told.contains("\u{202e}"))
    }

    // MARK: Undo

    @Test func `one change is undone and redone by its revision`() throws {
        let scene = try scene()
        let lines = [
            "versionctl set menu /a 1 -q; versionctl set menu /b 1 -q",
            "versionctl undo menu --change 1 -q; versionctl get menu",
            "versionctl redo menu --change 1 -q; versionctl get menu",
            "versionctl undo menu --change 1 --by ada; echo $?",
            "versionctl undo menu -n 2; echo $?", "versionctl undo menu --to 0; echo $?",
            "versionctl undo menu --shared -n 2 -q; versionctl get menu",
        ]
        let told = try scene.run(lines)
        #expect(told[1] == "{\"n\":1,\"b\":1}\n", "\(told[1])")
        #expect(told[2].contains("\"a\":1"), "\(told[2])")
        for told in told[3...5] {
            #expect(told.hasPrefix("error: ") && told.hasSuffix("64\n"), "\(told)")
        }
        #expect(told[4].contains("--shared"))
        #expect(told[6] == "{\"n\":1}\n" || told[6].contains("n"), "\(told[6])")
    }

    @Test func `what would happen is said, also of a deletion`() throws {
        let scene = try scene()
        let lines = [
            "versionctl rm menu --dry-run", "versionctl get menu",
            "versionctl copy menu menu; echo $?",
            "versionctl copy menu dinner --if-match 3; echo $?",
            "versionctl draft start menu -q; versionctl draft start menu; echo $?",
            "versionctl transaction undo menu@0 --if-match 3; echo $?",
            "versionctl draft drop menu~ada --if-match 9; echo $?",
        ]
        let told = try scene.run(lines)
        #expect(told[0] == "menu: deleted (not done)\n" && told[1] == "{\"n\":1}\n")
        #expect(told[2].contains("The document menu already exists") && told[2].hasSuffix("2\n"))
        #expect(!told[3].hasSuffix("\n0\n"), "\(told[3])")
        #expect(told[4].contains("menu~ada already") && told[4].contains("draft status menu~ada"))
        #expect(told[5].contains("does not support") && told[5].hasSuffix("64\n"))
        #expect(told[6].hasSuffix("2\n"))
    }

    // MARK: run

    @Test func `what a run did is taken back, also when it is interrupted`() throws {
        let scene = try scene()
        let script = "versionctl set menu /a 1 -q; touch begun; sleep 6; touch ended"
        let lines = ["INT", "TERM", "HUP"].map { signal in
            """
            rm -f begun ended; exec 3>&-
            versionctl run menu -m try -- bash -c '\(script)' >told 2>&1 & id=$!
            await '[ -e begun ]'; kill -\(signal) $id; wait $id; echo $?; cat told
            versionctl get menu; ls ended 2>&1
            """
        }
        for (told, status) in zip(try scene.run(lines), [143, 143, 129]) {
            #expect(told.hasPrefix("\(status)\n"), "\(told)")
            #expect(
                told.contains("menu: undid 1 change") && told.contains("\n{\"n\":1}\n"), "\(told)")
            #expect(told.contains("No such file"), "the command ended, too: \(told)")
        }
    }

    @Test func `a document that a run made goes again, and what it undid is told`() throws {
        let scene = try scene()
        let lines = [
            "versionctl run new -- bash -c 'echo 1 | versionctl put new -q; false'; echo $?",
            "versionctl get new; echo $?",
            "versionctl set menu /n 2 -q",
            "versionctl run menu -- bash -c 'versionctl undo menu --shared -q; exit 7'; echo $?",
        ]
        let told = try scene.run(lines)
        #expect(
            told[0].contains("new: deleted") && told[0].hasSuffix("1\n"))
        #expect(told[1].hasSuffix("4\n"))
        #expect(told[3].contains("remain: revision 2") && told[3].hasSuffix("2\n"))
        #expect(told[3].contains("exited with 7"))
    }

    @Test func `what others built on is not taken back, and that is said`() throws {
        let scene = try scene(#"{"list":[]}"#)
        let script =
            "versionctl set menu /a '{}' -q; versionctl set menu /a/b 1 --as eve -q; exit 3"
        let told = try scene.run("versionctl run menu -- bash -c \"\(script)\"; echo $?")
        #expect(
            told.contains("The edits of the command remain") && told.contains("--conflict theirs"))
        #expect(told.hasSuffix("2\n") && !told.contains("undid"))
    }

    // MARK: edit

    @Test func `no editor holds an edit up, whatever it does`() throws {
        let scene = try scene()
        let lines = [
            // A script that always leaves the same.
            "echo '{' >bad; EDITOR='cp bad' versionctl edit menu; echo $?; rm -f home/.local/state/versionctl/*",
            "EDITOR=false versionctl edit menu; echo $?",
            "EDITOR=rm versionctl edit menu; echo $?",
            "EDITOR='sed -i s/1/2/' versionctl edit menu --dry-run; EDITOR=true versionctl edit menu --resume -q; versionctl get menu",
            "ls home/.local/state/versionctl",
        ]
        let told = try scene.run(lines)
        #expect(told[0].hasSuffix("65\n") && told[1].hasSuffix("74\n") && told[2].hasSuffix("1\n"))
        #expect(told[1].contains("changed nothing") && told[2].contains("Nothing was changed"))
        #expect(told[3].contains("--resume") && told[3].hasSuffix("{\"n\":2}\n"), "\(told[3])")
        #expect(told[4].isEmpty, "\(told[4])")
    }

    @Test func `each document, place and daemon has its own text`() throws {
        let scene = try scene(#"{"dish":{"a":1}}"#)
        let long = String(repeating: "long/", count: 50)
        let lines = [
            "echo '{\"a\":1}' | versionctl put menu/dish -q; echo 1 | versionctl put \(long) -q",
            "EDITOR='sed -i s/1/x/' versionctl edit menu /dish; echo $?",
            "EDITOR='sed -i s/1/2/' versionctl edit menu/dish -q; versionctl get menu/dish",
            "EDITOR='sed -i s/1/2/' versionctl edit \(long) -q; versionctl get \(long)",
            "versionctl edit menu/dish --resume; echo $?",
        ]
        let told = try scene.run(lines)
        #expect(
            told[1].contains("versionctl edit menu /dish --resume") && told[1].hasSuffix("65\n"))
        #expect(told[2] == "{\"a\":2}\n" && told[3] == "2\n" && told[4].hasSuffix("4\n"))
    }

    @Test func `two editors do not share a text, and no end of a line is added`() throws {
        let scene = try scene(#"{"note":"hello"}"#)
        let lines = [
            """
            echo '#!/bin/bash' >slow; echo 'touch open; while [ ! -e go ]; do sleep 0.05; done' >>slow
            echo 'sed -i s/hello/HELLO/ "$1"' >>slow; chmod +x slow
            behind 'env EDITOR=./slow versionctl edit menu /note --text -q'
            await '[ -e open ]'; EDITOR=true versionctl edit menu /note --text; echo $?
            touch go; await 'versionctl get menu | grep -q HELLO'; versionctl get menu
            """,
            "EDITOR='sed -i -e \\$a\\\\' versionctl edit menu /note --text; echo $?",
        ]
        let told = try scene.run(lines)
        #expect(told[0].contains("Another versionctl edits") && told[0].contains("2\n"))
        #expect(told[0].hasSuffix("{\"note\":\"HELLO\"}\n"))
        #expect(told[1].contains("Nothing was changed"), "\(told[1])")
    }

    // MARK: Servers, shells and files

    @Test func `a full disk is no success`() throws {
        let scene = try scene()
        for line in ["get menu", "ls", "log menu", "set menu /n 2"] {
            let told = try scene.run("versionctl \(line) >/dev/full; echo $?")
            #expect(told.contains("No space left") && told.hasSuffix("74\n"), "\(line): \(told)")
        }
    }

    @Test func `a server that is no versiond is told from one`() throws {
        let scene = try scene()
        let server = """
            python3 -c "
            import http.server, sys
            class H(http.server.BaseHTTPRequestHandler):
                def answer(self):
                    self.rfile.read(int(self.headers.get('Content-Length', 0)))
                    self.send_response(200); self.send_header('Content-Type', 'text/html')
                    self.send_header('Content-Length', '5'); self.end_headers()
                    self.wfile.write(b'<html')
                do_GET = do_PUT = do_POST = do_PATCH = answer
                def log_message(self, *_): pass
            s = http.server.HTTPServer(('127.0.0.1', 0), H)
            open('port', 'w').write(str(s.server_port)); s.serve_forever()" >/dev/null 2>&1 &
            server=$!; await '[ -s port ]'; export VERSIOND_URL=http://127.0.0.1:$(cat port)
            versionctl watch; echo "watch $?"; echo 1 | versionctl put menu; echo "put $?"
            versionctl get menu; echo "get $?"; kill -9 $server
            """
        let told = try scene.run(server)
        #expect(told.contains("watch 69\n") && told.contains("put 76\n"), "\(told)")
        #expect(told.contains("is not from versiond") && told.contains("get 74\n"))
    }

    @Test func `what something before the daemon says for a moment ends no watch and no call`()
        throws
    {
        let scene = try scene()
        // It answers by itself first, and then lets through.
        let before = """
            import http.server, sys, urllib.request
            said = [int(word) for word in sys.argv[2].split()]
            class Proxy(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    if said:
                        self.send_response(said.pop(0)); self.send_header("Content-Length", "0")
                        return self.end_headers()
                    accept = {"Accept": self.headers.get("Accept", "*/*")}
                    call = urllib.request.Request(sys.argv[1] + self.path, headers=accept)
                    with urllib.request.urlopen(call) as answer:
                        self.send_response(answer.status)
                        self.send_header("Content-Type", answer.headers["Content-Type"])
                        self.end_headers()
                        for line in answer: self.wfile.write(line); self.wfile.flush()
                do_HEAD = do_GET
                def log_message(self, *_): pass
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
            open(sys.argv[3], "w").write(str(server.server_port))
            server.serve_forever()
            """
        try Data(before.utf8).write(to: URL(filePath: scene.directory.path + "/before.py"))
        func past(_ said: String, _ command: String) throws -> String {
            try scene.run(
                """
                rm -f port; python3 before.py $VERSIOND_URL '\(said)' port >/dev/null 2>&1 &
                server=$!; await '[ -s port ]'; export VERSIOND_URL=http://127.0.0.1:$(cat port)
                timeout 60 \(command) 2>&1; echo ended $?; kill -9 $server
                """)
        }
        for status in [408, 425, 502, 503, 504] {
            let watch = "versionctl watch menu --since 0 --once --value"
            let heard = try past("\(status) \(status)", watch)
            #expect(heard.contains(#"{"n":1}"#) && heard.contains("ended 0"), "\(status): \(heard)")
        }
        let read = try past("502 408", "versionctl get menu")
        #expect(read.contains(#"{"n":1}"#) && read.contains("ended 0"), "\(read)")
        let never = try past("501 501", "versionctl watch menu --once")
        #expect(never.contains("ended 75"), "\(never)")
    }

    @Test func `a proxy that is used is named`() throws {
        let scene = try scene()
        let told = try scene.run(
            "versionctl get menu; echo $?",
            ["http_proxy": "http://127.0.0.1:1", "VERSIOND_URL": "http://docs.example"])
        #expect(
            told.contains("The proxy http://127.0.0.1:1") && told.contains("Change http_proxy"))
    }

    @Test func `a context is for its daemon, and is kept only if it can be used`() throws {
        let scene = try scene()
        let url = "http://127.0.0.1:\(scene.daemon.port)"
        let lines = [
            "versionctl context add bad ftp://x; echo $?",
            "versionctl context add bad \(url) --token-file no-such-file; echo $?",
            "echo secret >mine; versionctl context add work \(url) --token-file mine; cd /; versionctl ls -v",
            // Its token is not shown to another daemon.
            "cd /; VERSIOND_URL=\(url) versionctl ls -v",
            "cd \(scene.directory.path); echo '{' >home/.config/versionctl/config.json; versionctl ls -s \(url); versionctl ls; echo $?",
        ]
        let told = try scene.run(lines, ["VERSIOND_URL": ""])
        #expect(told[0].hasSuffix("64\n") && told[1].hasSuffix("4\n"))
        #expect(told[2].contains("Authorization") && !told[3].contains("Authorization"), "\(told)")
        #expect(told[4].contains("menu\n") && told[4].hasSuffix("65\n"), "\(told[4])")
    }

    @Test func `a daemon starts where a shell has the variables of the command line`() throws {
        let directory = try TemporaryDirectory()
        let told = try DaemonProcess.bash(
            """
            export VERSIOND_URL=http://x VERSIOND_TOKEN=x VERSIOND_ACTOR=x VERSIOND_LABEL=x
            export VERSIOND_PROMPT_BY=x
            \(Products.folder.path)/versiond config check --directory \(directory.path)
            """)
        #expect(told.status == 0 && told.output.contains("valid"), "\(told.output)")
    }

    @Test func `names that mean something to a shell are not offered to it`() throws {
        let scene = try scene()
        let names = [
            "m$(touch hacked)", "m`touch hacked`", "m x", "m;x", "m'x", "m\"x", "m:x", "mü",
        ]
        let put = names.map { name in
            "echo 1 | versionctl put \(name.shellQuoted) -q"
        }
        try scene.run(put.joined(separator: "\n"))
        #expect(try scene.offered("get m") == "m:x menu mü\n")
        #expect(try scene.run("ls hacked 2>&1").contains("No such file"))
    }
}

extension String {
    fileprivate var shellQuoted: String {
        "'" + replacing("'", with: "'\\''") + "'"
    }
}
