import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming
import TestSupport
import Testing

@testable import VersiondAPI

/// The criteria of a search in a history, as values: without a socket.
@Suite struct HistorySearchTests {
    /// Five changes, a second after each other from second 1 on.
    private let changes: [Change] = {
        let patches: [JSON] = [
            [], [["op": "add", "path": "/price", "value": 1]],
            [["op": "add", "path": "/dish", "value": "soup"]],
            [["op": "replace", "path": "/price", "value": 2]], [],
        ]
        var tree: JSON = [:]
        return patches.enumerated().map { revision, operations in
            let patch = try? tree.applying(JSONPatch(operations))
            tree = patch?.tree ?? tree
            return Change(
                revision: revision,
                kind: revision == 4
                    ? .tag(Name("lunch"), version: 3) : .append(joins: false, tag: nil),
                patch: patch?.patch ?? .empty, actor: revision % 2 == 0 ? "ada" : "bob",
                time: Timestamp(milliseconds: 1_000 * (revision + 1)),
                label: revision == 3 ? "Dearer" : nil)
        }
    }()

    private func call(_ query: [(name: String, value: String)]) -> Call {
        let head = HTTPRequestHead(
            method: .get, target: HTTPTarget(segments: [], query: query), fields: HTTPFields())
        return Call(HTTPRequest(head: head), NoResponder(), Limits())
    }

    private func filter(_ query: [(name: String, value: String)]) throws -> ChangeFilter {
        try ChangeFilter(call(query))
    }

    @Test(
        arguments: [
            ([], [0, 1, 2, 3, 4]),
            ([("actor", "ada")], [0, 2, 4]), ([("actor", "")], []),
            ([("label", "Dearer")], [3]), ([("label", "dearer")], []),
            ([("kind", "tag")], [4]), ([("path", "/price")], [1, 3]), ([("path", "")], [1, 2, 3]),
            ([("q", "DEAR")], [3]), ([("q", "dish")], [2]), ([("q", "bob")], [1, 3]),
            ([("since", "1970-01-01T00:00:02Z")], [2, 3, 4]),
            ([("until", "1970-01-01T00:00:02Z")], [0, 1]),
            ([("since", "1970-01-01T00:00:01Z"), ("until", "1970-01-01T00:00:04Z")], [1, 2, 3]),
            ([("actor", "bob"), ("path", "/price"), ("q", "dearer")], [3]),
        ] as [([(String, String)], [Int])])
    func `all that is asked for must hold`(query: [(String, String)], wanted: [Int]) throws {
        let filter = try filter(query.map { (name: $0.0, value: $0.1) }).boundedOfMany(call([]))
        #expect(changes.filter { filter.wants([$0]) }.map(\.revision) == wanted)
        #expect(filter.isEmpty == query.isEmpty)
    }

    @Test func `a version is wanted if any change of it is, and a tag of it is text, too`() throws {
        let bob = try filter([(name: "actor", value: "bob")])
        #expect(bob.wants(Array(changes[0...1])) && !bob.wants([changes[0], changes[2]]))
        let text = try filter([(name: "q", value: "supper")])
        #expect(text.wants([changes[1]], tags: [Name("Supper")]) && !text.wants([changes[1]]))
    }

    @Test func `a state of one document does not bound a search in many`() throws {
        for (value, code) in [("7", true), ("tag:lunch", true), ("1970-01-01T00:00:02Z", false)] {
            let filter = try filter([(name: "since", value: value)])
            #expect((try? filter.boundedOfMany(call([]))) == nil ? code : !code, "\(value)")
        }
        #expect(throws: Problem.self) { try filter([(name: "until", value: "snapshot:s")]) }
    }

    @Test func `a page of history reads as many as it holds, and more where most are not wanted`()
        async throws
    {
        let daemon = try LocalDaemon()
        for value in 0..<9 { try daemon.put("\(value)") }
        let id = try #require(DocumentID("menu"))
        let document = try await daemon.store.read(id)
        var page = HistoryPage(
            document, before: .max, limit: 4, trail: nil, try filter([]), hasAllBranches: false)
        #expect(page.nextRange == 5..<9 && page.hasMore)
        let read = (5..<9).map { revision in
            Change(
                revision: revision, kind: .append(joins: false, tag: nil), patch: .empty,
                actor: "ada", time: Timestamp(milliseconds: 0), label: nil)
        }
        page.look(at: read)
        #expect(read.allSatisfy { page.isWanted($0) })
        page.add(PastChange.list(read, from: nil), from: read)
        #expect(page.records.map(\.change.revision) == [8, 7, 6, 5], "the newest first")
        #expect(page.next == 5 && page.nextRange == nil && page.hasMore)
        let some = HistoryPage(
            document, before: 7, limit: 4, trail: nil,
            try filter([(name: "actor", value: "ada")]), hasAllBranches: false)
        #expect(some.nextRange == 0..<7, "most of them may not be wanted")
        let none = HistoryPage(
            document, before: 0, limit: 4, trail: nil, try filter([]), hasAllBranches: false)
        #expect(none.nextRange == nil && !none.hasMore)
    }
}
