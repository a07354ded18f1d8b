import AccessControl
import Documents
import Foundation
import HTTPServing
import JSONTree
import Journaling
import PostgreSQLJournaling
import Presence
import TestSupport
import Testing
import VersiondAPI

/// The daemon inside the test: real sockets, a journal in memory, and a clock that the test moves.
final class LocalDaemon {
    let time = ManualTime()
    /// The server's own time, for deadlines.
    let serverTime = ManualTime(milliseconds: 0)
    let store: DocumentStore
    /// When documents asked to be checked.
    private let scheduled = TestLock<[Timestamp]>([])
    let server: HTTPServer
    let client: RawConnection
    let access: AccessControl
    let presence: PresenceHub

    init(
        limits: Limits = Limits(), journal given: (any Journal)? = nil,
        isTimeReal: Bool = false,
        loops: Int = 1, streamsMax: Int = 64, access: AccessList = .open, origins: Set<String> = [],
        hosts: Set<String> = ["localhost"], documentation: String = "",
        undoBytesMax: Int = 64 << 20,
        requestBytesMax: Int = 1 << 30, workBytesMax: Int = 1 << 30
    ) throws {
        let journal = try given ?? LocalDaemon.newJournal()
        store = DocumentStore(
            journal: journal,
            options: .init(
                limits: limits.json, workBytesMax: workBytesMax, requestBytesMax: requestBytesMax,
                undoBytesMax: undoBytesMax),
            now: { [time] in time.now },
            schedule: { [scheduled] _, time in scheduled.withLock { $0.append(time) } })
        self.access = AccessControl(access) { [time] in time.now.milliseconds }
        let presence = PresenceHub { [time] in time.now.milliseconds }
        self.presence = presence
        let api = DocumentsAPI(
            store: store, presence: presence, access: self.access, limits: limits, hosts: hosts,
            origins: origins,
            identity: .init(version: "test", documentation: documentation))
        let clock = ContinuousClock()
        let start = clock.now
        let now: @Sendable () -> Duration = { [serverTime] in
            isTimeReal ? clock.now - start : .milliseconds(serverTime.now.milliseconds)
        }
        // A test that waits for others, on a busy machine, finds its connection as it was.
        server = try HTTPServer(
            .init(loops: loops, streamsMax: streamsMax, idleSecondsMax: 86_400, now: now),
            handler: api)
        client = try RawConnection(port: server.port)
    }

    /// In memory; `TEST_JOURNAL` says otherwise: `shared`, or `postgresql`.
    static func newJournal() throws -> any Journal {
        switch ProcessInfo.processInfo.environment["TEST_JOURNAL"] {
        case "shared": return InMemoryJournal(isShared: true)
        case "postgresql":
            let server = try #require(PostgreSQLServer.shared)
            let address = try #require(PostgreSQLAddress(try server.newSchema()))
            return try PostgreSQLJournal(address, now: PostgreSQLServer.time())
        default: return InMemoryJournal()
        }
    }

    private var isStopped = false

    deinit { stop() }

    /// As the daemon stops.
    func stop() {
        if isStopped { return }
        isStopped = true
        server.drain()
        store.close()
        server.stop()
        presence.close()
    }

    static let patch = ["Content-Type": "application/json-patch+json"]
    static let merge = ["Content-Type": "application/merge-patch+json"]
    static let json = ["Content-Type": "application/json"]

    /// A request to something of the document `menu`; JSON bodies are sent as such.
    func menu(
        _ method: String, _ rest: String = "", _ body: String? = nil,
        _ fields: [String: String] = [:]
    ) throws -> Answer {
        let known = body == nil ? fields : LocalDaemon.json.merging(fields) { $1 }
        return try client.request(method, "/v1/documents/menu" + rest, known, body: body)
    }

    // The usual requests about the document `menu`. Each must succeed.

    func put(_ value: String) throws { try succeed("PUT", "", value) }
    func undo() throws { try succeed("POST", "/undo") }
    func redo() throws { try succeed("POST", "/redo") }
    func tag(_ name: String) throws { try succeed("PUT", "/tags/" + name) }
    func set(_ settings: String) throws { try succeed("PATCH", "/settings", settings) }
    func delete() throws { try succeed("DELETE") }

    /// A request to something of the document `menu` that sets the scene, and so must succeed.
    func succeed(
        _ method: String, _ rest: String = "", _ body: String? = nil,
        _ fields: [String: String] = [:]
    ) throws {
        let answer = try menu(method, rest, body, fields)
        #expect((200..<300).contains(answer.status), "\(method) \(rest): \(answer.text)")
    }

    /// The requests of one actor about the document `menu`. Each must succeed.
    struct Person {
        let daemon: LocalDaemon
        let name: String

        /// A merge patch.
        func merge(_ value: String, _ query: String = "") throws {
            try daemon.succeed("PATCH", query, value, LocalDaemon.merge.by(name))
        }
    }

    func `as`(_ name: String) -> Person { Person(daemon: self, name: name) }

    /// Checks the deadlines of the document `menu`, as the scheduler does. Returns when it asks to
    /// be checked again.
    func checkDeadlines() -> [Timestamp] {
        scheduled.withLock { $0 = [] }
        if let id = DocumentID("menu") { store.checkDeadlines(id) }
        return scheduled.withLock { $0 }
    }

    /// Lets a moment pass, after which changes of presence are reported.
    func tellPresence() {
        time.advance(by: 100)
        _ = presence.step()
    }

    func value() throws -> JSON {
        try JSON(parsing: menu("GET").body)
    }
}

extension Answer {
    /// The body as JSON.
    var json: JSON {
        get throws { try JSON(parsing: body) }
    }

    /// The code of a problem.
    var code: String? {
        try? JSON(parsing: body)["code"]?.string
    }
}

extension [String: String] {
    /// The fields of a request of an actor.
    func by(_ actor: String) -> [String: String] { merging(["Versiond-Actor": actor]) { $1 } }
}
