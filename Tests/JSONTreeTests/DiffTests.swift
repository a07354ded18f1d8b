import TestSupport
import Testing

@testable import JSONTree

/// Differences: what the diff finds, in the words of RFC 6902.
@Suite struct DiffTests {
    /// From, to, and the patch that is written. The finest edit is found, not only some edit.
    static let cases: [(String, String, String)] = [
        // Nothing.
        ("1", "1", "[]"),
        (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, "[]"),
        ("[1,2,3]", "[1,2,3]", "[]"),
        // Scalars and kinds.
        ("1", "2", #"[{"op":"replace","path":"","value":2}]"#),
        ("1", #""1""#, #"[{"op":"replace","path":"","value":"1"}]"#),
        ("1", "1.0", #"[{"op":"replace","path":"","value":1.0}]"#),
        ("null", "false", #"[{"op":"replace","path":"","value":false}]"#),
        ("{}", "[]", #"[{"op":"replace","path":"","value":[]}]"#),
        // Members.
        (#"{"a":1}"#, #"{"a":2}"#, #"[{"op":"replace","path":"/a","value":2}]"#),
        (#"{"a":1}"#, #"{"a":1,"b":2}"#, #"[{"op":"add","path":"/b","value":2}]"#),
        (#"{"a":1,"b":2}"#, #"{"a":1}"#, #"[{"op":"remove","path":"/b"}]"#),
        (#"{"a":1,"b":2}"#, #"{"b":2}"#, #"[{"op":"remove","path":"/a"}]"#),
        (
            #"{"a":{"b":{"c":1}}}"#, #"{"a":{"b":{"c":2}}}"#,
            #"[{"op":"replace","path":"/a/b/c","value":2}]"#
        ),
        (#"{"a":null}"#, "{}", #"[{"op":"remove","path":"/a"}]"#),
        ("{}", #"{"a":null}"#, #"[{"op":"add","path":"/a","value":null}]"#),
        (#"{"":1}"#, #"{"":2}"#, #"[{"op":"replace","path":"/","value":2}]"#),
        (#"{"a/b":1}"#, #"{"a/b":2}"#, #"[{"op":"replace","path":"/a~1b","value":2}]"#),
        (#"{"m~n":1}"#, #"{"m~n":2}"#, #"[{"op":"replace","path":"/m~0n","value":2}]"#),
        // Elements.
        ("[1,2,3]", "[1,3]", #"[{"op":"remove","path":"/1"}]"#),
        ("[1,3]", "[1,2,3]", #"[{"op":"add","path":"/1","value":2}]"#),
        ("[1,2]", "[1,2,3]", #"[{"op":"add","path":"/2","value":3}]"#),
        ("[2,3]", "[1,2,3]", #"[{"op":"add","path":"/0","value":1}]"#),
        ("[1,2,3]", "[1,9,3]", #"[{"op":"replace","path":"/1","value":9}]"#),
        ("[]", "[1]", #"[{"op":"add","path":"/0","value":1}]"#),
        ("[1]", "[]", #"[{"op":"remove","path":"/0"}]"#),
        ("[[1],[2]]", "[[1],[2,3]]", #"[{"op":"add","path":"/1/1","value":3}]"#),
        (
            #"[{"id":1,"n":"a"},{"id":2,"n":"b"}]"#, #"[{"id":1,"n":"a"},{"id":2,"n":"c"}]"#,
            #"[{"op":"replace","path":"/1/n","value":"c"}]"#
        ),
        (
            #"[{"id":1},{"id":2},{"id":3}]"#, #"[{"id":1},{"id":3}]"#,
            #"[{"op":"remove","path":"/1"}]"#
        ),
        (
            #"[{"id":1,"n":1},{"id":2,"n":2}]"#, #"[{"id":0,"n":0},{"id":1,"n":1},{"id":2,"n":2}]"#,
            #"[{"op":"add","path":"/0","value":{"id":0,"n":0}}]"#
        ),
    ]

    @Test(arguments: cases)
    func `the finest edit is found`(from: String, to: String, expected: String) throws {
        let (old, new) = (try JSON(parsing: from), try JSON(parsing: to))
        let patch = old.diff(to: new, options: DiffOptions(isShort: false))
        let written = try JSON(parsing: patch.operations(on: old).serialized())
        #expect(written == (try JSON(parsing: expected)), "\(written)")
        #expect(try old.applying(patch) == new)
        #expect(try new.applying(patch.inverse) == old)
    }

    /// From, to, and how many edits are enough.
    static let counts: [(String, String, Int)] = [
        ("[1,2,3,4,5,6,7,8]", "[8,1,2,3,4,5,6,7]", 2),
        ("[1,2,3,4,5,6,7,8]", "[2,3,4,5,6,7,8,1]", 2),
        ("[1,2,3,4,5,6]", "[1,2,5,6]", 2),
        ("[1,2,5,6]", "[1,2,3,4,5,6]", 2),
        ("[1,1,1,1]", "[1,1,1]", 1),
        ("[1,1,1]", "[1,1,1,1]", 1),
        (#"{"a":1,"b":2,"c":3}"#, #"{"a":9,"b":2,"c":8}"#, 2),
        (#"{"a":[1,2],"b":{"x":1}}"#, #"{"a":[1,2,3],"b":{"x":2}}"#, 2),
        (#"[{"id":1,"t":"a"},{"id":2,"t":"b"}]"#, #"[{"id":2,"t":"b"},{"id":1,"t":"a"}]"#, 2),
    ]

    @Test(arguments: counts)
    func `no more edits than are needed`(from: String, to: String, count: Int) throws {
        let (old, new) = (try JSON(parsing: from), try JSON(parsing: to))
        let patch = old.diff(to: new, options: DiffOptions(isShort: false))
        #expect(patch.count <= count, "\(patch.count)")
        #expect(try old.applying(patch) == new)
    }

    /// Text before and after, the position and the lengths of the removed and inserted part.
    static let texts: [(String, String)] = [
        ("a long enough text with some words in it", "a long enough text with many words in it"),
        ("a long enough text with some words in it", "a long enough text with some words"),
        (
            "a long enough text with some words in it",
            "Now a long enough text with some words in it"
        ),
        ("a long enough text with some words in it", "a long enough text with words in it"),
        ("umlauts äöü and more text after them", "umlauts äÖü and more text after them"),
        ("emoji 😀 in the middle of some text", "emoji 😁 in the middle of some text"),
        ("line one\nline two\nline three", "line one\nline 2\nline three"),
    ]

    @Test(arguments: texts)
    func `an edit inside a text is an edit of the text`(from: String, to: String) throws {
        let (old, new): (JSON, JSON) = (["t": JSON(from)], ["t": JSON(to)])
        let patch = old.diff(to: new)
        #expect(patch.hasTextEdits)
        let operations = patch.textOperations
        #expect(operations.hasTextOperations)
        #expect(try old.applying(operations).tree == new)
        let strict = try patch.operations(on: old)
        #expect(!strict.hasTextOperations && strict.operations.count == 1)
        #expect(try old.applying(strict).tree == new)
        #expect(try new.applying(patch.inverse) == old)
        let plain = old.diff(to: new, options: DiffOptions(hasTextEdits: false))
        #expect(!plain.hasTextEdits)
        #expect(try old.applying(plain) == new)
    }

    @Test func `objects are the same if a member that identifies them says so`() throws {
        let old: JSON = [["key": "a", "v": 1], ["key": "b", "v": 2], ["key": "c", "v": 3]]
        let new: JSON = [["key": "c", "v": 9], ["key": "a", "v": 1], ["key": "b", "v": 2]]
        var options = DiffOptions(isShort: false)
        options.identityNames = ["key"]
        let patch = old.diff(to: new, options: options)
        #expect(try old.applying(patch) == new)
        #expect(try new.applying(patch.inverse) == old)
        let places = patch.pointers.map(\.description)
        #expect(places.contains { $0.hasSuffix("/v") }, "\(places)")
    }

    @Test func `a short difference is never longer than the whole`() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<60 {
            let old = JSON.random(&random, shape: .random(&random))
            let new = JSON.random(&random, shape: .random(&random))
            let patch = old.diff(to: new)
            let written = try patch.operations(on: old).serialized()
            let whole = old.replaced(by: new)
            let limit = try whole.operations(on: old).serialized().count + 300
            #expect(written.count <= limit)
            #expect(try old.applying(patch) == new)
        }
    }

    @Test(arguments: [130, 600, 5_000], 1...4 as ClosedRange<UInt64>)
    func `a difference of a wide object is of the members that differ, whatever is shared`(
        count: Int, seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let old = JSON(members: (0..<count).map { ("k\($0)", JSON($0)) })
        var new = old
        for _ in 0..<60 {
            let name = "k\(Int.random(in: 0..<count + 100, using: &random))"
            let place = JSONPointer(names: [name])
            if new[name] == nil {
                try new.insert(true, at: place)
            } else if Bool.random(using: &random) {
                _ = try new.remove(at: place)
            } else {
                _ = try new.replace(at: place, with: JSON(Int.random(in: 0...9, using: &random)))
            }
        }
        let names = (0..<count + 100).map { "k\($0)" }
        let differing = names.filter { old[$0] != new[$0] }
        // Made from one another, and read apart.
        for (one, other) in [
            (old, new), (new, old), (old, try JSON(parsing: new.serialized())),
        ] {
            let patch = one.diff(to: other, options: DiffOptions(isShort: false))
            #expect(patch.count == differing.count)
            #expect(try one.applying(patch) == other)
        }
    }

    @Test(arguments: [10, 100, 1_000, 5_000])
    func `a difference in a long list is found where it is`(count: Int) throws {
        let old = JSON(elements: (0..<count).map { ["id": JSON($0), "v": 0] as JSON })
        for index in [0, 1, count / 2, count - 1] {
            let place = JSONPointer(names: ["\(index)", "v"])
            let (new, _) = try old.applying(JSONPatch([.replace(place, 1)]))
            let patch = old.diff(to: new)
            #expect(patch.count == 1 && patch.pointers == [place])
            let read = try JSON(parsing: new.serialized())
            #expect(old.diff(to: read).pointers == [place], "also of a value that was read anew")
        }
    }
}
