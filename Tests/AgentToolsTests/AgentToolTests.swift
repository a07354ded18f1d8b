import JSONTree
import Testing

@testable import AgentTools

/// The calls of each tool, and the result that it makes of their responses.
@Suite struct AgentToolTests {
    private let scene = ToolScene()

    @Test(arguments: [
        ("list", #"{"prefix":"a","limit":9999}"#, "GET /v1/documents?prefix=a&limit=1000"),
        (
            "read", #"{"document":"menu","path":"price","at":"1h"}"#,
            "GET /v1/documents/menu?path=/price&at=2026-01-31T11:00:00Z"
        ),
        (
            "history", #"{"document":"menu","actor":"ada"}"#,
            "GET /v1/documents/menu/versions?limit=20&summary=&actor=ada"
        ),
        (
            "blame", #"{"document":"menu","at":"version:3"}"#,
            "GET /v1/documents/menu/blame?at=version:3"
        ),
        (
            "diff", #"{"document":"menu","from":"7"}"#,
            "GET /v1/documents/menu/diff?from=7&to=head"
        ),
        ("runs", #"{"prefix":"a"}"#, "GET /v1/runs?prefix=a&limit=20"),
        ("runs", #"{"run":"agent/run-2"}"#, "GET /v1/runs/agent/run-2?limit=20"),
        (
            "create", #"{"document":"menu","value":[1]}"#,
            "PUT /v1/documents/menu by agent/run-1 [1]"
        ),
        (
            "edit",
            #"{"document":"menu","patch":[],"base":7,"conflict":"mine","why":"x","dry_run":true}"#,
            "PATCH /v1/documents/menu?label=x&dryRun=true&base=7&conflict=mine by agent/run-1 []"
        ),
        (
            "replace_text", #"{"document":"menu","path":"t","old":"a","new":"b"}"#,
            "PATCH /v1/documents/menu by agent/run-1 "
                + #"[{"op":"str_replace","path":"/t","find":"a","str":"b"}]"#
        ),
        (
            "propose", #"{"document":"menu","patch":[]}"#,
            "PUT /v1/documents/menu~agent/run-1?copyOf=menu by agent/run-1"
        ),
        (
            "undo_run", #"{}"#,
            #"POST /v1/undo?label=run undone by agent/run-1 {"all":{"actor":"agent/run-1"},"close":true}"#
        ),
        (
            "redo_run",
            #"{"documents":["a"],"keep":{"a":["/0"]},"match":{"a":7},"run":"agent/run-2"}"#,
            "POST /v1/redo?label=run redone by agent/run-2 "
                + #"{"all":{"actor":"agent/run-2"},"close":true,"documents":["a"],"keep":{"a":["/0"]},"#
                + #""match":{"a":7}}"#
        ),
    ])
    func `each tool begins with its call`(name: String, text: String, line: String) throws {
        let arguments = try JSON(parsing: Array(text.utf8))
        #expect(try scene.calls(name, arguments).lines == [line])
    }

    @Test func `a proposal is a draft, its edit and its difference`() throws {
        let patch: JSON = [["op": "remove", "path": "/a"]]
        for status in [201, 412] {
            let (lines, result) = try scene.calls(
                "propose", ["document": "menu", "patch": patch],
                [
                    (status, ["code": "stale-revision"]), (200, ["revision": 4]),
                    (200, ["patch": []]),
                ]
            )
            #expect(
                lines.map { $0.prefix(4) } == ["PUT ", "PATC", "GET "], "\(status): \(lines)")
            let draft = result?.value?["draft"]
            #expect(draft == "menu~agent/run-1" && result?.value?["revision"] == 4)
        }
        let refused = try scene.calls(
            "propose", ["document": "menu", "patch": patch],
            [(403, ["detail": "No.", "hint": "x"])]
        ).result
        #expect(refused?.failure == "No.\nhint: x")
    }

    @Test func `a misspelt document has the hint of a similar name`() throws {
        let names: JSON = ["documents": [["document": "other"], ["document": "menu"]]]
        for (name, hint) in [("menü", "Did you mean menu?"), ("unlike", "The tool list")] {
            let (lines, result) = try scene.calls(
                "read", ["document": JSON(name)],
                [(404, ["code": "unknown-document", "detail": "Unknown."]), (200, names)])
            #expect(lines.last == "GET /v1/documents?prefix=\(name.prefix(1))&limit=1000")
            #expect(result?.failure?.contains("hint: \(hint)") == true, "\(name)")
        }
    }

    @Test(arguments: [
        ("create", 412, "stale-revision", "use edit"), ("edit", 409, "conflict", "set conflict"),
        ("edit", 409, "test-failed", "set conflict"), ("edit", 422, "other", "as it says"),
        ("replace_text", 409, "text-not-found", "copy old exactly"),
        ("replace_text", 409, "text-not-unique", "occurs once"),
        ("replace_text", 409, "conflict", "repeat the edit"),
        ("replace_text", 422, "other", "as it says"),
    ])
    func `a problem has the hint of its tool`(
        name: String, status: Int, code: String, hint: String
    ) throws {
        let arguments: [String: JSON] = [
            "create": ["document": "menu", "value": 1], "edit": ["document": "menu", "patch": []],
            "replace_text": ["document": "menu", "path": "/t", "old": "a", "new": "b"],
        ]
        let result = try scene.calls(
            name, try #require(arguments[name]),
            [(status, ["code": JSON(code), "detail": "It failed.", "hint": "as it says"])]
        ).result
        #expect(result?.failure?.hasPrefix("It failed.\nhint: ") == true)
        #expect(result?.failure?.contains(hint) == true, "\(result?.failure ?? "")")
    }

    @Test(arguments: [
        ("read", #"{"document":"menu","path":"/~2"}"#, "not a JSON Pointer"),
        ("read", #"{"document":"menu","at":"yesterday"}"#, "not a state"),
        ("diff", #"{"document":"menu","from":"version:"}"#, "not a state"),
        ("replace_text", #"{"document":"menu","path":"","old":"","new":""}"#, "must not be empty"),
        ("edit", #"{"document":"menu","patch":[],"run":"ada"}"#, "not a run"),
    ])
    func `what cannot be right is refused without a call`(
        name: String, text: String, words: String
    ) throws {
        let (lines, result) = try scene.calls(name, try JSON(parsing: Array(text.utf8)))
        #expect(lines.isEmpty && result?.failure?.contains(words) == true)
    }

    @Test func `28: an edit belongs to a run; without one, the hint is begin_run`() throws {
        var scene = scene
        scene.run = nil
        for status in [201, 403] {
            let begun = try scene.calls("begin_run", [:], [(status, ["open": true])])
            #expect(begun.result?.value?["run"] == "agent/run-5f2c81aa", "\(status)")
            #expect(begun.lines == ["PUT /v1/runs/agent/run-5f2c81aa by agent/run-5f2c81aa"])
        }
        let edits: [(String, JSON)] = [
            ("create", ["document": "menu", "value": 1]),
            ("edit", ["document": "menu", "patch": []]),
            ("replace_text", ["document": "menu", "path": "/t", "old": "a", "new": "b"]),
            ("propose", ["document": "menu", "patch": []]), ("undo_run", [:]), ("redo_run", [:]),
            ("end_run", [:]),
        ]
        let writing = AgentTool.all.filter { !$0.isReading }.map(\.name)
        #expect(Set(edits.map(\.0) + ["begin_run"]) == Set(writing))
        for (name, arguments) in edits {
            let (lines, result) = try scene.calls(name, arguments)
            #expect(lines.isEmpty && result?.failure?.contains("begin_run") == true, "\(name)")
            let named = JSON(
                members: (arguments.members ?? []).map { ($0.name, $0.value) }
                    + [("run", "agent/run-9")])
            #expect(try scene.calls(name, named).lines.first?.contains("by agent/run-9") == true)
        }
    }

    @Test func `a dry run says that it changed nothing, and a list that it is incomplete`() throws {
        let dry = try scene.calls(
            "edit", ["document": "menu", "patch": [], "dry_run": true], [(200, ["revision": 1])])
        #expect(dry.result?.value?["hint"]?.string?.contains("Nothing was changed") == true)
        for (next, hasHint) in [("b" as JSON, true), (.null, false)] {
            for name in ["list", "runs"] {
                let page: JSON = ["documents": [["document": "a"]], "runs": [], "next": next]
                let value = try scene.calls(name, [:], [(200, page)]).result?.value
                #expect((value?["hint"] != nil) == hasHint)
            }
        }
        var labelled = scene
        labelled.label = "of the host"
        let call = try labelled.calls("edit", ["document": "menu", "patch": []]).lines.first
        #expect(call?.contains("label=of the host") == true)
    }

    @Test(arguments: [
        ("read", #"{"document":""}"#), ("undo_run", #"{"documents":[7]}"#),
        ("undo_run", #"{"keep":{"a":false}}"#), ("undo_run", #"{"keep":["a"]}"#),
        ("undo_run", #"{"match":{"a":-1}}"#), ("edit", #"{"document":"a","patch":[],"run":""}"#),
        ("begin_run", #"{"ttl":"1h"}"#),
    ])
    func `arguments of a wrong form are faults`(name: String, text: String) throws {
        let tool = try #require(AgentTool.all.first { $0.name == name })
        #expect(tool.fault(of: try JSON(parsing: Array(text.utf8))) != nil)
    }

    @Test func `each tool has a schema for each of its arguments`() {
        let server = AgentProtocol(program: ("test", "1"), tools: AgentTool.all, isForAll: true)
        let list: JSON = ["jsonrpc": "2.0", "id": 1, "method": "tools/list"]
        let answer = server.answer(list) { _ in .failed("") }
        let tools = answer?["result"]?["tools"]?.elements ?? []
        #expect(tools.count == 14)
        for tool in tools {
            let schema = tool["inputSchema"]
            #expect(schema?["additionalProperties"] == false, "\(tool["name"] ?? .null)")
            for (name, property) in schema?["properties"]?.members ?? [] {
                #expect(property["description"]?.string?.isEmpty == false, "\(name)")
            }
        }
    }
}
