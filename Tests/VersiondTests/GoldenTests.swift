import Foundation
import JSONTree
import TestSupport
import Testing

/// Data directories of each version so far, which every later one opens and reads the same.
/// `Tests/Golden/make.py` made them.
@Suite struct GoldenTests {
    private static let golden = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Golden").path

    private static let directories: [String] = {
        let files = FileManager.default
        let versions = (try? files.contentsOfDirectory(atPath: golden)) ?? []
        return versions.flatMap { version in
            ["stopped", "killed", "packed"].map { "\(version)/\($0)" }
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
        let told = try JSON(
            parsing: [UInt8](Data(contentsOf: URL(filePath: data + "/answers.json"))))
        try FileManager.default.removeItem(atPath: data + "/answers.json")
        #expect(try DaemonProcess.run(["check", "--directory", data]).status == 0)
        // As if no time had passed: scopes end by time.
        let made = try #require(told["made"]?.int)
        let offset = made + 60 - Int(Date().timeIntervalSince1970)
        let disk = try FaultyDisk(in: temporary.path)
        try disk.set(clock: offset)
        let daemon = try DaemonProcess(directory: data, environment: disk.environment)
        let client = try daemon.connect()
        for answer in try #require(told["answers"]?.elements) { try compare(answer, client) }
        #expect(daemon.terminate() == 0)
        #expect(try DaemonProcess.run(["check", "--directory", data]).status == 0)
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
            // Later versions may say more of a change, and nothing else.
            let now = path.contains("/history") ? whole.pruned(to: expected) : whole
            #expect(
                now.merging(["requestId": nil, "hint": nil])
                    == expected.merging(["requestId": nil, "hint": nil]), "\(path)")
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
