import AccessControl
import JSONTree
import Journaling
import TestSupport
import Testing

/// Documents `menu` and `wine` by bob, and drafts `spring~/menu` and `spring~/wine` by ada.
struct DraftsScene {
    let daemon: LocalDaemon
    let token: String?
    let journal: any Journal

    init(
        _ value: String = #"{"a":1,"b":1}"#, access: AccessList = .open, token: String? = nil,
        journal: (any Journal)? = nil, requestBytesMax: Int = 1 << 30
    ) throws {
        self.journal = try journal ?? LocalDaemon.newJournal()
        daemon = try LocalDaemon(
            journal: self.journal, access: access, requestBytesMax: requestBytesMax)
        self.token = token
        for name in ["menu", "wine"] {
            try make(name, value)
            try copy(name, as: "spring~/\(name)")
        }
    }

    static func path(_ name: String) -> String {
        "/v1/documents/" + name.replacing("/", with: "%2F")
    }

    /// A request; bodies are JSON, if `fields` do not say otherwise.
    func send(
        _ method: String, _ path: String, _ body: String? = nil, _ fields: [String: String] = [:]
    ) throws -> Answer {
        var known = body == nil ? [:] : LocalDaemon.json
        if let token { known["Authorization"] = "Bearer \(token)" }
        daemon.time.advance(by: 1_000)
        return try daemon.client.request(
            method, path, known.merging(fields) { $1 }, body: body)
    }

    /// The same, which must succeed.
    @discardableResult
    func succeed(
        _ method: String, _ path: String, _ body: String? = nil, _ fields: [String: String] = [:],
        _ place: SourceLocation = #_sourceLocation
    ) throws -> JSON {
        let answer = try send(method, path, body, fields)
        #expect(
            (200..<300).contains(answer.status), "\(method) \(path): \(answer.text)",
            sourceLocation: place)
        return answer.body.isEmpty ? .null : try answer.json
    }

    func make(_ name: String, _ value: String) throws {
        try succeed("PUT", DraftsScene.path(name), value, [:].by("bob"))
    }

    func copy(_ name: String, as draft: String) throws {
        try succeed("PUT", DraftsScene.path(draft) + "?copyOf=\(name)")
    }

    /// A merge patch, by ada of drafts, by bob of other documents.
    func edit(_ name: String, _ patch: String) throws {
        let actor = name.contains("~") ? "ada" : "bob"
        try succeed("PATCH", DraftsScene.path(name), patch, LocalDaemon.merge.by(actor))
    }

    func value(_ name: String) throws -> JSON {
        let answer = try send("GET", DraftsScene.path(name))
        return answer.status == 200 ? try answer.json : JSON(answer.code ?? "")
    }

    func values(_ names: String...) throws -> [JSON] { try names.map { try value($0) } }

    /// `POST /v1/merge` of the drafts `spring~/…`.
    func merge(
        _ more: String = "", _ query: String = "", _ fields: [String: String] = [:],
        prefix: String = "spring~/"
    ) throws -> Answer {
        try send("POST", "/v1/merge" + query, #"{"prefix":"\#(prefix)"\#(more)}"#, fields)
    }

    /// The same, which must succeed.
    func merged(
        _ more: String = "", _ query: String = "", _ fields: [String: String] = [:],
        prefix: String = "spring~/", _ place: SourceLocation = #_sourceLocation
    ) throws -> JSON {
        let answer = try merge(more, query, fields, prefix: prefix)
        #expect(answer.status == 200, "\(answer.text)", sourceLocation: place)
        return try answer.json
    }

    /// The same, which must be refused so, and change nothing.
    @discardableResult
    func refused(
        _ status: Int, _ code: String, _ more: String = "", _ query: String = "",
        _ fields: [String: String] = [:], prefix: String = "spring~/",
        _ place: SourceLocation = #_sourceLocation
    ) throws -> JSON {
        let before = daemon.store.lastSequence
        let answer = try merge(more, query, fields, prefix: prefix)
        #expect(
            answer.status == status && answer.code == code, "\(answer.text)",
            sourceLocation: place)
        #expect(daemon.store.lastSequence == before, sourceLocation: place)
        return try answer.json
    }
}
