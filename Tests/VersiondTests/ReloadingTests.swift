import Foundation
import JSONTree
import TestSupport
import Testing

/// Starting, changing and stopping the real daemon without refusing a client.
@Suite struct ReloadingTests {
    private let directory: TemporaryDirectory
    private static let keys = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Keys").path

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func write(_ settings: String) throws -> String {
        let file = directory.path + "/config.json"
        try Data(settings.utf8).write(to: URL(filePath: file))
        return file
    }

    /// Copies a certificate and its key to where the daemon looks.
    private func install(_ suffix: String) throws {
        for name in ["certificate", "key"] {
            let bytes = try Data(
                contentsOf: URL(filePath: "\(Self.keys)/\(name)\(suffix).pem"))
            try bytes.write(to: URL(filePath: "\(directory.path)/\(name).pem"))
        }
    }

    @Test func `a renewed certificate is served after SIGHUP, and a wrong one changes nothing`()
        throws
    {
        try install("")
        let config = try write(
            """
            {"tlsCertificate":"\(directory.path)/certificate.pem",
             "tlsKey":"\(directory.path)/key.pem","loops":2}
            """)
        let daemon = try DaemonProcess(
            directory: directory.path + "/data", ["--config", config])
        func get(_ certificate: String) throws -> Int32 {
            try DaemonProcess.bash(
                "curl -sS --cacert \(Self.keys)/\(certificate).pem -o /dev/null "
                    + "https://localhost:\(daemon.port)/livez"
            ).status
        }
        #expect(try get("certificate") == 0 && get("certificate-renewed") != 0)
        try install("-renewed")
        daemon.signal(SIGHUP)
        try until { daemon.log.contains("reloaded certificate, key and origins") }
        #expect(try get("certificate") != 0 && get("certificate-renewed") == 0)
        try Data("no key".utf8).write(to: URL(filePath: directory.path + "/key.pem"))
        let before = try daemon.descriptorCount()
        for round in 1...3 {
            daemon.signal(SIGHUP)
            try until {
                daemon.log.components(separatedBy: "the previous settings stay in force").count
                    > round
            }
        }
        #expect(try get("certificate-renewed") == 0)
        try until { try daemon.descriptorCount() <= before }
        #expect(daemon.terminate() == 0)
    }

    @Test func `origins and log level change with SIGHUP, and what needs a new start is named`()
        throws
    {
        let config = try write(#"{"origins":"https://a.example","logLevel":"warning"}"#)
        let daemon = try DaemonProcess(
            directory: directory.path + "/data", ["--config", config, "--log-level", "info"])
        func allowed(_ origin: String) throws -> String? {
            let client = try daemon.connect()
            return try client.request("GET", "/v1", ["Origin": origin])[
                "access-control-allow-origin"]
        }
        #expect(try allowed("https://a.example") == "https://a.example")
        let before = try daemon.connect()
        #expect(try before.request("GET", "/v1").status == 200)
        _ = try write(#"{"origins":"https://b.example","idleSeconds":3}"#)
        daemon.signal(SIGHUP)
        try until { daemon.log.contains("require a restart: idleSeconds") }
        #expect(try allowed("https://a.example") == nil)
        #expect(try allowed("https://b.example") == "https://b.example")
        #expect(try before.request("GET", "/v1").status == 200, "who was connected gets a response")
        _ = try write("{")
        daemon.signal(SIGHUP)
        try until { daemon.log.contains("the previous settings stay in force") }
        #expect(daemon.terminate() == 0)
    }

    @Test func `requests go on while the server is replaced`() async throws {
        let config = try write(#"{"origins":"https://a.example","loops":2}"#)
        let daemon = try DaemonProcess(
            directory: directory.path + "/data", ["--config", config])
        let port = daemon.port
        async let failures = Task.detached { () -> Int in
            (0..<300).reduce(0) { count, _ in
                let status = try? RawConnection(port: port).request("GET", "/livez").status
                return count + (status == 200 ? 0 : 1)
            }
        }.value
        for round in 1...3 {
            _ = try write("{\"origins\":\"https://\(round).example\",\"loops\":2}")
            daemon.signal(SIGHUP)
            try until {
                daemon.log.components(separatedBy: "reloaded certificate, key and origins").count
                    > round
            }
        }
        #expect(await failures == 0)
        #expect(daemon.terminate() == 0)
    }

    @Test func `a supervisor's sockets are served, those on an address and a local one`() throws {
        let socket = directory.path + "/activated.sock"
        // Python hands its sockets on as systemd does.
        let script = """
            import os, socket, sys
            net = socket.socket(); net.bind(("127.0.0.1", 0)); net.listen()
            local = socket.socket(socket.AF_UNIX); local.bind("\(socket)"); local.listen()
            print(net.getsockname()[1], flush=True)
            pair = [os.dup(os.dup(os.dup(each.fileno()))) for each in (net, local)]
            for target, source in zip((3, 4), pair):
                os.dup2(source, target)
            os.environ["LISTEN_PID"] = str(os.getpid()); os.environ["LISTEN_FDS"] = "2"
            os.execv(sys.argv[1], sys.argv[1:])
            """
        let run = try DaemonProcess.bash(
            """
            cd \(directory.path)
            cat > start.py <<'END'
            \(script)
            END
            python3 start.py \(Products.folder.path)/versiond serve --port 1 --loops 2 --directory data > port 2> log &
            for n in $(seq 200); do grep -qs "stores in" log && break; sleep 0.05; done
            curl -sS http://127.0.0.1:$(cat port)/livez
            curl -sS --unix-socket \(socket) http://localhost/livez
            kill $!; wait $!; echo $?
            """)
        #expect(run.output == "ok\nok\n0\n", "\(run.output)")
    }

    @Test func `readyz says for a while that the daemon is about to stop, and work is done`() throws
    {
        let config = try write(#"{"drainDelaySeconds":2}"#)
        let daemon = try DaemonProcess(
            directory: directory.path + "/data", ["--config", config])
        #expect(try daemon.connect().request("GET", "/readyz").status == 200)
        daemon.signal(SIGTERM)
        try until { try daemon.connect().request("GET", "/readyz").status == 503 }
        let json = ["Content-Type": "application/json"]
        let made = try daemon.connect().request("PUT", "/v1/documents/d", json, body: "1")
        #expect(made.status == 201)
        let checks = try daemon.connect().request("GET", "/readyz?verbose")
        #expect(checks.status == 503 && checks.text.contains("[-] serving"))
        #expect(daemon.wait() == 0)
    }

    @Test func `the first start makes a token, prints it once, and health needs none`() throws {
        let tokens = directory.path + "/tokens.json"
        let script = """
            cd \(directory.path)
            export VERSIOND_TOKENS=\(tokens) VERSIOND_MAKES_TOKEN=true VERSIOND_SOCKET=\(directory.path)/s
            start() {
              : > log
              \(Products.folder.path)/versiond serve --port 0 --directory data > out 2> log &
              for n in $(seq 200); do grep -qs "stores in" log && break; sleep 0.05; done
            }
            start; token=$(cat out)
            port=$(sed -n 's/.*127.0.0.1:\\([0-9]*\\).*/\\1/p' log)
            curl -sS -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:$port/v1/documents
            curl -sS -o /dev/null -w '%{http_code}\\n' -H "Authorization: Bearer $token" http://127.0.0.1:$port/v1/documents
            \(Products.folder.path)/versiond health
            kill $!; wait $!
            \(Products.folder.path)/versiond health 2>/dev/null; echo $?
            start; cat out; kill $!; wait $!
            grep -c "$token" tokens.json
            """
        let run = try DaemonProcess.bash(script)
        #expect(run.output == "401\n200\nready\n69\n0\n", "\(run.output)")
    }

    @Test func `under systemd's journal each line begins with its level`() throws {
        let run = try DaemonProcess.bash(
            """
            cd \(directory.path)
            exec 2> log
            export JOURNAL_STREAM=$(stat -L -c '%d:%i' log)
            \(Products.folder.path)/versiond serve --port 0 --directory data &
            for n in $(seq 200); do grep -qs "stores in" log && break; sleep 0.05; done
            kill $!; wait $!
            cat log
            """)
        let lines = run.output.split(separator: "\n")
        #expect(lines.count >= 2 && lines.allSatisfy { $0.hasPrefix("<") }, "\(run.output)")
        #expect(run.output.contains("<6>versiond "), "\(run.output)")
    }
}
