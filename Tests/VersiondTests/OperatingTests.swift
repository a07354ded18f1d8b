import Foundation
import JSONTree
import TestSupport
import Testing

/// The real daemon with tokens, sockets, keys, logs and metrics.
@Suite struct OperatingTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var tokens: String { directory.path + "/tokens.json" }

    private func token(_ arguments: String...) throws -> String {
        let made = try DaemonProcess.run(["token", "create", "--file", tokens] + arguments)
        #expect(made.status == 0, "\(made.output)")
        return made.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func start(_ more: [String] = [], environment: [String: String] = [:]) throws
        -> DaemonProcess
    {
        try DaemonProcess(directory: directory.path + "/data", more, environment: environment)
    }

    @Test func `tokens are made, listed, removed, and read anew by SIGHUP`() throws {
        let ada = try token("--name", "ada", "--allow", "read,write", "--expires", "90d")
        #expect(
            try ada.hasPrefix("vd_")
                && !(String(contentsOfFile: tokens, encoding: .utf8)).contains(ada))
        let mode =
            try FileManager.default.attributesOfItem(atPath: tokens)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let daemon = try start(["--tokens", tokens])
        let client = try daemon.connect()
        func status(_ token: String) throws -> Int {
            try client.request("GET", "/v1/documents", ["Authorization": "Bearer \(token)"]).status
        }
        #expect(try client.request("GET", "/v1/documents").status == 401)
        #expect(try status(ada) == 200)
        let ci = try token("--name", "ci", "--prefix", "builds/", "--rate", "100/10s")
        #expect(
            try DaemonProcess.run(["token", "list", "--file", tokens]).output.contains(
                "ci\tread,write\tbuilds/*\tforever"))
        #expect(try DaemonProcess.run(["token", "remove", "--file", tokens, "ada"]).status == 0)
        #expect(
            try status(ada) == 200 && status(ci) == 401, "nothing is read before it is asked for")
        daemon.signal(SIGHUP)
        try until { try status(ci) == 200 }
        #expect(try status(ada) == 401)
        try Data("{".utf8).write(to: URL(filePath: tokens))
        daemon.signal(SIGHUP)
        try until { daemon.log.contains("stay in force") }
        #expect(try status(ci) == 200)
        #expect(daemon.terminate() == 0)
    }

    @Test func `what others could read is told, and what is stored they cannot (D18)`() throws {
        _ = try token("--name", "ada")
        let files = FileManager.default
        func mode(_ path: String) throws -> Int? {
            try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: tokens)
        let daemon = try start(["--tokens", tokens])
        try until { daemon.log.contains("chmod 600") }
        let data = directory.path + "/data"
        #expect(try mode(data) == 0o700)
        for name in try files.contentsOfDirectory(atPath: data) {
            #expect(try mode(data + "/" + name) == 0o600, "\(name)")
        }
        #expect(daemon.terminate() == 0)
    }

    @Test(arguments: [
        ["--allow", "fly"], ["--expires", "soon"], ["--rate", "many"], ["--allow", ""],
    ])
    func `what is no token is not made`(arguments: [String]) throws {
        let refused = try DaemonProcess.run(
            ["token", "create", "--file", tokens, "--name", "a"] + arguments)
        #expect(refused.status == 64 && !FileManager.default.fileExists(atPath: tokens))
    }

    @Test(arguments: ["", String(repeating: "n", count: 300), "a\nb", "a\u{202e}b"])
    func `V6: a name that the daemon would refuse is not written`(name: String) throws {
        _ = try token("--name", "ada")
        let before = try String(contentsOfFile: tokens, encoding: .utf8)
        let refused = try DaemonProcess.run([
            "token", "create", "--file", tokens, "--name", name,
        ])
        #expect(refused.status == 64, "\(refused.output)")
        #expect(try String(contentsOfFile: tokens, encoding: .utf8) == before)
        let daemon = try start(["--tokens", tokens])
        #expect(daemon.terminate() == 0)
    }

    @Test(arguments: [nil, "", "{", "[]", #"{"tokens":[{"name":"a"}]}"#])
    func `N13: a file of tokens that is not there, or is none, is 78 and a sentence`(
        text: String?
    ) throws {
        if let text { try Data(text.utf8).write(to: URL(filePath: tokens)) }
        let refused = try DaemonProcess.run([
            "serve", "--port", "0", "--directory", directory.path + "/data", "--tokens", tokens,
        ])
        #expect(refused.status == 78, "\(refused.output)")
        #expect(refused.output.contains(tokens) && !refused.output.contains("NSCocoa"))
        #expect(!refused.output.contains("USAGE"))
    }

    @Test func `V12: a backup that cannot be made says so in a sentence`() throws {
        let daemon = try start()
        #expect(daemon.terminate() == 0)
        let refused = try DaemonProcess.run([
            "backup", "--directory", directory.path + "/data", "/proc/x",
        ])
        #expect(refused.status == 73, "\(refused.output)")
        #expect(refused.output.hasPrefix("versiond: cannot create /proc/x.partial: "))
        #expect(!refused.output.contains("Domain") && refused.output.utf8.count < 120)
    }

    private static let threadGroups = "/sys/fs/cgroup/pids"

    @Test(
        .enabled(
            if: FileManager.default.isWritableFile(atPath: threadGroups + "/cgroup.procs"),
            "no control groups of threads here"),
        arguments: [2, 3, 4, 5, 8])
    func `V8, A18: where there are too few threads, a sentence says so`(limit: Int) throws {
        let group = OperatingTests.threadGroups + "/versiond-test-\(getpid())-\(limit)"
        let ended = try DaemonProcess.bash(
            """
            mkdir \(group) && echo \(limit) > \(group)/pids.max || exit 77
            ( echo $BASHPID > \(group)/cgroup.procs
              exec timeout 20 \(Products.folder.path)/versiond serve --port 0 \
                --directory \(directory.path)/data )
            status=$?; rmdir \(group); exit $status
            """)
        #expect(ended.status == 74, "\(ended.output)")
        #expect(ended.output.contains("versiond: no thread can be started: "))
    }

    /// Files that root makes for the daemon's user can be opened by that user.
    @Test(.enabled(if: getuid() == 0, "only root can"))
    func `N1: what root makes in the daemon's directory belongs to whom the directory belongs`()
        throws
    {
        let (data, nobody) = (directory.path + "/data", uid_t(65_534))
        let daemon = try start()
        let line = try DaemonProcess.bash(
            "curl -sS -X PUT -H 'Content-Type: application/json' -d '[1]' "
                + "http://127.0.0.1:\(daemon.port)/v1/documents/d")
        #expect(line.status == 0)
        #expect(daemon.terminate() == 0)
        func give() throws {
            #expect(try DaemonProcess.bash("chown -R 65534:65534 \(data)").status == 0)
        }
        let tools: [[String]] = [
            ["pack", "--directory", data], ["check", "--directory", data],
            ["export", "--directory", data], ["purge", "--directory", data, "--path", "/*", "d"],
        ]
        for tool in tools {
            try give()
            let done = try DaemonProcess.run(tool)
            #expect(done.status == 0, "\(tool): \(done.output)")
            try expectAll(in: data, belongTo: nobody, "\(tool)")
        }
        try give()
        let second = try start()
        #expect(second.terminate() == 0)
        try expectAll(in: data, belongTo: nobody, "serve")
    }

    private func expectAll(in path: String, belongTo user: uid_t, _ what: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
            #expect(attributes[.ownerAccountID] as? Int == Int(user), "\(what): \(name)")
        }
    }

    @Test func `without tokens the daemon listens on loopback only, unless it is told so`() throws {
        let refused = try DaemonProcess.run([
            "serve", "--host", "0.0.0.0", "--port", "0", "--directory", directory.path + "/data",
        ])
        #expect(refused.status == 78 && refused.output.contains("openAccess"))
        let daemon = try DaemonProcess(
            directory: directory.path + "/data", ["--host", "127.0.0.1", "--open-access"])
        #expect(daemon.terminate() == 0)
    }

    @Test func `a local socket serves the users of this machine, as the kernel names them`() throws
    {
        _ = try token("--name", "ada")
        let socket = directory.path + "/versiond.sock"
        let daemon = try start(["--tokens", tokens, "--socket", socket])
        let made = try DaemonProcess.bash(
            "curl -sS --unix-socket \(socket) -X PUT -H 'Content-Type: application/json' -d 1 http://localhost/v1/documents/d"
        )
        #expect(made.output.contains(#""kind":"create""#), "\(made.output)")
        #expect(try daemon.connect().request("GET", "/v1/documents/d").status == 401, "only there")
        let mode =
            try FileManager.default.attributesOfItem(atPath: socket)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        daemon.kill()
        let second = try start(["--socket", socket])
        #expect(
            try DaemonProcess.bash(
                "curl -sS --unix-socket \(socket) http://localhost/v1/documents/d"
            ).output == "1\n")
        #expect(second.terminate() == 0)
    }

    @Test
    func
        `13: a request that was answered before the plug was pulled is answered again, and happens once`()
        throws
    {
        let fields = ["Content-Type": "application/json-patch+json", "Idempotency-Key": "once"]
        let patch = #"[{"op":"add","path":"/-","value":1}]"#
        var daemon = try start()
        _ = try daemon.connect().request(
            "PUT", "/v1/documents/d", ["Content-Type": "application/json"], body: "[]")
        let first = try daemon.connect().request("PATCH", "/v1/documents/d", fields, body: patch)
        daemon.kill()
        daemon = try start()
        let again = try daemon.connect().request("PATCH", "/v1/documents/d", fields, body: patch)
        #expect(again["idempotent-replayed"] == "true" && again.body == first.body)
        #expect(try daemon.connect().request("GET", "/v1/documents/d").text == "[1]\n")
        #expect(daemon.terminate() == 0)
    }

    @Test func `a file that is no socket stays, and a port that is taken is not shared`() throws {
        let file = directory.path + "/precious"
        try Data("precious".utf8).write(to: URL(filePath: file))
        let refused = try DaemonProcess.run([
            "serve", "--port", "0", "--directory", directory.path + "/a", "--socket", file,
        ])
        #expect(refused.status != 0)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
        let daemon = try start()
        let second = try DaemonProcess.run([
            "serve", "--port", "\(daemon.port)", "--directory", directory.path + "/b",
        ])
        #expect(second.status != 0 && second.output.contains("in use"))
        #expect(daemon.terminate() == 0)
    }

    @Test func `tokens that are made at the same time are all kept`() throws {
        let made = try DaemonProcess.bash(
            "for n in 1 2 3 4 5 6; do \(Products.folder.path)/versiond token create --file \(tokens) --name n$n & done; wait"
        )
        #expect(made.output.split(separator: "\n").count == 6)
        #expect(
            try DaemonProcess.run(["token", "list", "--file", tokens]).output.split(separator: "\n")
                .count == 6)
    }

    @Test func `a misspelt setting in the environment is an error`() throws {
        let refused = try DaemonProcess.bash(
            "VERSIOND_TOKNS=x timeout 30 \(Products.folder.path)/versiond serve --port 0 --directory \(directory.path)/d"
        )
        #expect(refused.status == 78 && refused.output.contains("VERSIOND_TOKNS"))
    }

    @Test func `what Kubernetes tells of a service with our name is passed over`() throws {
        let daemon = try start(environment: [
            "VERSIOND_SERVICE_HOST": "10.0.0.1", "VERSIOND_PORT": "tcp://10.0.0.1:8080",
            "VERSIOND_PORT_8080_TCP_ADDR": "10.0.0.1",
            "VERSIOND_METRICS_SERVICE_HOST": "10.0.0.2",
            "VERSIOND_METRICS_PORT": "tcp://10.0.0.2:80",
        ])
        #expect(try daemon.connect().request("GET", "/v1").status == 200)
    }

    @Test func `a daemon that cannot start says why in one sentence, by its exit status, too`()
        throws
    {
        let daemon = try start()
        func serve(_ arguments: String...) throws -> (status: Int32, output: String) {
            try DaemonProcess.run(["serve", "--port", "0", "--directory"] + arguments)
        }
        let taken = try serve(directory.path + "/data")
        #expect(taken.status == 75 && taken.output.hasSuffix("is in use by another versiond\n"))
        let port = try serve(directory.path + "/other", "--port", "\(daemon.port)")
        #expect(port.status == 69 && port.output.contains("Address already in use"))
        try Data().write(to: URL(filePath: directory.path + "/file"))
        let file = try serve(directory.path + "/file/data")
        #expect(file.status == 73, "\(file.output)")
        let none = try DaemonProcess.run(["check", "--directory", directory.path + "/none"])
        #expect(none.status == 73)
        for refused in [taken, port, file, none] {
            #expect(!refused.output.contains("Usage") && !refused.output.contains("(\""))
        }
        #expect(daemon.terminate() == 0)
    }

    @Test func `loss is accepted beside a copy of the files as they were (D10)`() throws {
        let data = directory.path + "/data"
        let first = try start()
        let json = ["Content-Type": "application/json"]
        for number in 0..<9 {
            _ = try first.connect().request("PUT", "/v1/documents/d", json, body: "\(number)")
        }
        first.kill()
        try FileManager.default.removeItem(atPath: data + "/journal.sqlite-wal")
        let mark = try Data(contentsOf: URL(filePath: data + "/high-water"))
        let check = try DaemonProcess.run(["check", "--directory", data])
        #expect(check.status == 65 && check.output.contains("once held entry 9"))
        let refused = try DaemonProcess.run(["serve", "--port", "0", "--directory", data])
        #expect(refused.status == 65 && refused.output.contains("--accept-data-loss"))
        let daemon = try start(["--accept-data-loss"])
        let kept = try #require(
            try FileManager.default.contentsOfDirectory(atPath: data).first {
                $0.hasPrefix("set-aside-")
            })
        // The log names the place.
        try until { daemon.log.contains(kept) }
        #expect(try Data(contentsOf: URL(filePath: "\(data)/\(kept)/high-water")) == mark)
        #expect(daemon.terminate() == 0)
        #expect(try DaemonProcess.run(["check", "--directory", data]).status == 0)
    }

    @Test func `connections are encrypted if there is a key`() throws {
        let keys = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Keys").path
        let daemon = try start(environment: [
            "VERSIOND_TLS_CERTIFICATE": keys + "/certificate.pem",
            "VERSIOND_TLS_KEY": keys + "/key.pem",
        ])
        let url = "https://localhost:\(daemon.port)/v1/documents/d"
        let curl =
            "curl -sS --cacert \(keys)/certificate.pem --resolve localhost:\(daemon.port):127.0.0.1"
        let made = try DaemonProcess.bash(
            "\(curl) -X PUT -H 'Content-Type: application/json' -d '[1]' \(url)")
        #expect(made.output.contains(#""revision":0"#), "\(made.output)")
        let feed = try DaemonProcess.bash(
            "(sleep 0.2; \(curl) -o /dev/null -X PUT -H 'Content-Type: application/json' -d '[2]' \(url)) & \(curl) -N -H 'Accept: application/x-ndjson' '\(url)/feed?cursor=0' | head -2"
        )
        #expect(feed.output.contains(#""revision":1"#), "\(feed.output)")
        for version in ["1.0", "1.1"] {
            let old = try DaemonProcess.bash(
                "\(curl) --tls-max \(version) --ciphers DEFAULT@SECLEVEL=0 \(url)")
            #expect(old.status != 0, "TLS \(version) is not spoken (D13): \(old.output)")
        }
        #expect(daemon.terminate() == 0)
        let config = directory.path + "/config.json"
        try Data(#"{"tlsKey":"key.pem"}"#.utf8).write(to: URL(filePath: config))
        let wrong = try DaemonProcess.run([
            "serve", "--port", "0", "--directory", directory.path + "/other", "--config", config,
        ])
        #expect(wrong.status == 78 && wrong.output.contains("require each other"))
    }

    @Test func `logs are lines of JSON, with the request's name and trace`() throws {
        let daemon = try start(["--log-format", "json", "--log-level", "debug"])
        let client = try daemon.connect()
        let fields = [
            "X-Request-Id": "my-request-1",
            "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "Versiond-Actor": "ada",
        ]
        let answer = try client.request("GET", "/v1/documents/nothing/status", fields)
        #expect(answer["x-request-id"] == "my-request-1")
        #expect(try JSON(parsing: answer.body)["requestId"] == "my-request-1")
        #expect(
            try client.request("GET", "/v1", ["X-Request-Id": "no\"good"])["x-request-id"] == nil)
        #expect(daemon.terminate() == 0)
        let lines = try daemon.log.split(separator: "\n").map { try JSON(parsing: Array($0.utf8)) }
        let line = try #require(lines.first { $0["request_id"] == "my-request-1" })
        #expect(
            line["route"] == "/v1/documents/{document}/status" && line["status"] == 404
                && line["problem"] == "unknown-document")
        #expect(
            line["trace_id"] == "0af7651916cd43dd8448eb211c80319c"
                && line["span_id"] == "b7ad6b7169203331")
        #expect(line["document"] == "nothing" && line["level"] == "debug")
        let time = try #require(line["time"]?.string)
        #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(time)")
    }

    @Test func `who is refused is in the log, with address, route and token (N12)`() throws {
        let reader = try token("--name", "ada", "--allow", "read")
        let daemon = try start(["--tokens", tokens, "--log-format", "json"])
        let client = try daemon.connect()
        let path = "/v1/documents/d/undo"
        #expect(try client.request("POST", path).status == 401)
        let bearer = ["Authorization": "Bearer \(reader)"]
        #expect(try client.request("POST", path, bearer).status == 403)
        let json = bearer.merging(["Content-Type": "application/json"]) { $1 }
        // Refused when its head has come, before the body.
        #expect(try client.request("PUT", "/v1/documents/d", json, body: "1").status == 403)
        #expect(daemon.terminate() == 0)
        let lines = try daemon.log.split(separator: "\n").map { try JSON(parsing: Array($0.utf8)) }
        let refused = lines.filter { $0["level"] == "notice" && $0["status"] != nil }
        #expect(refused.map { $0["status"]?.int } == [401, 403, 403])
        for line in refused {
            #expect(line["client"] == "127.0.0.1", "\(line)")
            #expect(line["document"] == "d", "\(line)")
        }
        #expect(refused.map { $0["actor"]?.string } == [nil, "ada", "ada"])
        let routes = ["/v1/documents/{document}/undo", "/v1/documents/{document}/undo"]
        #expect(refused.map { $0["route"]?.string } == routes + ["/v1/documents/{document}"])
    }

    @Test func `metrics tell what happened, in the form that Prometheus reads`() throws {
        let daemon = try start()
        let client = try daemon.connect()
        let json = ["Content-Type": "application/json"]
        for number in 0..<3 {
            _ = try client.request("PUT", "/v1/documents/d", json, body: "\(number)")
        }
        _ = try client.request(
            "PUT", "/v1/documents/d", json.merging(["Idempotency-Key": "k"]) { $1 }, body: "7")
        _ = try client.request(
            "PUT", "/v1/documents/d", json.merging(["Idempotency-Key": "k"]) { $1 }, body: "7")
        _ = try client.request("POST", "/v1/documents/d/undo", json, body: #"{"count":9}"#)
        client.send("GET /v1/documents/d?x=%zz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(client.receive()?.status == 400)
        let answer = try daemon.connect().request("GET", "/metrics")
        #expect(answer["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        for line in [
            #"http_server_requests_total{http_request_method="PUT",http_route="/v1/documents/{document}",http_response_status_code="200"} 4"#,
            #"http_server_request_duration_seconds_count{http_request_method="PUT",http_route="/v1/documents/{document}"} 5"#,
            #"versiond_events_total{kind="create"} 1"#, #"versiond_events_total{kind="append"} 3"#,
            #"versiond_problems_total{code="nothing-to-undo"} 1"#,
            #"versiond_problems_total{code="bad-target"} 1"#,
            #"versiond_idempotent_replays_total{kind="append"} 1"#,
            "versiond_commit_duration_seconds_count 4", "versiond_documents_open 1",
            "versiond_commit_queue_depth 0", "# TYPE versiond_commit_batch_events histogram",
            "versiond_commit_batch_events_sum 4",
        ] {
            #expect(answer.text.contains(line + "\n"), "\(line)")
        }
        for line in answer.text.split(separator: "\n") {
            let isMetric =
                line.wholeMatch(of: /[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [0-9.e+-]+/)
                != nil
            #expect(line.hasPrefix("# ") || isMetric, "\(line)")
        }
        #expect(daemon.terminate() == 0)
    }

    @Test func `the first page leads to the one for looking, and a slash in a name is explained`()
        throws
    {
        let daemon = try start()
        let client = try daemon.connect()
        let first = try client.request("GET", "/")
        #expect(first.status == 307 && first["location"] == "/ui/")
        let lost = try client.request("GET", "/v1/documents/notes/monday")
        #expect(lost.status == 404 && lost.text.contains("%2F"))
        #expect(daemon.terminate() == 0)
    }

    @Test func `what readiness rests on is told by name`() throws {
        let daemon = try start()
        let client = try daemon.connect()
        let ready = try client.request("GET", "/readyz?verbose")
        #expect(ready.status == 200 && ready.text == "[+] journal\n[+] serving\nready\n")
        #expect(daemon.terminate() == 0)
    }

    @Test func `systemd is told when the daemon is ready, alive and stopping`() throws {
        // A datagram socket that a shell can read from.
        let done = try DaemonProcess.bash(
            """
            python3 - <<'END'
            import os, signal, socket, subprocess
            place = "\(directory.path)/notify"
            told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            told.bind(place)
            told.settimeout(20)
            daemon = subprocess.Popen(
                ["\(Products.folder.path)/versiond", "serve", "--port", "0",
                 "--directory", "\(directory.path)/n"],
                stderr=subprocess.DEVNULL,
                env={**os.environ, "NOTIFY_SOCKET": place, "WATCHDOG_USEC": "200000"})
            print(told.recv(99).decode())
            print(told.recv(99).decode())
            daemon.send_signal(signal.SIGTERM)
            while (word := told.recv(99).decode()) == "WATCHDOG=1": pass
            print(word, daemon.wait())
            END
            """)
        #expect(done.output == "READY=1\nWATCHDOG=1\nSTOPPING=1 0\n")
    }

    @Test func `settings can be looked at without starting anything`() throws {
        let file = directory.path + "/settings.json"
        try Data(#"{"port":1234,"depthMax":9}"#.utf8).write(to: URL(filePath: file))
        let shown = try DaemonProcess.bash(
            "VERSIOND_DEPTH_MAX=7 \(Products.folder.path)/versiond config show -c \(file) --loops 3"
        )
        let lines = shown.output.split(separator: "\n").map(String.init)
        #expect(lines.contains("port\t1234\t\(file)"))
        #expect(lines.contains("depthMax\t7\tenvironment"))
        #expect(lines.contains("loops\t3\toption"))
        #expect(lines.contains("idleSeconds\t15\tdefault"))
        #expect(try DaemonProcess.run(["config", "check", "-c", file]).status == 0)
        try Data(#"{"port":1234,}"#.utf8).write(to: URL(filePath: file))
        let wrong = try DaemonProcess.run(["config", "check", "-c", file])
        #expect(wrong.status == 78 && wrong.output.hasPrefix("versiond: \(file)"))
        let missing = try DaemonProcess.run(["config", "check", "-c", file + "x"])
        #expect(missing.status == 78 && missing.output.contains("cannot read"))
    }

    @Test func `a machine is measured, and nothing of that stays`() throws {
        let directory = try TemporaryDirectory()
        let (status, output) = try DaemonProcess.run(
            ["bench", "--seconds", "2", "--directory", directory.path])
        try #require(status == 0, "\(output)")
        let rows = output.split(separator: "\n")
        #expect(rows.count == 8 && rows[0].hasPrefix("what"))
        #expect(rows.allSatisfy { $0.count == rows[0].count }, "columns stand below each other")
        for row in rows.dropFirst() {
            let cells = row.split(separator: " ").suffix(4)
            #expect(cells.dropLast().allSatisfy { (Double($0) ?? 0) > 0 }, "\(row)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    @Test func `a machine is not measured where nothing can be written`() throws {
        let (status, output) = try DaemonProcess.run(["bench", "--directory", "/proc/none"])
        #expect(status == 73, "\(output)")
        #expect(try DaemonProcess.run(["bench", "--seconds", "0"]).status == 64)
    }

    @Test func `dashboard and alerts ask for metrics that there are`() throws {
        let daemon = try start()
        let text = try daemon.connect().request("GET", "/metrics").text
        let config = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Config").path
        var names: Set<String> = []
        for file in ["grafana.json", "alerts.yml"] {
            let source = try String(contentsOfFile: "\(config)/\(file)", encoding: .utf8)
            for match in source.matches(of: /\b(versiond|process|http_server)_[a-z_]+/) {
                names.insert(String(match.output.0))
            }
        }
        #expect(names.count > 15)
        for name in names {
            let base = name.replacing(/_(bucket|count)$/, with: "")
            #expect(text.contains("# TYPE \(base) ") || text.contains("# TYPE \(name) "), "\(name)")
        }
        let dashboard = try JSON(
            parsing: Array(Data(contentsOf: URL(filePath: config + "/grafana.json"))))
        #expect(dashboard["panels"]?.elements?.count == 12)
        #expect(daemon.terminate() == 0)
    }

    @Test func `the manual page has every command and its options`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().path
        let page = try DaemonProcess.bash(
            "\(root)/Scripts/man \(Products.folder.path)/versiond"
        ).output
        let help = try DaemonProcess.run(["--help"]).output
        let commands = help.components(separatedBy: "SUBCOMMANDS:\n")[1].split(separator: "\n")
            .compactMap { $0.firstMatch(of: /^ {2}([a-z]+)\s/)?.output.1 }
        #expect(commands.count >= 12)
        for command in commands { #expect(page.contains(".SS versiond \(command)\n")) }
        #expect(page.contains("\\-\\-accept\\-data\\-loss") && page.contains(".SH EXIT STATUS"))
    }
}
