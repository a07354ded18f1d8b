import Foundation
import JSONTree
import TestSupport
import Testing

/// Tokens that are exchanged while clients use them, and what ends by itself.
@Suite struct TokenTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var tokens: String { directory.path + "/tokens.json" }

    @discardableResult
    private func token(_ arguments: String..., status: Int32 = 0) throws -> String {
        let ran = try DaemonProcess.run(
            ["token", arguments[0], "--file", tokens] + arguments.dropFirst())
        #expect(ran.status == status, "\(arguments): \(ran.output)")
        return ran.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func `a token gets a new secret, both count for a while, and what it did stays its own`()
        throws
    {
        let former = try token("create", "--name", "ada", "--allow", "read,write")
        let daemon = try DaemonProcess(
            directory: directory.path + "/data", ["--tokens", tokens])
        let client = try daemon.connect()
        func call(_ method: String, _ path: String, _ secret: String, _ body: String? = nil) throws
            -> Int
        {
            let fields = [
                "Authorization": "Bearer \(secret)", "Content-Type": "application/json",
            ]
            return try client.request(method, path, fields, body: body).status
        }
        #expect(try call("PUT", "/v1/documents/d", former, "1") == 201)
        #expect(try call("PUT", "/v1/documents/d", former, "2") == 200)
        let new = try token("rotate", "ada", "--overlap", "7d")
        #expect(new.hasPrefix("vd_") && new != former)
        #expect(try token("list").hasSuffix("ada\tread,write\t*\tforever\t2 secrets"))
        daemon.signal(SIGHUP)
        try until { try call("GET", "/v1/documents/d", new) == 200 }
        #expect(try call("GET", "/v1/documents/d", former) == 200)
        // Work done with the first secret is undone with the second.
        #expect(try call("POST", "/v1/documents/d/undo", new, #"{"actor":"ada"}"#) == 200)
        // At once: both former secrets are invalid.
        let last = try token("rotate", "ada", "--overlap", "0s")
        daemon.signal(SIGHUP)
        try until { try call("GET", "/v1/documents/d", new) == 401 }
        #expect(try call("GET", "/v1/documents/d", former) == 401)
        #expect(try call("GET", "/v1/documents/d", last) == 200)
        #expect(try token("list").hasSuffix("ada\tread,write\t*\tforever"))
        let text = try String(contentsOfFile: tokens, encoding: .utf8)
        #expect(!text.contains("secrets"), "one secret stands as it always has: \(text)")
        #expect(daemon.terminate() == 0)
    }

    @Test func `what is rotated wrong stays as it was`() throws {
        try token("create", "--name", "ada", "--expires", "30d")
        let before = try String(contentsOfFile: tokens, encoding: .utf8)
        #expect(try token("rotate", "bob", status: 64).contains("the token bob does not exist"))
        #expect(try token("rotate", "ada", status: 64).contains("--expires 90d"))
        #expect(
            try token("rotate", "ada", "--overlap", "soon", status: 64).contains("not a duration"))
        for time in ["1e300d", "40000d", "nan", "infd", "-1d"] {
            #expect(
                try token("rotate", "ada", "--expires=\(time)", status: 64).contains(
                    "not a duration"))
        }
        #expect(try String(contentsOfFile: tokens, encoding: .utf8) == before)
        try token("rotate", "ada", "--expires", "90d")
        for _ in 0..<8 { try token("rotate", "ada", "--expires", "90d", "--overlap", "3h") }
        #expect(
            try token("rotate", "ada", "--expires", "90d", status: 64).contains("10 secrets"))
    }

    @Test(arguments: [
        #""secrets":[]"#, #""secrets":[{"hash":"1"}]"#, #""secrets":[{"hash":"H","until":"x"}]"#,
        #""secrets":[{"hash":"H","expires":"soon"}]"#, #""secrets":{"hash":"H"}"#,
        #""hash":"H","secrets":[{"hash":"H"}]"#,
    ])
    func `secrets that are none keep the daemon from starting`(secrets: String) throws {
        let hash = String(repeating: "a", count: 64)
        let text =
            #"{"tokens":[{"name":"ada","rights":["read"],\#(secrets)}]}"#
            .replacingOccurrences(of: "\"H\"", with: "\"\(hash)\"")
        try Data(text.utf8).write(to: URL(filePath: tokens))
        let refused = try DaemonProcess.run([
            "serve", "--port", "0", "--directory", directory.path + "/data", "--tokens", tokens,
        ])
        #expect(refused.status == 78 && refused.output.contains(tokens), "\(refused.output)")
    }

    private func start(_ settings: String) throws -> DaemonProcess {
        let config = directory.path + "/versiond.json"
        try Data("{\"tokens\":\"\(tokens)\",\(settings)}".utf8).write(to: URL(filePath: config))
        return try DaemonProcess(directory: directory.path + "/data", ["--config", config])
    }

    @Test func `what ends soon is told in the log and in metrics`() throws {
        let ada = try token("create", "--name", "ada", "--expires", "9d", "--allow", "admin")
        try token("create", "--name", "bob", "--expires", "90d")
        try token("create", "--name", "ci")
        let keys = URL(filePath: #filePath).deletingLastPathComponent().path + "/Keys"
        let daemon = try start(
            #""tlsCertificate":"\#(keys)/certificate.pem","tlsKey":"\#(keys)/key.pem""#)
        try until { daemon.log.contains("the token ada expires in 8 days: versiond token rotate") }
        #expect(!daemon.log.contains("the token bob") && !daemon.log.contains("the token ci"))
        let metrics = try DaemonProcess.bash(
            "curl -sk -H 'Authorization: Bearer \(ada)' https://127.0.0.1:\(daemon.port)/metrics"
        ).output
        func value(_ name: String) -> Double? {
            metrics.split(separator: "\n").first { $0.hasPrefix("versiond_\(name) ") }
                .flatMap { Double($0.split(separator: " ")[1]) }
        }
        let end = try #require(value("next_token_expiry_timestamp_seconds"))
        let days = (end - Date().timeIntervalSince1970) / 86_400
        #expect(days > 8.9 && days <= 9, "\(days)")
        #expect(try #require(value("certificate_expiry_timestamp_seconds")) > 1_700_000_000)
        #expect(daemon.terminate() == 0)
    }

    @Test func `the log names the client that a trusted proxy names`() throws {
        try token("create", "--name", "ada")
        let daemon = try start(
            #""logFormat":"json","trustedProxies":"127.0.0.0/8, 10.0.0.7""#)
        let client = try daemon.connect()
        // One that a client wrote, and the field that HAProxy adds.
        client.send(
            "GET /v1/documents HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.66\r\n"
                + "X-Forwarded-For: 203.0.113.9, 10.0.0.7\r\n\r\n")
        #expect(client.receive()?.status == 401)
        #expect(daemon.terminate() == 0)
        let lines = try daemon.log.split(separator: "\n").map { try JSON(parsing: Array($0.utf8)) }
        let refused = lines.filter { $0["status"]?.int == 401 }
        #expect(refused.map { $0["client"]?.string } == ["203.0.113.9"])
    }

    @Test func `a proxy that is no address keeps the daemon from starting`() throws {
        #expect(throws: DaemonProcess.DidNotStart.self) {
            try start(#""trustedProxies":"10.0.0.0/40""#)
        }
    }
}
