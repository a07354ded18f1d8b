import HTTPCalling
import JSONTree
import Testing

@testable import versionctl

/// Values that are read and shown at a shell.
@Suite struct ShowingTests {
    @Test(arguments: [
        ("menu", "menu", nil), ("menu@7", "menu", "7"), ("menu@head", "menu", "head"),
        ("menu@version:12", "menu", "version:12"), ("menu@tag:a b", "menu", "tag:a b"),
        ("menu@tag:", "menu@tag:", nil), ("ada@example.org", "ada@example.org", nil),
        ("ada@example.org@3", "ada@example.org", "3"), ("@7", "@7", nil),
        ("menu@-1", "menu@-1", nil),
        ("menu@2026-01-31T12:00Z", "menu", "2026-01-31T12:00Z"), ("menu@1y", "menu@1y", nil),
        ("menu@origin", "menu", "origin"), ("a/b~c@snapshot:x", "a/b~c", "snapshot:x"),
    ])
    func `behind an @ stands a state, or it belongs to the name`(
        text: String, name: String, state: String?
    ) throws {
        let address = try #require(DocumentAddress(argument: text))
        #expect(address.name == name && address.state == state)
    }

    @Test(arguments: [
        ("90s", "1970-01-11T13:45:10.007Z"), ("5m", "1970-01-11T13:41:40.007Z"),
        ("1h", "1970-01-11T12:46:40.007Z"), ("2d", "1970-01-09T13:46:40.007Z"),
        ("1w", "1970-01-04T13:46:40.007Z"), ("0s", "1970-01-11T13:46:40.007Z"),
        ("2026-01-31T12:00:00+01:00", "2026-01-31T12:00:00+01:00"),
    ])
    func `a time may be how long ago it is`(text: String, time: String) {
        #expect(Times.address(text, now: 913_600_007) == time)
    }

    @Test(arguments: [
        "", "h", "-1h", "1y", "12", "2026", "2026-13-01", "2026-01-32", "2026-02-31", "yesterday",
    ])
    func `what is no time is none`(text: String) {
        #expect(Times.address(text, now: 0) == nil)
    }

    @Test func `the tree of versions has a column for each line`() {
        var graph = Graph()
        var lines: [String] = []
        for (version, parent, mark) in [
            (7, 5, "@"), (6, 3, "x"), (5, 2, "o"), (4, 3, "x"), (3, 2, "x"), (2, nil, "o"),
        ] as [(Int, Int?, String)] {
            let (joins, prefix) = graph.rows(of: version, parent: parent, mark: mark)
            lines += joins + [prefix]
        }
        #expect(lines == ["@", "| x", "o |", "| | x", "| |/", "| x", "|/", "o"])
    }

    @Test func `changes are shown with what was and what is`() throws {
        let base: JSON = ["a": 1, "b": "x", "list": [1, 2]]
        let patch = try JSON(
            parsing: Array(
                #"""
                [{"op":"replace","path":"/a","value":2},{"op":"remove","path":"/b"},
                 {"op":"add","path":"/c","value":[1.50]},{"op":"add","path":"/list/0","value":0},
                 {"op":"replace","path":"/list/1","value":9},{"op":"move","from":"/a","path":"/d"}]
                """#.utf8))
        let options = try CommonOptions.parse(["--color", "never"])
        #expect(
            ChangeLines(Screen(options)).lines(patch, on: base) == [
                "~ /a       1 → 2", "- /b       \"x\"", "+ /c       [1.50]", "+ /list/0  0",
                "~ /list/1  1 → 9", "> /d       from /a",
            ])
    }

    @Test func `columns are as wide as what is seen in them`() {
        let rows = [["a", "\u{1b}[31mred\u{1b}[0m", "x"], ["long", "b", ""], ["c", "", ""]]
        #expect(
            Table.lines(rows) == ["a     \u{1b}[31mred\u{1b}[0m  x", "long  b", "c"])
    }

    @Test(arguments: [
        (200, "delivered"), (204, "delivered"), (302, "again"), (400, "again"), (410, "gone"),
        (500, "again"), (503, "again"),
    ])
    func `only 2xx is received, and 410 is the end`(status: Int, word: String) {
        var answer = HTTPAnswer()
        answer.status = status
        let found =
            switch Webhook.outcome(answer) {
            case .delivered: "delivered"
            case .gone: "gone"
            case .failed: "again"
            }
        #expect(found == word)
    }

    @Test func `a receiver is asked less and less often, and as seldom as it says`() {
        var backoff = Backoff()
        #expect((0..<10).map { _ in backoff.pause() } == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300])
        #expect(backoff.pause(least: 7_200) == 300, "an hour without a try would be too long")
        var asked = Backoff()
        #expect(asked.pause(least: 20) == 20)
    }

    @Test(arguments: [
        ("http://a:1/", "http://a:1"), ("https://a/b/", "https://a/b"),
        ("unix:/run/x", "unix:/run/x"), ("unix:x", nil), ("ftp://a", nil), ("http://", nil),
        ("http://a b", nil), ("", nil),
    ])
    func `an address is a URL or a socket`(text: String, shown: String?) {
        #expect(ServerAddress(text)?.description == shown)
    }
}
