import HTTPServing
import JSONTree
import TestSupport
import Testing

@testable import VersiondAPI

/// The accepted shapes of a body or a field, and the refusals of others.
@Suite struct ShapeTests {
    @Test func `a PATCH that names its form and a member too many is told that member`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":1}"#)
        let answer = try daemon.menu("PATCH", "", #"{"merge":{"a":3},"x":1}"#)
        #expect(answer.status == 400 && answer.code == "malformed-request")
        let problem = try answer.json
        #expect(problem["detail"]?.string == "/x: This member is unknown.")
        #expect(problem["hint"]?.string == "Use only merge and patch.")
        #expect(problem["errors"]?[0]?["pointer"] == "/x")
        let lenient = ["Prefer": "handling=lenient"]
        #expect(try daemon.menu("PATCH", "", #"{"merge":{"a":3},"x":1}"#, lenient).status == 200)
        #expect(try daemon.value() == ["a": 3])
        #expect(try daemon.menu("PATCH", "", #"{"merge":null}"#).status == 200)
        #expect(try daemon.value() == .null)
    }

    @Test(arguments: [
        #"{"a":3}"#, #"[{"op":"remove","path":"/a"}]"#, "7", "{}", #"{"merge":{"a":3},"patch":[]}"#,
    ])
    func `a PATCH that names no form, or two, is told which there are`(body: String) throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":1}"#)
        let answer = try daemon.menu("PATCH", "", body)
        #expect(answer.status == 415 && answer.code == "unsupported-media-type")
        let detail = try answer.json["detail"]?.string ?? ""
        #expect(
            detail.contains(#"A PATCH with application/json is {"patch":[…]} or {"merge":{…}}"#),
            "\(detail)")
        #expect(detail.contains("application/merge-patch+json"))
    }

    @Test func `an empty Last-Event-ID says nothing`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("1")
        try daemon.put("2")
        let page = try daemon.menu("GET", "/feed?cursor=0", nil, ["Last-Event-ID": ""])
        #expect(page.status == 200)
        #expect(try page.json["events"]?.count == 1)
        let bad = try daemon.menu("GET", "/feed?cursor=0", nil, ["Last-Event-ID": "x"])
        #expect(bad.status == 400)
    }

    @Test func `a page may send both fields of a trace`() throws {
        let origin = "https://app.example"
        let daemon = try LocalDaemon(origins: [origin])
        let answer = try daemon.menu(
            "OPTIONS", "", nil, ["Origin": origin, "Access-Control-Request-Method": "PATCH"])
        let allowed = (answer["access-control-allow-headers"] ?? "").split(separator: ", ")
        #expect(allowed.contains("traceparent") && allowed.contains("tracestate"))
    }
}
