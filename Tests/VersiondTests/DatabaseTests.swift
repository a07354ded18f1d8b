import Foundation
import JSONTree
import TestSupport
import Testing

extension Answer {
    /// The body; `nil` if it is no JSON.
    fileprivate var json: JSON? { try? JSON(parsing: body) }
}

/// The real binary on a real PostgreSQL server.
@Suite(.enabled(if: PostgreSQLServer.isHere)) struct DatabaseTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var data: String { directory.path + "/data" }

    private func newDatabase() throws -> String {
        try #require(PostgreSQLServer.shared).newDatabase()
    }

    private func daemon(_ url: String) throws -> DaemonProcess {
        try DaemonProcess(directory: data, ["--journal", url])
    }

    @discardableResult
    private func run(_ arguments: String..., input: String? = nil) throws -> String {
        var arguments = arguments
        if let input {
            let path = directory.path + "/input"
            try Data(input.utf8).write(to: URL(filePath: path))
            arguments.append(path)
        }
        let done = try DaemonProcess.run(arguments)
        #expect(done.status == 0, "\(arguments): \(done.output)")
        return done.output
    }

    private func write(_ count: Int, to daemon: DaemonProcess) throws {
        let client = try daemon.connect()
        let fields = ["Content-Type": "application/json", "Versiond-Actor": "ada"]
        for number in 0..<count {
            let response = try client.request(
                "PUT", "/v1/documents/\(["menu", "caf%C3%A9"][number % 2])", fields,
                body: #"{"n":\#(number),"text":"soup"}"#)
            #expect(response.status < 300)
        }
    }

    private func chains(_ export: String) throws -> [[String]] {
        try export.split(separator: "\n").compactMap { line in
            let value = try JSON(parsing: Array(line.utf8))
            guard let chain = value["chain"]?.string else { return nil }
            return ["\(value["document"]!)", "\(value["revision"]!)", chain]
        }
    }

    @Test func `a directory moves into a database and back, with the same chains`() throws {
        let first = try DaemonProcess(directory: data)
        try write(30, to: first)
        #expect(first.terminate() == 0)
        let exported = try run("export", "--directory", data)
        let url = try newDatabase()
        #expect(try run("import", "--journal", url, input: exported).contains("30 changes stored"))
        #expect(try run("check", "--journal", url).contains("30 changes, 0 faults"))
        let again = try run("export", "--journal", url)
        #expect(try chains(again) == chains(exported) && chains(again).count == 30)
        let second = try daemon(url)
        try write(6, to: second)
        #expect(second.terminate() == 0)
        let longer = try run("export", "--journal", url)
        let other = directory.path + "/other"
        try run("import", "--directory", other, input: longer)
        #expect(try run("check", "--directory", other).contains("36 changes, 0 faults"))
        #expect(try chains(run("export", "--directory", other)) == chains(longer))
    }

    @Test func `a database is backed up beside its daemons, and brought back with all positions`()
        throws
    {
        let (url, copy) = (try newDatabase(), directory.path + "/copy")
        let first = try daemon(url)
        try write(600, to: first)
        #expect(try run("pack", "--journal", url) == "598 changes packed\n")
        try write(10, to: first)
        try run("backup", "--journal", url, copy)
        try write(4, to: first)
        #expect(first.terminate() == 0)
        #expect(try run("check", "--directory", copy).contains("610 changes, 0 faults"))
        #expect(try DaemonProcess.run(["backup", "--journal", url, copy]).status == 73)
        // Into an empty database; and after an early end, the same command continues.
        let other = try newDatabase()
        #expect(try run("restore", "--journal", other, copy).contains("610 changes"))
        #expect(try run("restore", "--journal", other, copy).contains("610 changes"))
        #expect(try run("check", "--journal", other).contains("610 changes, 0 faults"))
        let exports = try [url, other].map { try chains(run("export", "--journal", $0)) }
        #expect(exports[1] == exports[0].dropLast(4))
        let second = try daemon(other)
        let page = try second.connect().request("GET", "/v1/feed?cursor=608&limit=9").json
        #expect(page?["events"]?.elements?.compactMap { $0["cursor"] } == [609, 610])
        #expect(second.terminate() == 0)
        // Where something else is stored, nothing is.
        let third = try newDatabase()
        let unlike = try daemon(third)
        _ = try unlike.connect().request(
            "PUT", "/v1/documents/menu", ["Content-Type": "application/json"], body: "1")
        #expect(unlike.terminate() == 0)
        let refused = try DaemonProcess.run(["restore", "--journal", third, copy])
        #expect(refused.status == 65 && refused.output.contains("the target has other data"))
        #expect(try run("check", "--journal", third).contains("1 changes, 0 faults"))
    }

    @Test func `A5: nothing of a damaged backup is brought into a database`() throws {
        let (url, copy) = (try newDatabase(), directory.path + "/copy")
        let daemon = try daemon(url)
        try write(40, to: daemon)
        #expect(daemon.terminate() == 0)
        try run("backup", "--journal", url, copy)
        let file = URL(filePath: copy + "/journal.sqlite")
        let bytes = try Data(contentsOf: file)
        var random = SeededGenerator(seed: 6)
        let other = try newDatabase()
        try run("restore", "--journal", other, copy)
        let whole = try chains(run("export", "--journal", other))
        var refused = 0
        for _ in 0..<12 {
            var damaged = bytes
            damaged[random.below(damaged.count)] ^= 1 << UInt8(random.below(8))
            try damaged.write(to: file)
            let target = try newDatabase()
            let done = try DaemonProcess.run(["restore", "--journal", target, copy])
            if done.status != 0 {
                refused += 1
                #expect(done.status == 65 && !done.output.contains("ready"), "\(done.output)")
                try bytes.write(to: file)
                // A database in which something is stored would be refused, or lack it.
                try run("restore", "--journal", target, copy)
            }
            #expect(try chains(run("export", "--journal", target)) == whole)
        }
        #expect(refused > 0)
    }

    @Test func `two daemons are one, to those who write, read and follow`() throws {
        let url = try newDatabase()
        let (first, second) = (try daemon(url), try daemon(url))
        try write(2, to: first)
        let (mine, other) = (try first.connect(), try second.connect())
        #expect(try other.request("GET", "/v1/documents/menu").json?["n"] == 0)
        let merge = ["Content-Type": "application/merge-patch+json", "Idempotency-Key": "\"k\""]
        let sent = try other.request("PATCH", "/v1/documents/menu", merge, body: #"{"n":7}"#)
        let again = try mine.request("PATCH", "/v1/documents/menu", merge, body: #"{"n":7}"#)
        #expect(sent.status == 200 && again.status == 200)
        #expect(again.json?["revision"] == 1, "carried out once")
        let stale = try mine.request(
            "PUT", "/v1/documents/menu",
            ["Content-Type": "application/json", "If-Match": "\"0\""], body: "1")
        #expect(stale.status == 412)
        #expect(try mine.request("POST", "/v1/documents/menu/undo").status == 200)
        #expect(
            try other.request("GET", "/v1/documents/menu?consistency=strong").json?["n"] == 0)
        #expect(
            try other.request("GET", "/v1/documents/menu?consistency=weak").status == 400)
        for client in [mine, other] {
            let page = try client.request("GET", "/v1/feed?cursor=0&limit=9").json
            let cursors = page?["events"]?.elements?.compactMap { $0["cursor"] }
            #expect(cursors == [1, 2, 3, 4])
        }
        #expect(first.terminate() == 0 && second.terminate() == 0)
    }

    @Test func `what is erased by one daemon no other one shows`() throws {
        let url = try newDatabase()
        let (first, second) = (try daemon(url), try daemon(url))
        try write(4, to: first)
        let (mine, other) = (try first.connect(), try second.connect())
        #expect(try other.request("GET", "/v1/documents/menu").json?["text"] == "soup")
        let purge = try mine.request(
            "POST", "/v1/documents/menu/purge", ["Content-Type": "application/json"],
            body: #"{"paths":["/text"]}"#)
        #expect(purge.status == 200, "\(purge.text)")
        for client in [mine, other] {
            #expect(try client.request("GET", "/v1/documents/menu").json?["text"] == nil)
            #expect(try client.request("GET", "/v1/documents/menu?at=0").json?["text"] == nil)
        }
        #expect(try run("check", "--journal", url).contains("0 faults"))
        #expect(try !run("export", "--journal", url).contains("erased text"))
        #expect(first.terminate() == 0 && second.terminate() == 0)
    }

    @Test func `a database that cannot be used ends the start with a sentence and a status`()
        throws
    {
        let nowhere = "postgresql://u:sesame@127.0.0.1:1/x?connect_timeout=1"
        let done = try DaemonProcess.run(["serve", "--port", "0", "--journal", nowhere])
        #expect(done.status == 74 && !done.output.contains("sesame"))
        let wrong = try DaemonProcess.run(["serve", "--port", "0", "--journal", "sqlite:x"])
        #expect(wrong.status == 78)
        let shown = try DaemonProcess.run(["config", "show", "--journal", nowhere])
        #expect(shown.output.contains("u:***@") && !shown.output.contains("sesame"))
    }

    @Test func `the daemon knows how its database is`() throws {
        let daemon = try daemon(newDatabase())
        let client = try daemon.connect()
        #expect(try client.request("GET", "/readyz?verbose").text.contains("[+] journal"))
        let metrics = try client.request("GET", "/metrics").text
        for line in ["versiond_database_up 1", "versiond_database_listening 1"] {
            #expect(metrics.contains(line))
        }
        #expect(metrics.contains("libpq=") && metrics.contains("server="))
        #expect(daemon.terminate() == 0)
    }
}

/// Presence on several daemons that share a database.
@Suite(.enabled(if: PostgreSQLServer.isHere)) struct SharedPresenceTests {
    @Test func `22: who is on one daemon is seen on the others, and goes when it is killed`()
        throws
    {
        let directory = try TemporaryDirectory()
        let url = try #require(PostgreSQLServer.shared).newDatabase()
        let daemons = try (0..<3).map { number in
            try DaemonProcess(
                directory: "\(directory.path)/\(number)", ["--journal", url])
        }
        let json = ["Content-Type": "application/json"]
        func request(
            _ daemon: Int, _ method: String, _ path: String, _ body: String? = nil
        ) throws -> Answer {
            try daemons[daemon].connect().request(
                method, "/v1/documents/menu" + path, body == nil ? [:] : json, body: body)
        }
        #expect(try request(0, "PUT", "", "{}").status == 201)
        func seen(_ daemon: Int) throws -> [String] {
            let answer = try request(daemon, "GET", "/presence")
            let all = try JSON(parsing: answer.body)["clients"]?.elements ?? []
            return all.compactMap { $0["client"]?.string }
        }
        func come(_ daemon: Int, _ client: String) throws {
            let answer = try request(daemon, "PUT", "/presence/\(client)?ttl=60s", "1")
            #expect(answer.status == 204)
        }
        try come(0, "client-0")
        try come(1, "client-1")
        for daemon in 0..<3 {
            try until { try seen(daemon) == ["client-0", "client-1"] }
        }
        #expect(try request(0, "DELETE", "/presence/client-0").status == 204)
        try until { try seen(1) == ["client-1"] && seen(2) == ["client-1"] }
        daemons[1].signal(SIGKILL)
        try until { try seen(0).isEmpty && seen(2).isEmpty }
        for daemon in [daemons[0], daemons[2]] { #expect(daemon.terminate() == 0) }
    }
}
