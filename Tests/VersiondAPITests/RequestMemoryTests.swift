import JSONTree
import TestSupport
import Testing

/// Requests about several documents take the memory that there is for them, and no more.
@Suite struct RequestMemoryTests {
    private let names = (0..<20).map { "d\($0)" }

    /// Documents of about 24 KB, of which bob then takes everything out.
    private func daemon(emptied: Bool) throws -> LocalDaemon {
        let daemon = try LocalDaemon(requestBytesMax: 300 << 10)
        let text = String(repeating: "x", count: 20_000)
        for name in names { try put(daemon, name, "{\"text\":\"\(text)\"}", 201, by: "ada") }
        if emptied { for name in names { try put(daemon, name, "{}", 200) } }
        return daemon
    }

    private func put(
        _ daemon: LocalDaemon, _ name: String, _ value: String, _ status: Int,
        by actor: String = "bob"
    ) throws {
        daemon.time.advance(by: 10_000)
        let answer = try daemon.client.request(
            "PUT", "/v1/documents/\(name)", LocalDaemon.json.by(actor), body: value)
        #expect(answer.status == status)
    }

    private func post(_ daemon: LocalDaemon, _ path: String, _ body: String) throws -> Answer {
        try daemon.client.request("POST", path, LocalDaemon.json, body: body)
    }

    private func members(_ names: some Sequence<String>, _ member: String) -> String {
        let all = names.map { "{\"document\":\"\($0)\",\(member)}" }.joined(separator: ",")
        return "{\"changes\":[\(all)]}"
    }

    /// The refusal names the limit, and nothing has happened.
    private func isRefused(_ answer: Answer, _ daemon: LocalDaemon, at revision: Int) throws {
        #expect(answer.status == 413 && answer.code == "documents-too-large", "\(answer.text)")
        #expect(try answer.json["bytesMax"]?.int == 300 << 10)
        for name in names {
            let etag = try daemon.client.request("GET", "/v1/documents/\(name)")["etag"]
            #expect(etag == "\"\(revision)\"")
        }
    }

    @Test(arguments: ["merge\":{\"n\":1}", "value\":{\"n\":1}", "patch\":[]"])
    func `19: a transaction is refused by name of its limit (A1)`(member: String) throws {
        let daemon = try daemon(emptied: false)
        let whole = try post(daemon, "/v1/transactions", members(names, "\"" + member))
        try isRefused(whole, daemon, at: 0)
        let dryRun = try post(daemon, "/v1/transactions?dryRun", members(names, "\"" + member))
        try isRefused(dryRun, daemon, at: 0)
        let part = members(names.prefix(3), "\"" + member)
        #expect(try post(daemon, "/v1/transactions", part).status == 200)
    }

    @Test func `19: what members of a transaction put back counts (A1)`() throws {
        let daemon = try daemon(emptied: true)
        let restore = "\"restore\":{\"from\":\"0\"}"
        let whole = try post(daemon, "/v1/transactions", members(names, restore))
        try isRefused(whole, daemon, at: 1)
        let part = try post(daemon, "/v1/transactions", members(names.prefix(2), restore))
        #expect(part.status == 200)
        #expect(try part.json["changes"]?[1]?["patch"] != nil)
    }

    @Test func `18: an undo and a restore over a prefix are refused by name of their limit (A1)`()
        throws
    {
        let daemon = try daemon(emptied: true)
        let undo = "{\"all\":{\"actor\":\"bob\"},"
        let restore = "{\"prefix\":\"d\",\"to\":\"cursor:20\"}"
        try isRefused(try post(daemon, "/v1/undo", undo + "\"prefix\":\"d\"}"), daemon, at: 1)
        try isRefused(try post(daemon, "/v1/restore", restore), daemon, at: 1)
        let one = try post(daemon, "/v1/undo", undo + "\"documents\":[\"d3\"]}")
        #expect(one.status == 200, "\(one.text)")
        let part = try post(daemon, "/v1/restore", "{\"prefix\":\"d2\",\"to\":\"cursor:20\"}")
        #expect(part.status == 200, "\(part.text)")
    }

    @Test func `19: patches that are long together are left out, and their lengths given (A1)`()
        throws
    {
        let daemon = try LocalDaemon()
        let text = String(repeating: "x", count: 3_000_000)
        for name in ["a", "b", "c"] {
            try put(daemon, name, "\"\(text)\"", 201)
            try put(daemon, name, "1", 200)
        }
        let answer = try post(
            daemon, "/v1/transactions",
            members(["a", "b", "c"], "\"restore\":{\"from\":\"0\"}"))
        #expect(answer.status == 200 && answer.body.count < 4 << 20)
        let changes = try #require(try answer.json["changes"]?.elements)
        #expect(changes[0]["patch"]?[0]?["value"]?.string == text)
        for change in changes.dropFirst() {
            #expect(change["patch"] == nil && change["patchBytes"]?.int ?? 0 > 3_000_000)
            #expect(change["revision"] == 2)
        }
        let value = try daemon.client.request("GET", "/v1/documents/c").json
        #expect(value.string == text)
    }
}
