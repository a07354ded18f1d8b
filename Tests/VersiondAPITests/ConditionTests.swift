import Compression
import JSONTree
import TestSupport
import Testing

/// Conditions, preferences and codings.
@Suite struct ConditionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let field: String
        let value: String
        /// Whether there is a document.
        let exists: Bool
        let get: Int
        let put: Int
        let patch: Int
        let undo: Int
        let delete: Int
        let tag: Int
        var testDescription: String { "\(field): \(value), \(exists ? "there" : "not there")" }
    }

    /// The document is at revision 1. The matrix of `Documentation/Reference/HTTP.md`.
    static let matrix = [
        Case(
            field: "X-None", value: "", exists: true, get: 200, put: 200, patch: 200, undo: 200,
            delete: 204, tag: 201),
        Case(
            field: "X-None", value: "", exists: false, get: 404, put: 201, patch: 404, undo: 404,
            delete: 404, tag: 404),
        Case(
            field: "If-Match", value: "\"1\"", exists: true, get: 200, put: 200, patch: 200,
            undo: 200, delete: 204, tag: 201),
        Case(
            field: "If-Match", value: "\"0\", \"1\"", exists: true, get: 200, put: 200, patch: 200,
            undo: 200, delete: 204, tag: 201),
        Case(
            field: "If-Match", value: "\"1-gzip\"", exists: true, get: 200, put: 200, patch: 200,
            undo: 200, delete: 204, tag: 201),
        Case(
            field: "If-Match", value: "\"0\"", exists: true, get: 412, put: 412, patch: 412,
            undo: 412, delete: 412, tag: 412),
        Case(
            field: "If-Match", value: "\"01\"", exists: true, get: 412, put: 412, patch: 412,
            undo: 412, delete: 412, tag: 412),
        Case(
            field: "If-Match", value: "\"a,b\" ,\t\"1\"", exists: true, get: 200, put: 200,
            patch: 200, undo: 200, delete: 204, tag: 201),
        Case(
            field: "If-Match", value: "", exists: true, get: 412, put: 412, patch: 412, undo: 412,
            delete: 412, tag: 412),
        Case(
            field: "If-Match", value: "W/\"1\"", exists: true, get: 412, put: 412, patch: 412,
            undo: 412, delete: 412, tag: 412),
        Case(
            field: "If-Match", value: "*", exists: true, get: 200, put: 200, patch: 200, undo: 200,
            delete: 204, tag: 201),
        Case(
            field: "If-Match", value: "*", exists: false, get: 404, put: 412, patch: 412, undo: 412,
            delete: 412, tag: 412),
        Case(
            field: "If-Match", value: "\"0\"", exists: false, get: 404, put: 412, patch: 412,
            undo: 412, delete: 412, tag: 412),
        Case(
            field: "If-None-Match", value: "\"1\"", exists: true, get: 304, put: 412, patch: 412,
            undo: 412, delete: 412, tag: 412),
        Case(
            field: "If-None-Match", value: "W/\"1\"", exists: true, get: 304, put: 200, patch: 200,
            undo: 200, delete: 204, tag: 201),
        Case(
            field: "If-None-Match", value: "\"0\"", exists: true, get: 200, put: 200, patch: 200,
            undo: 200, delete: 204, tag: 201),
        Case(
            field: "If-None-Match", value: "*", exists: true, get: 304, put: 412, patch: 412,
            undo: 412, delete: 412, tag: 201),
        Case(
            field: "If-None-Match", value: "*", exists: false, get: 404, put: 201, patch: 404,
            undo: 404, delete: 404, tag: 404),
    ]

    @Test(arguments: matrix)
    func `13: conditions hold for every method alike`(input: Case) throws {
        for (method, rest, body, status) in [
            ("GET", "", nil, input.get), ("HEAD", "", nil, input.get), ("PUT", "", "7", input.put),
            ("PATCH", "", #"{"a":1}"#, input.patch),
            ("POST", "/undo", nil, input.undo), ("DELETE", "", nil, input.delete),
            ("PUT", "/tags/new", nil, input.tag),
        ] as [(String, String, String?, Int)] {
            let daemon = try LocalDaemon()
            if input.exists { for value in ["0", "1"] { try daemon.succeed("PUT", "", value) } }
            var fields = [input.field: input.value]
            if method == "PATCH" { fields["Content-Type"] = "application/merge-patch+json" }
            let answer = try daemon.menu(method, rest, body, fields)
            #expect(answer.status == status, "\(method) \(rest)")
            if status == 412 && input.exists && method != "HEAD" && method != "GET" {
                #expect(try answer.json["revision"] == 1 && answer["etag"] == "\"1\"")
            }
        }
    }

    @Test func `a 412 tells the head and where to see what was missed`() throws {
        let daemon = try LocalDaemon()
        for number in 0...5 { try daemon.put("\(number)") }
        let stale = try daemon.menu("PUT", "", "9", ["If-Match": "\"2\""])
        #expect(try stale.json["revision"] == 5)
        let link = try #require(stale["link"])
        #expect(link == "</v1/documents/menu/feed?cursor=2>; rel=\"related\"")
        let missed = try daemon.client.request("GET", "/v1/documents/menu/feed?cursor=2").json
        #expect(missed["events"]?.count == 3)
    }

    @Test func `what is preferred is done, and said`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":1}"#)
        let minimal = try daemon.menu("PUT", "", #"{"a":2}"#, ["Prefer": "return=minimal"])
        #expect(
            minimal.status == 204 && minimal["etag"] == "\"1\""
                && minimal["preference-applied"] == "return=minimal")
        let whole = try daemon.menu("PUT", "", #"{"a":3}"#, ["Prefer": "return=representation"])
        #expect(
            try whole.json["value"] == ["a": 3]
                && whole["preference-applied"] == "return=representation")
    }

    @Test func `N7: caches are told that what is asked for has forms and codings`() throws {
        let daemon = try LocalDaemon()
        #expect(try daemon.menu("PUT", "", "[1]").status == 201)
        for path in ["", "/status", "/history", "/feed?cursor=-1", "/versions"] {
            let answer = try daemon.menu("GET", path)
            #expect(answer.status == 200 && answer["vary"] == "Accept, Accept-Encoding", "\(path)")
        }
        let same = try daemon.menu("GET", "", nil, ["If-None-Match": "\"0\""])
        #expect(same.status == 304 && same["vary"] == "Accept, Accept-Encoding", "N8")
    }

    @Test func `answers and bodies are coded with gzip by those who can`() throws {
        let daemon = try LocalDaemon(limits: .init(bodyBytesMax: 100_000))
        let text = "\"" + String(repeating: "soup ", count: 1_000) + "\""
        let coded = Gzip.encode(Array(text.utf8))
        func put(_ body: [UInt8], _ coding: String) throws -> Answer {
            daemon.client.send(
                "PUT /v1/documents/menu HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n"
            )
            daemon.client.send(body)
            return try #require(daemon.client.receive())
        }
        #expect(try put(coded, "gzip").status == 201)
        for accept in ["gzip", "br, gzip;q=0.5", "*"] {
            let answer = try daemon.menu("GET", "", nil, ["Accept-Encoding": accept])
            #expect(
                answer["content-encoding"] == "gzip" && answer["vary"] == "Accept, Accept-Encoding"
                    && answer["etag"] == "\"0\"")
            #expect(answer.body.count < 500)
            #expect(try Gzip.decode(answer.body, bytesMax: 10_000) == Array(text.utf8) + [0x0a])
        }
        for accept in ["", "br", "gzip;q=0", "identity"] {
            #expect(
                try daemon.menu("GET", "", nil, ["Accept-Encoding": accept])["content-encoding"]
                    == nil)
        }
        #expect(
            try daemon.menu("GET", "/status", nil, ["Accept-Encoding": "gzip"])["content-encoding"]
                == nil, "too small")
        #expect(
            try put(Gzip.encode([UInt8](repeating: 0x20, count: 200_000)), "gzip").code
                == "body-too-large")
        #expect(try put(Array("no gzip".utf8), "gzip").code == "malformed-request")
        let unknown = try put(coded, "br")
        #expect(unknown.code == "unsupported-media-type" && unknown["accept-encoding"] == "gzip")
    }

    @Test func `HEAD tells what GET would, without the body`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":1}"#)
        for rest in [
            "", "/status", "/history", "/tags", "/settings", "/snapshots", "/scopes",
            "/feed?cursor=-1",
        ] {
            let (get, head) = (try daemon.menu("GET", rest), try daemon.menu("HEAD", rest))
            #expect(
                head.status == get.status && head["content-length"] == get["content-length"]
                    && head["etag"] == get["etag"], "\(rest)")
        }
    }
}
