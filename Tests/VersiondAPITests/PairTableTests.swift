import Foundation
import JSONTree
import TestSupport
import Testing

/// The table of Undo.md, cell by cell: an edit of ada's, a later one of bob's, and what undo of the
/// one or of the other does.
@Suite struct PairTableTests {
    struct Pair: Sendable, CustomTestStringConvertible {
        /// The first cell of the row.
        let row: String
        let start: String
        let ada: String
        let bob: String
        /// The value after ada's undo; `nil` where that is a conflict.
        let afterAda: String?
        var isPassed = false
        let afterBob: String
        var testDescription: String { row }
    }

    static let pairs = [
        Pair(
            row: "sets the same member, or moves a value onto it", start: #"{"x":0}"#,
            ada: set("/x", "1"), bob: set("/x", "2"), afterAda: #"{"x":2}"#, isPassed: true,
            afterBob: #"{"x":1}"#),
        Pair(
            row: "moves a value onto a member to which the first one moved another",
            start: #"{"y":5,"b":3,"other":[1]}"#, ada: move("/y", "/b"), bob: move("/other", "/b"),
            afterAda: #"{"y":5,"b":[1]}"#, afterBob: #"{"b":5,"other":[1]}"#),
        Pair(
            row: "removes what was set", start: #"{"x":0}"#, ada: set("/x", "1"),
            bob: remove("/x"), afterAda: "{}", isPassed: true, afterBob: #"{"x":1}"#),
        Pair(
            row: "types inside the inserted text", start: #"{"t":"[]"}"#, ada: type("/t", 1, "ab"),
            bob: type("/t", 2, "X"), afterAda: #"{"t":"[X]"}"#, afterBob: #"{"t":"[ab]"}"#),
        Pair(
            row: "types where text was deleted", start: #"{"t":"abcd"}"#, ada: cut("/t", 1, 2),
            bob: type("/t", 1, "X"), afterAda: #"{"t":"abcXd"}"#, afterBob: #"{"t":"ad"}"#),
        Pair(
            row: "deletes text that was inserted", start: #"{"t":"[]"}"#, ada: type("/t", 1, "abc"),
            bob: cut("/t", 2, 1), afterAda: #"{"t":"[]"}"#, afterBob: #"{"t":"[abc]"}"#),
        Pair(
            row: "deletes overlapping text", start: #"{"t":"abcdef"}"#, ada: cut("/t", 1, 3),
            bob: cut("/t", 0, 2), afterAda: #"{"t":"bcdf"}"#, afterBob: #"{"t":"aef"}"#),
        Pair(
            row: "edits inside a new element or object", start: "[]", ada: add("/0", #"{"v":1}"#),
            bob: set("/0/v", "2"), afterAda: nil, afterBob: #"[{"v":1}]"#),
        Pair(
            row: "replaces a new element's value", start: "[]", ada: add("/0", "1"),
            bob: set("/0", "2"), afterAda: nil, afterBob: "[1]"),
        Pair(
            row: "moves a new element", start: "[1,2]", ada: add("/0", "9"),
            bob: move("/0", "/2"), afterAda: "[1,2]", afterBob: "[9,1,2]"),
        Pair(
            row: "removes a new element", start: "[1]", ada: add("/1", "9"), bob: remove("/1"),
            afterAda: "[1]", isPassed: true, afterBob: "[1,9]"),
        Pair(
            row: "moves a value into a new object", start: #"{"x":1}"#, ada: add("/d", "{}"),
            bob: move("/x", "/d/x"), afterAda: nil, afterBob: #"{"x":1,"d":{}}"#),
        Pair(
            row: "edits inside something, which another then removes", start: #"[{"v":1}]"#,
            ada: set("/0/v", "2"), bob: remove("/0"), afterAda: "[]", isPassed: true,
            afterBob: #"[{"v":2}]"#),
        Pair(
            row: "moves what was moved", start: "[1,2,3]", ada: move("/0", "/2"),
            bob: move("/2", "/1"), afterAda: "[2,1,3]", isPassed: true, afterBob: "[2,3,1]"),
        Pair(
            row: "removes what was moved", start: "[1,2]", ada: move("/0", "/1"),
            bob: remove("/1"), afterAda: "[2]", isPassed: true, afterBob: "[2,1]"),
        Pair(
            row: "takes the place that a moved member left", start: #"{"x":1}"#,
            ada: move("/x", "/y"), bob: add("/x", "5"), afterAda: nil, afterBob: #"{"y":1}"#),
        Pair(
            row: "replaces a whole object that was edited", start: #"{"o":{"k":1}}"#,
            ada: set("/o/k", "2"), bob: set("/o", #"{"n":0}"#), afterAda: #"{"o":{"n":0}}"#,
            isPassed: true, afterBob: #"{"o":{"k":2}}"#),
        Pair(
            row: "edits inside an object that was replaced", start: #"{"o":{"k":1}}"#,
            ada: set("/o", #"{"n":0}"#), bob: set("/o/n", "3"), afterAda: nil,
            afterBob: #"{"o":{"n":0}}"#),
    ]

    private static func set(_ path: String, _ value: String) -> String {
        "[{\"op\":\"replace\",\"path\":\"\(path)\",\"value\":\(value)}]"
    }

    private static func add(_ path: String, _ value: String) -> String {
        "[{\"op\":\"add\",\"path\":\"\(path)\",\"value\":\(value)}]"
    }

    private static func remove(_ path: String) -> String {
        "[{\"op\":\"remove\",\"path\":\"\(path)\"}]"
    }

    private static func move(_ from: String, _ path: String) -> String {
        "[{\"op\":\"move\",\"from\":\"\(from)\",\"path\":\"\(path)\"}]"
    }

    private static func type(_ path: String, _ position: Int, _ text: String) -> String {
        "[{\"op\":\"str_ins\",\"path\":\"\(path)\",\"pos\":\(position),\"str\":\"\(text)\"}]"
    }

    private static func cut(_ path: String, _ position: Int, _ count: Int) -> String {
        "[{\"op\":\"str_del\",\"path\":\"\(path)\",\"pos\":\(position),\"len\":\(count)}]"
    }

    private func daemon(_ pair: Pair) throws -> LocalDaemon {
        let daemon = try LocalDaemon()
        try daemon.succeed("PUT", "", pair.start)
        for (actor, body) in [("ada", pair.ada), ("bob", pair.bob)] {
            let fields = LocalDaemon.patch.by(actor)
            #expect(try daemon.menu("PATCH", "", body, fields).status == 200)
        }
        return daemon
    }

    @Test(arguments: pairs)
    func `12: undo of the earlier edit`(pair: Pair) throws {
        let daemon = try daemon(pair)
        let before = try daemon.value()
        let answer = try daemon.menu("POST", "/undo", #"{"actor":"ada"}"#)
        guard let value = pair.afterAda else {
            #expect(try answer.code == "conflict" && daemon.value() == before)
            return
        }
        #expect(try daemon.value() == JSON(parsing: value))
        #expect(try answer.json["change"]?["passed"] == (pair.isPassed ? [1] : []))
        #expect(try daemon.menu("POST", "/redo", #"{"actor":"ada"}"#).status == 200)
        #expect(try daemon.value() == before)
    }

    @Test(arguments: pairs)
    func `12: undo of the later edit`(pair: Pair) throws {
        let daemon = try daemon(pair)
        let before = try daemon.value()
        #expect(try daemon.menu("POST", "/undo", #"{"actor":"bob"}"#).status == 200)
        #expect(try daemon.value() == JSON(parsing: pair.afterBob))
        #expect(try daemon.menu("POST", "/redo", #"{"actor":"bob"}"#).status == 200)
        #expect(try daemon.value() == before)
    }

    @Test func `every row of the table is tested, and says what happens`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: root.appending(path: "Documentation/Guide/Undo.md"), encoding: .utf8)
        let lines = text.components(separatedBy: "\n")
        let start = try #require(lines.firstIndex { $0.hasPrefix("| later edit of another") })
        let rows = lines[(start + 2)...].prefix { $0.hasPrefix("| ") }
        #expect(rows.count == PairTableTests.pairs.count)
        for (row, pair) in zip(rows, PairTableTests.pairs) {
            let outcome = pair.afterAda == nil ? "**conflict**" : pair.isPassed ? "passed" : ""
            #expect(row.hasPrefix("| \(pair.row) | \(outcome)"))
            #expect(row.contains("| passed |") == pair.isPassed)
        }
    }
}
