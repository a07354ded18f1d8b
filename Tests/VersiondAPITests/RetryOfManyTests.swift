import AccessControl
import JSONTree
import Journaling
import TestSupport
import Testing

/// Requests about many documents that are repeated with their idempotency key: the second response
/// is the first one, whatever happened meanwhile.
@Suite struct RetryOfManyTests: RunScene {
    let journal: any Journal
    let daemon: LocalDaemon

    init() throws {
        journal = try LocalDaemon.newJournal()
        daemon = try LocalDaemon(journal: journal)
        try make(["a": #"{"n":5}"#, "b": #"{"n":0}"#])
        try point()
        for name in ["a", "b"] { try edit("agent/r1", name, replace("/n", "7")) }
    }

    /// Puts the restore point `cp` here.
    private func point() throws {
        let answer = try send("PUT", "/v1/restore-points/cp", nil)
        #expect([200, 201].contains(answer.status), "\(answer.text)")
    }

    private func keyed(
        _ path: String, _ body: String, to other: LocalDaemon? = nil, key: String = "k",
        _ fields: [String: String] = [:]
    ) throws -> Answer {
        let known = ["Content-Type": "application/json", "Idempotency-Key": key].by("ada")
        return try (other ?? daemon).client.request(
            "POST", path, known.merging(fields) { $1 }, body: body)
    }

    /// Sends a request, has something happen, and sends it again.
    private func expectRepeated(
        _ path: String, _ body: String, to other: LocalDaemon? = nil,
        after change: () throws -> Void, _ place: SourceLocation = #_sourceLocation
    ) throws {
        let first = try keyed(path, body)
        #expect(first.status == 200, "\(first.text)", sourceLocation: place)
        try change()
        let values = try ["a", "b"].map { try value($0) }
        let again = try keyed(path, body, to: other)
        #expect(again["idempotent-replayed"] == "true", "\(again.text)", sourceLocation: place)
        let (one, two) = (try first.json, try again.json)
        #expect(one["transaction"] == two["transaction"], sourceLocation: place)
        #expect(one["changes"]?.count == two["changes"]?.count, sourceLocation: place)
        for index in 0..<(one["changes"]?.count ?? 0) {
            for name in ["document", "revision", "patch", "change"] {
                let (made, told) = (one["changes"]?[index], two["changes"]?[index])
                #expect(made?[name] == told?[name], sourceLocation: place)
            }
        }
        #expect(try ["a", "b"].map { try value($0) } == values, sourceLocation: place)
    }

    private static let since = #"{"all":{"actor":"agent/r1","since":"restore-point:cp"}}"#
    private static let until = #"{"all":{"actor":"agent/r1","until":"restore-point:cp"}}"#

    @Test func `13: an undo since a restore point is repeated after that has moved`() throws {
        try expectRepeated("/v1/undo", Self.since) { try point() }
    }

    @Test func `13: an undo until a restore point is repeated after that is gone`() throws {
        try point()
        try expectRepeated("/v1/undo", Self.until) {
            _ = try send("DELETE", "/v1/restore-points/cp", nil)
        }
    }

    @Test func `13: a redo since a restore point is repeated after that has moved`() throws {
        #expect(try undoes())
        try expectRepeated("/v1/redo", Self.since) { try point() }
    }

    @Test func `13: a restore is repeated after its restore point is gone`() throws {
        let body = #"{"to":"restore-point:cp"}"#
        try expectRepeated("/v1/restore", body) {
            try edit("bob", "b", replace("/n", "9"))
            _ = try send("DELETE", "/v1/restore-points/cp", nil)
        }
    }

    @Test(arguments: [
        ("/v1/undo", #"{"all":{"actor":"agent/r1"}}"#),
        ("/v1/undo", #"{"all":{"actor":"agent/r1"},"documents":["a","b"]}"#),
        ("/v1/undo", #"{"transaction":"a@2"}"#),
        ("/v1/restore", #"{"to":"restore-point:cp"}"#),
    ])
    func `13: a request about many documents is repeated after all of them are renamed`(
        path: String, body: String
    ) throws {
        _ = try change("bob", [("a", add("/o", "1")), ("b", add("/o", "1"))])
        try expectRepeated(path, body) {
            for name in ["a", "b"] {
                let renamed = try send(
                    "POST", "/v1/documents/\(name)/rename", #"{"name":"was-\#(name)"}"#)
                #expect(renamed.status == 201, "\(renamed.text)")
                try make(name, "{}")
            }
        }
    }

    @Test func `13: a request is repeated after one of its documents was erased`() throws {
        let body = #"{"all":{"actor":"agent/r1"}}"#
        let first = try keyed("/v1/undo", body)
        for (erased, left) in [("a", ["b"]), ("b", [])] {
            let purged = try send("DELETE", "/v1/documents/\(erased)?purge=true", nil)
            #expect(purged.status == 204, "\(purged.text)")
            let again = try keyed("/v1/undo", body)
            #expect(again["idempotent-replayed"] == "true", "\(again.text)")
            let made = try again.json["changes"]?.elements?.filter { $0["change"] != nil }
            #expect(made?.compactMap { $0["document"]?.string } == left, "\(again.text)")
        }
        #expect(first.status == 200)
    }

    @Test func `13: an undo with a key is repeated after a redo and later undos`() throws {
        let body = #"{"all":{"actor":"agent/r1"}}"#
        try expectRepeated("/v1/undo", body) {
            #expect(try redoes())
            try edit("agent/r1", "a", replace("/n", "8"))
        }
    }
}

// MARK: Other daemons, other clients

extension RetryOfManyTests {
    @Test func `13: a request that is sent many times at once is carried out once`() async throws {
        let shared = InMemoryJournal(isShared: true)
        let daemons = try (0..<2).map { _ in try LocalDaemon(journal: shared) }
        for actor in ["root", "agent/r1"] {
            for name in ["a", "b"] {
                _ = try daemons[0].client.request(
                    "PUT", "/v1/documents/\(name)", LocalDaemon.json.by(actor), body: "\"\(actor)\""
                )
            }
        }
        let ports = daemons.map(\.server.port)
        let fields = ["Content-Type": "application/json", "Idempotency-Key": "k"].by("ada")
        let names = try await withThrowingTaskGroup(of: JSON?.self) { group in
            for number in 0..<12 {
                group.addTask {
                    let client = try RawConnection(port: ports[number % 2])
                    let answer = try client.request(
                        "POST", "/v1/undo", fields, body: #"{"all":{"actor":"agent/r1"}}"#)
                    #expect(answer.status == 200, "\(answer.text)")
                    return try answer.json["transaction"]
                }
            }
            return try await group.reduce(into: Set<JSON>()) { $0.insert($1 ?? .null) }
        }
        #expect(names == ["a@2"])
    }
}

extension RetryOfManyTests {
    @Test func `13: another daemon of a database repeats what the first one did`() throws {
        let shared = InMemoryJournal(isShared: true)
        let (near, far) = (
            try LocalDaemon(journal: shared), try LocalDaemon(journal: shared)
        )
        for name in ["a", "b"] {
            for actor in ["root", "agent/r1"] {
                _ = try near.client.request(
                    "PUT", "/v1/documents/\(name)", LocalDaemon.json.by(actor), body: "\"\(actor)\""
                )
            }
        }
        let body = #"{"all":{"actor":"agent/r1"}}"#
        let first = try keyed("/v1/undo", body, to: near)
        #expect(first.status == 200, "\(first.text)")
        let undone = try first.json
        for daemon in [far, near, try LocalDaemon(journal: shared)] {
            let again = try keyed("/v1/undo", body, to: daemon)
            #expect(again["idempotent-replayed"] == "true", "\(again.text)")
            #expect(try again.json["transaction"] == undone["transaction"])
            let other = try keyed("/v1/undo", body, to: daemon, key: "other")
            #expect(other.code == "nothing-to-undo", "\(other.text)")
        }
    }

    @Test func `13: a daemon that starts again repeats what was done before`() throws {
        let body = #"{"all":{"actor":"agent/r1"}}"#
        let first = try keyed("/v1/undo", body)
        daemon.stop()
        let next = try LocalDaemon(journal: journal)
        let again = try keyed("/v1/undo", body, to: next)
        #expect(again["idempotent-replayed"] == "true", "\(again.text)")
        #expect(try again.json["transaction"] == first.json["transaction"])
    }

    @Test func `13: one key of several clients is a key of each`() throws {
        let undo = try keyed("/v1/undo", #"{"all":{"actor":"agent/r1"},"prefix":"a"}"#)
        let other = try keyed("/v1/undo", #"{"all":{"actor":"agent/r1"},"prefix":"b"}"#)
        #expect(undo.status == 200 && other.status == 200, "\(other.text)")
        #expect(try other.json["changes"]?[0]?["document"] == "b")
        #expect(other["idempotent-replayed"] == nil)
        try edit("agent/r1", "a", replace("/n", "9"))
        let mixed = try keyed("/v1/undo?label=x", #"{"all":{"actor":"agent/r1"},"prefix":"a"}"#)
        #expect(mixed.status == 422 && mixed.code == "other-request", "\(mixed.text)")
    }

    @Test func `13: requests without a key, dry runs and refused ones leave no record`() throws {
        let body = #"{"all":{"actor":"agent/r1"}}"#
        let start = daemon.store.lastSequence
        #expect(try keyed("/v1/undo?dryRun", body).status == 200)
        #expect(try keyed("/v1/undo", #"{"all":{"actor":"agent/r2"}}"#).status == 409)
        #expect(daemon.store.lastSequence == start)
        #expect(try undoes())
        #expect(daemon.store.lastSequence == start + 2)
        #expect(try redoes())
        #expect(try keyed("/v1/undo", body).status == 200)
        #expect(daemon.store.lastSequence == start + 7)
        #expect(try daemon.client.request("GET", "/v1/documents").json["documents"]?.count == 2)
    }

    @Test func `13: a repetition names no document to a token that does not cover it`() throws {
        var list = AccessList()
        for (name, prefix) in [("root", ""), ("part", "a")] {
            list.add(
                tokenHash: Token.hash(of: name),
                Grant(name: name, rights: .all, prefix: prefix))
        }
        let guarded = try LocalDaemon(journal: InMemoryJournal(), access: list)
        func bearer(_ name: String) -> [String: String] { ["Authorization": "Bearer \(name)"] }
        for (name, actor) in [("a", "x"), ("b", "x"), ("a", "ada"), ("b", "ada")] {
            _ = try guarded.client.request(
                "PUT", "/v1/documents/\(name)",
                LocalDaemon.json.by(actor).merging(bearer("root")) { $1 }, body: "\"\(actor)\"")
        }
        let body = #"{"all":{"actor":"ada"}}"#
        #expect(try keyed("/v1/undo", body, to: guarded, bearer("root")).status == 200)
        let hidden = try keyed("/v1/undo", body, to: guarded, bearer("part"))
        #expect(hidden.status == 403 && !hidden.text.contains("\"b\""), "\(hidden.text)")
    }
}
