import AccessControl
import JSONTree
import Journaling
import TestSupport
import Testing

/// A document `menu` by bob, and a draft of it by ada, over HTTP.
struct DraftScene {
    let daemon: LocalDaemon
    let token: String?

    init(
        _ value: String = #"{"a":1,"b":1}"#, settings: String? = nil, access: AccessList = .open,
        token: String? = nil, journal: (any Journal)? = nil
    ) throws {
        daemon = try LocalDaemon(journal: journal, access: access)
        self.token = token
        try succeed("PUT", "menu", value)
        if let settings { try succeed("PATCH", "menu/settings", settings) }
        try succeed("PUT", "menu~ada?copyOf=menu")
    }

    /// A request about a document; JSON bodies are sent as such.
    func send(
        _ method: String, _ path: String, _ body: String? = nil, _ fields: [String: String] = [:]
    ) throws -> Answer {
        var known = body == nil ? [:] : LocalDaemon.json
        if let token { known["Authorization"] = "Bearer \(token)" }
        return try daemon.client.request(
            method, "/v1/documents/" + path, known.merging(fields) { $1 }, body: body)
    }

    /// The same, which must succeed.
    @discardableResult
    func succeed(
        _ method: String, _ path: String, _ body: String? = nil, _ fields: [String: String] = [:]
    ) throws -> JSON {
        let answer = try send(method, path, body, fields)
        #expect((200..<300).contains(answer.status), "\(method) \(path): \(answer.text)")
        return answer.body.isEmpty ? .null : try answer.json
    }

    /// The same, which must be refused so, and change nothing.
    @discardableResult
    func refuse(
        _ status: Int, _ code: String, _ method: String, _ path: String, _ body: String? = nil,
        _ fields: [String: String] = [:]
    ) throws -> JSON {
        let before = try heads()
        let answer = try send(method, path, body, fields)
        #expect(answer.status == status && answer.code == code, "\(path): \(answer.text)")
        #expect(try heads() == before)
        return try answer.json
    }

    private func heads() throws -> [String] {
        try ["menu", "menu~ada"].map { name in
            let answer = try send("GET", name)
            // A problem has a number of its own.
            return answer.status == 200 ? answer.text + (answer["etag"] ?? "") : "\(answer.status)"
        }
    }

    /// A merge patch by bob, of the origin, or by ada, of the draft.
    func edit(_ name: String, _ patch: String, by actor: String? = nil) throws {
        let actor = actor ?? (name == "menu" ? "bob" : "ada")
        try succeed("PATCH", name, patch, LocalDaemon.merge.by(actor))
    }

    func value(_ name: String) throws -> JSON { try send("GET", name).json }

    func origin() throws -> JSON { try succeed("GET", "menu~ada/origin") }
}

extension JSON {
    /// The texts of an array.
    var texts: [String] { elements?.compactMap(\.string) ?? [] }
    /// The numbers of an array.
    var numbers: [Int] { elements?.compactMap(\.int) ?? [] }
}
