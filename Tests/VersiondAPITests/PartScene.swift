import JSONTree
import Journaling
import TestSupport
import Testing

/// Documents with transactions over them, by actors who may do everything.
struct PartScene {
    let daemon: LocalDaemon

    init(_ journal: (any Journal)? = nil) throws {
        daemon = try LocalDaemon(journal: journal)
    }

    @discardableResult
    func send(
        _ method: String, _ path: String, _ body: String? = nil, by actor: String = "u",
        is status: Int = 200, _ place: SourceLocation = #_sourceLocation
    ) throws -> Answer {
        let type = method == "PATCH" ? LocalDaemon.merge : LocalDaemon.json
        let fields = body == nil ? [:] : type
        let answer = try daemon.client.request(
            method, "/v1/" + path, fields.by(actor), body: body)
        #expect(
            answer.status == status, "\(method) \(path): \(answer.text)", sourceLocation: place)
        return answer
    }

    /// Makes documents of which each is `{"n":0}`.
    func make(_ names: String..., by actor: String = "root") throws {
        for name in names {
            try send("PUT", "documents/\(name)", #"{"n":0}"#, by: actor, is: 201)
        }
    }

    func edit(_ name: String, _ value: String, by actor: String) throws {
        try send("PATCH", "documents/\(name)", value, by: actor)
    }

    /// Sets a member of documents in one transaction. Returns its name.
    @discardableResult
    func transact(
        _ names: String..., to value: String = #"{"n":1}"#, query: String = "",
        by actor: String = "u"
    ) throws -> String {
        try transact(
            names.map { #"{"document":"\#($0)","merge":\#(value)}"# }, query: query, by: actor)
    }

    @discardableResult
    func transact(
        _ changes: [String], query: String = "", by actor: String = "u"
    ) throws -> String {
        let body = "{\"changes\":[\(changes.joined(separator: ","))]}"
        let answer = try send("POST", "transactions" + query, body, by: actor)
        return try answer.json["transaction"]?.string ?? ""
    }

    func rename(_ name: String, _ new: String) throws {
        try send("POST", "documents/\(name)/rename", #"{"name":"\#(new)"}"#, by: "root", is: 201)
    }

    /// The member `n` of documents; of one that is not there, the code of the reason.
    func values(_ names: String...) throws -> [JSON] {
        try names.map { name in
            let answer = try daemon.client.request("GET", "/v1/documents/\(name)")
            return try answer.status == 200
                ? answer.json["n"] ?? .null : JSON(answer.code ?? "\(answer.status)")
        }
    }
}
