import JSONTree
import TestSupport
import Testing
import VersiondAPI

/// Each fault gets a problem that says what, where and what to do; and nothing has changed.
@Suite struct BadInputTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        var body: String?
        var fields: [String: String] = [:]
        let status: Int
        let code: String
        var testDescription: String { "\(method) \(path) \(body ?? "") -> \(code)" }
    }

    static let cases: [Case] = [
        Case(method: "PUT", path: "", body: #"{"a":}"#, status: 400, code: "malformed-json"),
        Case(method: "PUT", path: "", body: #"{"a":1,"a":2}"#, status: 400, code: "malformed-json"),
        Case(method: "PUT", path: "", body: "[1,]", status: 400, code: "malformed-json"),
        Case(method: "PUT", path: "", body: "", status: 400, code: "malformed-json"),
        Case(method: "PUT", path: "", body: #""\ud800""#, status: 400, code: "malformed-json"),
        Case(
            method: "PUT", path: "", body: String(repeating: "[", count: 200_000), status: 422,
            code: "too-deep"),
        Case(
            method: "PUT", path: "", body: "1", fields: ["Content-Type": "text/plain"], status: 415,
            code: "unsupported-media-type"),
        Case(
            method: "PATCH", path: "", body: #"{"op":"add"}"#, fields: LocalDaemon.patch,
            status: 400,
            code: "malformed-patch"),
        Case(
            method: "PATCH", path: "", body: #"[{"op":"frob","path":""}]"#,
            fields: LocalDaemon.patch,
            status: 400, code: "malformed-patch"),
        Case(
            method: "PATCH", path: "", body: #"[{"op":"add","path":"a","value":1}]"#,
            fields: LocalDaemon.patch, status: 400, code: "malformed-patch"),
        Case(
            method: "PATCH", path: "", body: #"[{"op":"remove","path":"/no"}]"#,
            fields: LocalDaemon.patch, status: 422, code: "patch-does-not-apply"),
        Case(
            method: "PATCH", path: "", body: #"[{"op":"test","path":"/price","value":9}]"#,
            fields: LocalDaemon.patch, status: 409, code: "test-failed"),
        Case(
            method: "PATCH", path: "",
            body: #"[{"op":"add","path":"/list/99999999999999999999","value":9}]"#,
            fields: LocalDaemon.patch, status: 422, code: "patch-does-not-apply"),
        Case(
            method: "PATCH", path: "", body: "{}", fields: LocalDaemon.json, status: 415,
            code: "unsupported-media-type"),
        Case(
            method: "POST", path: "/undo", body: #"{"to":"tag:no"}"#, status: 404,
            code: "unknown-tag"),
        Case(
            method: "POST", path: "/undo", body: #"{"count":0}"#, status: 400,
            code: "malformed-request"),
        Case(
            method: "POST", path: "/undo", body: #"{"cuont":1}"#, status: 400,
            code: "malformed-request"),
        Case(
            method: "POST", path: "/undo", body: #"{"count":1,"scope":true}"#, status: 400,
            code: "malformed-request"),
        Case(method: "POST", path: "/undo", status: 409, code: "nothing-to-undo"),
        Case(method: "POST", path: "/redo", status: 409, code: "nothing-to-redo"),
        Case(
            method: "POST", path: "/goto", body: #"{"to":"version:99"}"#, status: 404,
            code: "unknown-version"),
        Case(method: "POST", path: "/goto", status: 400, code: "malformed-request"),
        Case(method: "POST", path: "/scopes/pop", status: 409, code: "root-scope"),
        Case(
            method: "PUT", path: "/tags/t", body: #"{"at":"version:99"}"#, status: 404,
            code: "unknown-version"),
        Case(method: "GET", path: "/tags/no", status: 404, code: "unknown-tag"),
        Case(method: "GET", path: "/history/99", status: 404, code: "unknown-revision"),
        Case(
            method: "GET", path: "/history/9223372036854775807", status: 400,
            code: "malformed-request"),
        Case(method: "GET", path: "?at=9223372036854775807", status: 404, code: "unknown-revision"),
        Case(
            method: "POST", path: "/undo", body: #"{"count":9223372036854775807}"#, status: 409,
            code: "nothing-to-undo"),
        Case(
            method: "POST", path: "/redo", body: #"{"count":9223372036854775807}"#, status: 409,
            code: "nothing-to-redo"),
        Case(
            method: "POST", path: "/seal", fields: ["If-Match": "\"7\""], status: 412,
            code: "stale-revision"),
        Case(
            method: "GET", path: "", fields: ["Host": "evil.example:80"], status: 421,
            code: "unknown-host"),
        Case(method: "GET", path: "/history?limit=0", status: 400, code: "malformed-request"),
        Case(method: "GET", path: "?path=price", status: 400, code: "malformed-request"),
        Case(method: "GET", path: "?path=/no", status: 404, code: "unknown-value"),
        Case(method: "GET", path: "?at=99", status: 404, code: "unknown-revision"),
        Case(method: "GET", path: "?at=yesterday", status: 400, code: "malformed-request"),
        Case(method: "GET", path: "?at=-1", status: 400, code: "malformed-request"),
        Case(method: "GET", path: "?at=00", status: 400, code: "malformed-request"),
        Case(
            method: "GET", path: "?at=2026-02-30T00:00:00Z", status: 400, code: "malformed-request"),
        Case(method: "GET", path: "/history?limit=%2B5", status: 400, code: "malformed-request"),
        Case(
            method: "POST", path: "/append?debounce=0x10s", body: "1", status: 400,
            code: "malformed-request"),
        Case(
            method: "PUT", path: "", body: "1", fields: ["Versiond-Actor": "\u{FFFD}"], status: 400,
            code: "malformed-request"),
        Case(
            method: "GET", path: "", fields: ["If-Match": "7"], status: 400,
            code: "malformed-request"),
        Case(method: "GET", path: "/nowhere", status: 404, code: "unknown-route"),
        Case(method: "POST", path: "", body: "1", status: 405, code: "method-not-allowed"),
        Case(
            method: "PATCH", path: "/settings", body: #"{"debounce":"soon"}"#, status: 400,
            code: "malformed-request"),
        Case(
            method: "POST", path: "/undo", fields: ["Origin": "http://evil.example"], status: 403,
            code: "cross-origin"),
    ]

    @Test(arguments: cases)
    func `bad input gets its problem and changes nothing`(input: Case) throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"price":4,"list":[]}"#)
        let answer = try daemon.menu(input.method, input.path, input.body, input.fields)
        #expect(answer.status == input.status, "\(answer.text)")
        #expect(answer.code == input.code)
        #expect(answer["content-type"] == "application/problem+json")
        let problem = try answer.json
        #expect(problem["type"]?.string == "/problems/\(input.code)")
        #expect(problem["status"]?.int == input.status && problem["detail"] != nil)
        #expect(try daemon.value() == ["price": 4, "list": []])
        #expect(try daemon.menu("GET", "/status").json["revision"] == 0)
    }

    @Test(arguments: [";", ",", "return=minimal, ;", ";;;=", "return", "return=nothing"])
    func `odd preferences are ignored`(preference: String) throws {
        let daemon = try LocalDaemon()
        #expect(try daemon.menu("PUT", "", "1", ["Prefer": preference]).status == 201)
    }

    @Test func `errors say where`() throws {
        let daemon = try LocalDaemon()
        #expect(try daemon.menu("GET", "/history/0").code == "unknown-document")
        #expect(try daemon.menu("PUT", "", #"{"a":tru}"#).json["offset"] == 8)
        let faults = try daemon.menu("POST", "/undo", #"{"a/b":1,"c~d":2}"#).json["errors"]
        #expect(faults?.elements?.map { $0["pointer"]?.string } == ["/a~1b", "/c~0d"])
        let allowed = try daemon.menu("POST", "/status")
        #expect(allowed.status == 405 && allowed["allow"] == "GET, HEAD, OPTIONS")
        let text = try daemon.menu("GET", "", nil, ["Accept": "text/plain"])
        #expect(text.text.hasPrefix("error: The document does not exist.\nhint: "))
    }

    @Test func `limits on size and depth hold after a patch, too`() throws {
        let limits = Limits(
            bodyBytesMax: 10_000,
            json: JSONLimits(depthMax: 8, operationsMax: 100, documentBytesMax: 5_000))
        let daemon = try LocalDaemon(limits: limits)
        try daemon.put(#"{"a":["xxxxxxxxxxxxxxxxxxxxxxxx"]}"#)
        let long = "\"" + String(repeating: "x", count: 11_000) + "\""
        #expect(try daemon.menu("PUT", "", long).code == "body-too-large")
        let fresh = try LocalDaemon(limits: limits)
        _ = try fresh.menu("PUT", "", #"{"a":["xxxxxxxxxxxxxxxxxxxxxxxx"]}"#)
        let large = "\"" + String(repeating: "x", count: 6_000) + "\""
        #expect(try fresh.menu("PUT", "", large).code == "document-too-large")
        let copies = (0..<30).map { _ in #"{"op":"copy","from":"/a","path":"/a/-"}"# }
        let bomb = try fresh.menu(
            "PATCH", "", "[\(copies.joined(separator: ","))]", LocalDaemon.patch)
        #expect(bomb.status == 413 || bomb.status == 422)
        let many = (0..<101).map { _ in #"{"op":"test","path":"","value":1}"# }
        let answer = try fresh.menu(
            "PATCH", "", "[\(many.joined(separator: ","))]", LocalDaemon.patch)
        #expect(answer.code == "too-many-operations")
        #expect(try fresh.value() == ["a": ["xxxxxxxxxxxxxxxxxxxxxxxx"]])
    }

    @Test func `how deep a document may be counts its own levels, however they come`() throws {
        let daemon = try LocalDaemon(limits: Limits(json: JSONLimits(depthMax: 8)))
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        func replace(_ value: String) throws -> Answer {
            try daemon.menu(
                "PATCH", "", #"[{"op":"replace","path":"","value":\#(value)}]"#, LocalDaemon.patch)
        }
        func nest(_ levels: Int) throws -> Answer {
            let objects = String(repeating: #"{"a":"#, count: levels)
            let ends = String(repeating: "}", count: levels)
            return try daemon.menu("PATCH", "", objects + "1" + ends, LocalDaemon.merge)
        }
        try daemon.put(nested(8))
        #expect(try replace(nested(8)).status == 200 && nest(8).status == 200)
        let add = #"[{"op":"add","path":"/a/a/b","value":\#(nested(7))}]"#
        let answers = try [
            daemon.menu("PUT", "", nested(9)), replace(nested(9)), replace(nested(20)), nest(9),
            daemon.menu("POST", "/append", nested(9)),
            daemon.menu("PATCH", "", add, LocalDaemon.patch),
        ]
        for answer in answers { #expect(answer.status == 422 && answer.code == "too-deep") }
        #expect(try daemon.menu("GET")["etag"] == "\"1\"")
    }

    @Test func `a document has only so many values, however they come (D5)`() throws {
        let daemon = try LocalDaemon(
            limits: Limits(json: JSONLimits(operationsMax: 100, valuesMax: 10)))
        try daemon.put("[1,2,3,4,5,6,7,8]")
        let parsed = try daemon.menu("PUT", "", "[{},{},{},{},{},{},{},{},{},{}]")
        #expect(parsed.status == 413 && parsed.code == "document-too-large")
        let patched = try daemon.menu(
            "PATCH", "", #"[{"op":"add","path":"/-","value":[9,10]}]"#, LocalDaemon.patch)
        #expect(patched.status == 413 && patched.code == "document-too-large")
        try daemon.put("{}")
        let merged = try daemon.menu(
            "PATCH", "", #"{"a":{"b":1,"c":2,"d":3},"e":[1,2,3]}"#, LocalDaemon.merge)
        #expect(merged.status == 200)
        let again = try daemon.menu("PATCH", "", #"{"f":[1,2,3]}"#, LocalDaemon.merge)
        #expect(again.status == 413 && again.code == "document-too-large")
    }

    @Test func `every problem is listed, and its type leads to it`() throws {
        let daemon = try LocalDaemon()
        let list = try #require(try daemon.client.request("GET", "/problems").json.elements)
        #expect(list.count > 30)
        for problem in list {
            let code = try #require(problem["code"]?.string)
            let answer = try daemon.client.request("GET", "/problems/\(code)")
            #expect(try answer.status == 200 && answer.json == problem)
        }
        #expect(try daemon.client.request("GET", "/problems/no").code == "unknown-problem")
    }
}
