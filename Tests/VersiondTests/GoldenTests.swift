import Foundation
import JSONTree
import TestSupport
import Testing

/// Data directories and databases of each version until now, which every later one opens and reads
/// the same. `Tests/Golden/make.py` made them.
@Suite struct GoldenTests {
    private static let golden = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Golden").path

    private static let directories: [String] = {
        let files = FileManager.default
        let versions = (try? files.contentsOfDirectory(atPath: golden)) ?? []
        return versions.flatMap { version in
            ["stopped", "killed", "packed", "grown"].map { "\(version)/\($0)" }
        }.filter { files.fileExists(atPath: "\(golden)/\($0)/journal.sqlite") }.sorted()
    }()

    @Test func `there is a directory of each version`() {
        #expect(GoldenTests.directories.count >= 4)
    }

    @Test(arguments: directories)
    func `what a version wrote, each later one reads and undoes the same`(name: String) throws {
        let temporary = try TemporaryDirectory()
        let data = temporary.path + "/data"
        try FileManager.default.copyItem(
            atPath: "\(GoldenTests.golden)/\(name)", toPath: data)
        let told = try answers(data + "/answers.json")
        try FileManager.default.removeItem(atPath: data + "/answers.json")
        #expect(try DaemonProcess.run(["check", "--directory", data]).status == 0)
        let offset = try offset(of: told)
        let disk = try FaultyDisk(in: temporary.path)
        try disk.set(clock: offset)
        let daemon = try DaemonProcess(directory: data, environment: disk.environment)
        let client = try daemon.connect()
        for answer in try #require(told["answers"]?.elements) { try compare(answer, client) }
        #expect(daemon.terminate() == 0)
        #expect(try DaemonProcess.run(["check", "--directory", data]).status == 0)
    }

    @Test(
        .enabled(if: PostgreSQLServer.isHere), arguments: [1, 2], [false, true])
    func `tables of each version become those of this one, and say the same`(
        schema: Int, isPacked: Bool
    ) throws {
        let name = "postgresql-\(schema)"
        let server = try #require(PostgreSQLServer.shared)
        let url = try server.newDatabase()
        let database = String(url.split(separator: "/").last ?? "")
        try server.run(file: "\(GoldenTests.golden)/\(name)/database.sql", in: database)
        // Only a daemon changes tables: daemons of the older version may be at work.
        let early = try DaemonProcess.run(["check", "--journal", url])
        let isRefused = early.output.contains("start a daemon of this version")
        #expect(isRefused == (schema < 3) && (early.status == 0) == !isRefused, "\(early)")
        let told = try answers("\(GoldenTests.golden)/\(name)/answers.json")
        let offset = try offset(of: told)
        try server.run(
            """
            CREATE SCHEMA other;
            CREATE FUNCTION other.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
                $$ SELECT pg_catalog.clock_timestamp() + interval '\(offset) s' $$;
            ALTER DATABASE \(database) SET search_path = public, other, pg_catalog;
            """, in: database)
        let temporary = try TemporaryDirectory()
        let disk = try FaultyDisk(in: temporary.path)
        try disk.set(clock: offset)
        func daemon() throws -> DaemonProcess {
            try DaemonProcess(
                directory: temporary.path, ["--journal", url], environment: disk.environment)
        }
        if isPacked {
            #expect(try daemon().terminate() == 0)
            let packed = try DaemonProcess.run(["pack", "--journal", url])
            #expect(packed.status == 0, "\(packed)")
        }
        let running = try daemon()
        let client = try running.connect()
        for answer in try #require(told["answers"]?.elements) { try compare(answer, client) }
        #expect(running.terminate() == 0)
        let check = try DaemonProcess.run(["check", "--journal", url])
        #expect(check.status == 0, "\(check)")
    }

    private func answers(_ path: String) throws -> JSON {
        try JSON(parsing: [UInt8](Data(contentsOf: URL(filePath: path))))
    }

    /// In seconds, as if no time had passed: scopes end by time.
    private func offset(of told: JSON) throws -> Int {
        try #require(told["made"]?.int) + 60 - Int(Date().timeIntervalSince1970)
    }

    private func compare(_ answer: JSON, _ client: RawConnection) throws {
        let method = try #require(answer["method"]?.string)
        let path = try #require(answer["path"]?.string)
        var fields: [String: String] = [:]
        for (name, value) in answer["fields"]?.members ?? [] { fields[name] = value.string }
        if let kind = answer["kind"]?.string {
            let types = ["json": "", "merge": "merge-patch+", "patch": "json-patch+"]
            fields["Content-Type"] = "application/\(types[kind] ?? "")json"
        }
        let body = answer["send"]?.string
        let found = try client.request(method, path, fields, body: body)
        #expect(found.status == answer["status"]?.int, "\(method) \(path): \(found.text)")
        if let expected = answer["body"] {
            let whole = try JSON(parsing: found.body)
            // Later versions may say more of a change, and of settings, and nothing else.
            let mayGrow = path.contains("/history") || path.hasSuffix("/settings")
            let now = mayGrow ? whole.pruned(to: expected) : whole
            #expect(
                now.merging(["requestId": nil, "title": nil, "detail": nil, "hint": nil])
                    == expected.merging([
                        "requestId": nil, "title": nil, "detail": nil, "hint": nil,
                    ]), "\(path)")
        }
        if let document = answer["document"]?.string {
            let value = try client.request("GET", document)
            #expect(try JSON(parsing: value.body) == answer["value"], "after \(method) \(path)")
        }
    }
}

extension JSON {
    /// Without the members that the other value has not.
    fileprivate func pruned(to other: JSON) -> JSON {
        if let members, other.members != nil {
            return JSON(
                members: members.compactMap { member in
                    other[member.name].map { (member.name, member.value.pruned(to: $0)) }
                })
        }
        guard let elements, let others = other.elements, elements.count == others.count else {
            return self
        }
        return JSON(elements: zip(elements, others).map { $0.pruned(to: $1) })
    }
}
