import JSONTree
import TestSupport
import Testing

/// Documents that people and the run `agent/r1` edit.
protocol RunScene {
    var daemon: LocalDaemon { get }
}

extension RunScene {
    func send(
        _ method: String, _ path: String, _ body: String?, by actor: String = "ada",
        _ type: String = "application/json"
    ) throws -> Answer {
        daemon.time.advance(by: 1_000)
        return try daemon.client.request(
            method, path, ["Content-Type": type].by(actor), body: body)
    }

    func make(_ documents: [String: String]) throws {
        for (name, value) in documents { try make(name, value) }
    }

    func make(_ name: String, _ value: String, by actor: String = "root") throws {
        #expect(try send("PUT", "/v1/documents/\(name)", value, by: actor).status == 201)
    }

    func edit(_ actor: String, _ name: String, _ operations: String) throws {
        let answer = try send(
            "PATCH", "/v1/documents/\(name)", "[\(operations)]", by: actor,
            "application/json-patch+json")
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// Undoes what the run did.
    func undo(_ more: String = "", _ query: String = "") throws -> Answer {
        try send("POST", "/v1/undo" + query, #"{"all":{"actor":"agent/r1"}\#(more)}"#)
    }

    /// Redoes what the newest undo of edits of the run took.
    func redo(_ more: String = "", _ query: String = "") throws -> Answer {
        try send("POST", "/v1/redo" + query, #"{"all":{"actor":"agent/r1"}\#(more)}"#)
    }

    /// Whether it succeeded.
    func undoes(_ more: String = "", _ query: String = "") throws -> Bool {
        let answer = try undo(more, query)
        if answer.status != 200 { Issue.record("\(answer.text)") }
        return answer.status == 200
    }

    /// Whether it succeeded.
    func redoes(_ more: String = "", _ query: String = "") throws -> Bool {
        let answer = try redo(more, query)
        if answer.status != 200 { Issue.record("\(answer.text)") }
        return answer.status == 200
    }

    /// Changes two documents as one transaction.
    func change(_ actor: String, _ both: [(name: String, operations: String)]) throws -> String {
        let members = both.map { name, operations in
            #"{"document":"\#(name)","patch":[\#(operations)]}"#
        }
        let made = try send(
            "POST", "/v1/transactions", #"{"changes":[\#(members.joined(separator: ","))]}"#,
            by: actor)
        #expect(made.status == 200, "\(made.text)")
        return try made.json["transaction"]?.string ?? ""
    }

    func value(_ name: String) throws -> JSON {
        try daemon.client.request("GET", "/v1/documents/\(name)").json
    }

    func replace(_ path: String, _ value: String) -> String {
        #"{"op":"replace","path":"\#(path)","value":\#(value)}"#
    }

    func add(_ path: String, _ value: String) -> String {
        #"{"op":"add","path":"\#(path)","value":\#(value)}"#
    }
}
