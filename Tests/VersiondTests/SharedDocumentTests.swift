import Foundation
import HTTPCalling
import JSONTree
import TestSupport
import Testing
import Threading
import VersioningClient

/// Models that programs share, over the real daemon and real sockets.
@MainActor @Suite(.timeLimit(.minutes(5))) struct SharedDocumentTests {
    struct Item: Codable, Sendable, Equatable, Identifiable {
        var id: String
        var text: String
    }

    struct List: Codable, Sendable, Equatable {
        var title = "Shopping"
        var items: [Item] = []
    }

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func daemon(_ more: [String] = []) throws -> DaemonProcess {
        try DaemonProcess(directory: directory.path + "/data", more)
    }

    private func connection(_ daemon: DaemonProcess, _ actor: String? = nil) throws -> Connection {
        try #require(Connection("http://127.0.0.1:\(daemon.port)", actor: actor))
    }

    private func list(_ connection: Connection, _ name: String = "list") async throws
        -> SharedDocument<List>
    {
        var options = SharingOptions()
        // Steps do not depend on how busy the machine is.
        options.debounce = .seconds(600)
        return try await SharedDocument(name, on: connection, initial: List(), options)
    }

    @Test func `two programs that edit one model at once have both edits, and each undoes its own`()
        async throws
    {
        let daemon = try daemon()
        let ada = try await list(connection(daemon, "ada"))
        let bob = try await list(connection(daemon, "bob"))
        ada.value.items.append(Item(id: "1", text: "bread"))
        bob.value.title = "Sunday"
        bob.value.items.append(Item(id: "2", text: "milk"))
        #expect(ada.value.items.map(\.text) == ["bread"], "shown at once")
        await ada.flush()
        await bob.flush()
        try await untilShown {
            ada.value == bob.value && ada.value.items.count == 2 && ada.value.title == "Sunday"
        }
        try await untilShown { ada.canUndo && bob.canUndo && ada.state == .live }
        try await ada.undo()
        #expect(ada.value.items.map(\.text) == ["milk"] && ada.value.title == "Sunday")
        try await untilShown { bob.value == ada.value && ada.canRedo }
        try await ada.redo()
        #expect(ada.value.items.count == 2)
        try await untilShown { bob.value == ada.value }
        await #expect(throws: DaemonProblem.self) {
            for _ in 0..<9 { try await ada.undo() }
        }
        #expect(ada.close() == JSONPatch([]) && ada.state == .closed)
        await #expect(throws: DaemonProblem.self) { try await ada.undo() }
    }

    @Test func `edits without a pause are one step of undo, and those of a group are one`()
        async throws
    {
        let daemon = try daemon()
        let ada = try await list(connection(daemon, "ada"))
        for letter in "bread" { ada.value.title.append(letter) }
        await ada.flush()
        try ada.edit(label: "both", group: "g") { $0.items.append(Item(id: "1", text: "a")) }
        await ada.flush()
        try ada.edit(label: "both", group: "g") { $0.items.append(Item(id: "2", text: "b")) }
        await ada.flush()
        #expect(ada.value.items.count == 2 && ada.value.title == "Shoppingbread")
        try await ada.undo()
        #expect(ada.value.items.isEmpty && ada.value.title == "Shoppingbread")
        try await ada.undo()
        #expect(ada.value.title == "Shopping")
    }

    @Test func `what is edited while the daemon is dead is stored once when it is back`()
        async throws
    {
        let first = try daemon()
        let transport = FaultyTransport(port: first.port)
        let ada = try await list(Connection(transport, actor: "ada"))
        ada.value.items.append(Item(id: "0", text: "stored"))
        await ada.flush()
        first.kill()
        for index in 1...3 { ada.value.items.append(Item(id: "\(index)", text: "waits")) }
        try await untilShown { ada.state == .offline }
        #expect(ada.value.items.count == 4 && !ada.pending.operations.isEmpty && ada.canUndo)
        try ada.edit(group: "title") { $0.title = "Undone here" }
        try await ada.undo()
        #expect(ada.value.items.count == 4)
        let again = try daemon()
        transport.lead(to: again.port)
        ada.retry()
        await ada.flush()
        let stored = try again.connect().request("GET", "/v1/documents/list")
        let value = try JSON(parsing: stored.body)
        #expect(value["items"]?.count == 4 && value["title"] == "Shopping")
        try await untilShown { ada.state == .live }
    }

    @Test func `an edit whose responses are lost is stored once`() async throws {
        let daemon = try daemon()
        let transport = FaultyTransport(port: daemon.port)
        let ada = try await list(Connection(transport, actor: "ada"))
        for index in 0..<4 {
            transport.loseAnswers(2)
            ada.value.items.append(Item(id: "\(index)", text: "once"))
            await ada.flush()
        }
        let value = try JSON(
            parsing: daemon.connect().request("GET", "/v1/documents/list").body)
        #expect(value["items"]?.count == 4 && ada.value.items.count == 4)
        #expect(transport.lostCount >= 4)
    }

    @Test func `an edit that the daemon refuses is returned with the reason, and others stay`()
        async throws
    {
        let daemon = try daemon()
        let ada = try await list(connection(daemon, "ada"))
        let schema = #"{"schema":{"properties":{"title":{"maxLength":20}}}}"#
        let answer = try daemon.connect().request(
            "PATCH", "/v1/documents/list/settings", ["Content-Type": "application/json"],
            body: schema)
        #expect(answer.status == 200, "\(answer.text)")
        var drops = ada.dropped.makeAsyncIterator()
        ada.value.items.append(Item(id: "1", text: "stays"))
        await ada.flush()
        ada.value.title = String(repeating: "long ", count: 9)
        let drop = try #require(await drops.next())
        #expect(drop.reason.status == 422 && drop.operations.operations.count == 1)
        #expect(ada.value.title == "Shopping" && ada.value.items.count == 1)
        ada.value.title = "Short"
        await ada.flush()
        #expect(ada.value.title == "Short")
    }

    @Test func `members that the model does not know stay, and a value that is no model is said`()
        async throws
    {
        let daemon = try daemon()
        let client = try daemon.connect()
        let json = ["Content-Type": "application/json"]
        let path = "/v1/documents/list"
        func put(_ text: String) throws -> Int {
            try client.request("PUT", path, json, body: text).status
        }
        #expect(
            try put(#"{"title":"New","items":[{"id":"1","text":"a","due":1.50}],"color":"red"}"#)
                == 201)
        let ada = try await list(connection(daemon, "ada"))
        ada.value.items[0].text = "b"
        ada.value.items.insert(Item(id: "0", text: "first"), at: 0)
        await ada.flush()
        let text = try client.request("GET", path).text
        #expect(
            text == #"{"title":"New","items":[{"id":"0","text":"first"},"#
                + #"{"id":"1","text":"b","due":1.50}],"color":"red"}"# + "\n")
        #expect(try put(#"{"title":5,"items":[]}"#) == 200)
        try await untilShown { if case .unreadable = ada.state { true } else { false } }
        #expect(ada.value.items.count == 2, "the last model is still shown")
        #expect(throws: ModelError.self) { try ada.edit { $0.title = "lost" } }
        #expect(try put(#"{"title":"5","items":[]}"#) == 200)
        try await untilShown { ada.state == .live && ada.value.title == "5" }
    }

    @Test func `a document that is renamed is followed, and one that is deleted says so`()
        async throws
    {
        let daemon = try daemon()
        let client = try daemon.connect()
        let ada = try await list(connection(daemon, "ada"))
        let json = ["Content-Type": "application/json"]
        let renamed = try client.request(
            "POST", "/v1/documents/list/rename", json, body: #"{"name":"groceries"}"#)
        #expect(renamed.status == 201, "\(renamed.text)")
        ada.value.title = "Renamed"
        await ada.flush()
        try await untilShown {
            try client.request("GET", "/v1/documents/groceries").text.contains("Renamed")
        }
        try await untilShown { ada.state == .live }
        #expect(try client.request("DELETE", "/v1/documents/groceries").status == 204)
        try await untilShown { ada.state == .deleted }
        #expect(throws: DaemonProblem.self) { try ada.edit { $0.title = "late" } }
        #expect(try client.request("POST", "/v1/documents/groceries/undelete").status == 200)
        try await untilShown { ada.state == .live }
        ada.value.title = "Again"
        await ada.flush()
        #expect(try client.request("GET", "/v1/documents/groceries").text.contains("Again"))
    }

    @Test func `a document that is not there is said at once, as is a token that may not read it`()
        async throws
    {
        let tokens = directory.path + "/tokens.json"
        let made = try DaemonProcess.run(
            ["token", "create", "--file", tokens, "--name", "ada", "--allow", "read,write"])
        let secret = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let daemon = try daemon(["--tokens", tokens])
        let current = Lock("vd_wrong")
        let transport = FaultyTransport(port: daemon.port)
        let known = Connection(transport, token: { secret })
        let problem = await #expect(throws: DaemonProblem.self) {
            _ = try await SharedDocument<List>("missing", on: known)
        }
        #expect(problem?.status == 404)
        let stranger = Connection(transport, token: { "vd_wrong" })
        let refusal = await #expect(throws: DaemonProblem.self) {
            _ = try await SharedDocument<List>("list", on: stranger)
        }
        #expect(refusal?.status == 401)
        // A token that has expired: what is edited waits for another one.
        let ada = try await list(
            Connection(transport, token: { current.withLock { $0 } }), secret: secret, current)
        current.withLock { $0 = "vd_wrong" }
        ada.value.title = "Waits"
        try await untilShown { if case .refused = ada.state { true } else { false } }
        current.withLock { $0 = secret }
        ada.retry()
        await ada.flush()
        try await untilShown { ada.state == .live && ada.canUndo }
        try await ada.undo()
        #expect(ada.value.title == "Shopping")
    }

    /// Opened while the token is right.
    private func list(
        _ connection: Connection, secret: String, _ current: Lock<String>
    ) async throws -> SharedDocument<List> {
        current.withLock { $0 = secret }
        return try await list(connection)
    }

    @Test func `a value that JSON cannot express is reported, and the model stays`() async throws {
        let daemon = try daemon()
        let scores = try await SharedDocument("scores", on: connection(daemon), initial: [1.5])
        var drops = scores.dropped.makeAsyncIterator()
        scores.value[0] = .nan
        #expect(try #require(await drops.next()).reason.code == "no-json")
        #expect(scores.value == [1.5] && scores.pending.operations.isEmpty)
        scores.value[0] = 2
        await scores.flush()
        let stored = try daemon.connect().request("GET", "/v1/documents/scores").text
        #expect(stored == "[2]\n")
    }

    @Test func `changes are reported with what they did and who made them`() async throws {
        let daemon = try daemon()
        let ada = try await list(connection(daemon, "ada"))
        let bob = try await list(connection(daemon, "bob"))
        var changes = ada.changes.makeAsyncIterator()
        try bob.edit(label: "a new title") { $0.title = "Bob's" }
        let change = try #require(await changes.next())
        #expect(change.actor == "bob" && change.label == "a new title" && !change.isOwn)
        #expect(change.revision == 1 && change.operations.operations.count == 1)
        #expect(ada.value.title == "Bob's")
        ada.close()
        #expect(await changes.next() == nil, "the sequence ends with the document")
    }
}

/// The real transport, to a port that may change, with lost answers.
private final class FaultyTransport: Transport {
    private let state: Lock<(transport: CurlTransport, toLose: Int, lost: Int)>

    init(port: UInt16) {
        state = Lock((FaultyTransport.transport(port), 0, 0))
    }

    private static func transport(_ port: UInt16) -> CurlTransport {
        guard let address = ServerAddress("http://127.0.0.1:\(port)") else {
            preconditionFailure("it is an address")
        }
        return CurlTransport(address)
    }

    func lead(to port: UInt16) {
        state.withLock { $0.transport = FaultyTransport.transport(port) }
    }

    /// The next requests that change something are carried out, and their responses are lost.
    func loseAnswers(_ count: Int) {
        state.withLock { $0.toLose = count }
    }

    var lostCount: Int { state.withLock { $0.lost } }

    func send(_ call: HTTPCall) async throws(HTTPCallError) -> HTTPAnswer {
        let answer = try await state.withLock { $0.transport }.send(call)
        let isLost = state.withLock { state in
            guard call.method != "GET", state.toLose > 0 else { return false }
            state.toLose -= 1
            state.lost += 1
            return true
        }
        if isLost { throw .unanswered("lost") }
        return answer
    }

    func stream(_ call: HTTPCall) -> AsyncThrowingStream<[UInt8], any Error> {
        state.withLock { $0.transport }.stream(call)
    }
}
