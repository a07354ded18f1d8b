import JSONTree
import TestSupport
import Testing

@testable import VersiondAPI

/// Bodies are checked by the schemas that describe them.
@Suite struct BodyRuleTests {
    @Test func `every body has a schema that can be checked, and each example fits it`() throws {
        for endpoint in Endpoint.all where endpoint.method != .get {
            guard let name = endpoint.body.schema else { continue }
            let rule = try #require(endpoint.bodyRule)
            let schema = try #require(Schemas.ofBodies[name], "\(endpoint.id)")
            #expect(schema["additionalProperties"] == false, "\(name)")
            for example in schema["examples"]?.elements ?? [] {
                #expect(rule.faults(in: example).isEmpty, "\(name): \(example)")
            }
        }
    }

    @Test(arguments: [
        ("/goto", "{}", "/to"), ("/settings", #"{"debounce":{}}"#, "/debounce/window"),
        ("/undo", #"{"count":1.0}"#, "/count"), ("/undo", #"{"count":1e2}"#, "/count"),
        ("/undo", #"{"count":99999999999999999999}"#, "/count"), ("/undo", "[]", ""),
        ("/undo", #"{"all":{}}"#, "/all"), ("/redo", #"{"revision":-1}"#, "/revision"),
        ("/seal", #"{"x":1}"#, "/x"),
        ("/rename", #"{"name":".."}"#, "/name"), ("/purge", #"{"paths":["/0"]}"#, "/paths/0"),
        ("/scopes/push", #"{"ttl":"1ms"}"#, "/ttl"),
    ])
    func `a body that its schema forbids has its fault at the place`(
        path: String, body: String, place: String
    ) throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        let method = path == "/settings" ? "PATCH" : "POST"
        let refused = try daemon.menu(method, path, body)
        #expect(refused.status == 400 && refused.code == "malformed-request")
        let errors = try #require(try refused.json["errors"]?.elements)
        #expect(errors.map { $0["pointer"]?.string } == [place], "\(refused.text)")
        #expect(try daemon.menu("GET", "/status").json["revision"] == 0)
    }

    @Test func `a lenient client's unknown members do not hide what is wrong, or mean all`()
        throws
    {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        let lenient = ["Prefer": "handling=lenient"]
        let unknown = (0..<50).map { "\"x\($0)\":1" }.joined(separator: ",")
        let count = try daemon.menu("POST", "/undo", "{\(unknown),\"count\":0}", lenient)
        #expect(count.code == "malformed-request")
        let all = try daemon.client.request(
            "POST", "/v1/undo", LocalDaemon.json.merging(lenient) { $1 },
            body: "{\"all\":{\(unknown)}}")
        #expect(all.code == "malformed-request")
        let nothing = try daemon.menu("PATCH", "/settings", "{\(unknown)}", lenient)
        #expect(nothing.code == "malformed-request")
    }
}
