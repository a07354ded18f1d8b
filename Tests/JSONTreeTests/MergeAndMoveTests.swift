import Testing

@testable import JSONTree

/// Merge patches and moves, row by row.
@Suite struct MergeAndMoveTests {
    /// Target, merge patch, result.
    static let merges: [(String, String, String)] = [
        ("1", "2", "2"),
        ("1", "{}", "{}"),
        ("{}", "1", "1"),
        ("[1]", "{}", "{}"),
        ("{}", "{}", "{}"),
        (#"{"a":1}"#, "{}", #"{"a":1}"#),
        (#"{"a":1}"#, #"{"a":2}"#, #"{"a":2}"#),
        (#"{"a":1}"#, #"{"b":null}"#, #"{"a":1}"#),
        (#"{"a":1}"#, #"{"a":null,"b":2}"#, #"{"b":2}"#),
        (#"{"a":{"b":1,"c":2}}"#, #"{"a":{"b":null}}"#, #"{"a":{"c":2}}"#),
        (#"{"a":{"b":1}}"#, #"{"a":{"b":null}}"#, #"{"a":{}}"#),
        (#"{"a":{"b":1}}"#, #"{"a":1}"#, #"{"a":1}"#),
        (#"{"a":1}"#, #"{"a":{"b":1}}"#, #"{"a":{"b":1}}"#),
        (#"{"a":1}"#, #"{"a":{"b":null}}"#, #"{"a":{}}"#),
        (#"{"a":[1,2]}"#, #"{"a":[null]}"#, #"{"a":[null]}"#),
        (#"{"a":[{"b":1}]}"#, #"{"a":[{"c":null}]}"#, #"{"a":[{"c":null}]}"#),
        (#"{"a":null}"#, #"{"a":{"b":{"c":null}}}"#, #"{"a":{"b":{}}}"#),
        (#"{"":1}"#, #"{"":null}"#, "{}"),
        (#"{"é":1}"#, #"{"é":2}"#, #"{"é":2}"#),
    ]

    @Test(arguments: merges)
    func `a merge patch sets, removes and goes inside`(
        target: String, patch: String, expected: String
    ) throws {
        let merged = try JSON(parsing: target).merging(JSON(parsing: patch))
        #expect(merged == (try JSON(parsing: expected)), "\(merged)")
    }

    /// Array, from, to, result.
    static let moves: [(String, Int, Int, String)] = [
        ("[0,1,2,3]", 0, 0, "[0,1,2,3]"),
        ("[0,1,2,3]", 0, 1, "[1,0,2,3]"),
        ("[0,1,2,3]", 0, 2, "[1,2,0,3]"),
        ("[0,1,2,3]", 0, 3, "[1,2,3,0]"),
        ("[0,1,2,3]", 1, 0, "[1,0,2,3]"),
        ("[0,1,2,3]", 2, 0, "[2,0,1,3]"),
        ("[0,1,2,3]", 3, 0, "[3,0,1,2]"),
        ("[0,1,2,3]", 3, 1, "[0,3,1,2]"),
        ("[0,1,2,3]", 1, 3, "[0,2,3,1]"),
        ("[0,1,2,3]", 2, 2, "[0,1,2,3]"),
        ("[0,1]", 0, 1, "[1,0]"),
        ("[0,1]", 1, 0, "[1,0]"),
        ("[0]", 0, 0, "[0]"),
    ]

    @Test(arguments: moves)
    func `an element is moved, and back`(text: String, from: Int, to: Int, expected: String) throws
    {
        let tree = try JSON(parsing: text)
        let patch = JSONPatch([
            .move(from: JSONPointer(names: ["\(from)"]), to: JSONPointer(names: ["\(to)"]))
        ])
        let (after, undo) = try tree.applying(patch)
        #expect(after.description == expected)
        #expect(try after.applying(undo.inverse) == tree)
        #expect(try tree.applying(undo.operations(on: tree)).tree == after)
    }

    /// Document, from, to, result.
    static let across: [(String, String, String, String)] = [
        (#"{"a":1}"#, "/a", "/b", #"{"b":1}"#),
        (#"{"a":1,"b":2}"#, "/a", "/b", #"{"b":1}"#),
        (#"{"a":{"x":1},"b":{}}"#, "/a/x", "/b/x", #"{"a":{},"b":{"x":1}}"#),
        (#"{"a":{"x":1},"b":[]}"#, "/a/x", "/b/0", #"{"a":{},"b":[1]}"#),
        (#"{"a":{"x":1},"b":[]}"#, "/a/x", "/b/-", #"{"a":{},"b":[1]}"#),
        (#"{"a":[1,2],"b":[3]}"#, "/a/0", "/b/1", #"{"a":[2],"b":[3,1]}"#),
        (#"{"a":[1,2],"b":[3]}"#, "/b/0", "/a/1", #"{"a":[1,3,2],"b":[]}"#),
        (#"{"a":{"b":{"c":1}}}"#, "/a/b", "/a", #"{"a":{"c":1}}"#),
        (#"{"a":{"b":1}}"#, "/a/b", "", "1"),
        (#"[0,["x",["y"]],2]"#, "/1/1/0", "/1", #"[0,"y",["x",[]],2]"#),
        (#"[[1]]"#, "/0/0", "", "1"),
    ]

    @Test(arguments: across)
    func `a value is moved from one place to another, and back`(
        text: String, from: String, to: String, expected: String
    ) throws {
        let tree = try JSON(parsing: text)
        let source = try #require(JSONPointer(parsing: from))
        let target = try #require(JSONPointer(parsing: to))
        let (after, undo) = try tree.applying(JSONPatch([.move(from: source, to: target)]))
        #expect(after == (try JSON(parsing: expected)), "\(after)")
        #expect(try after.applying(undo.inverse) == tree)
        let (copied, back) = try tree.applying(JSONPatch([.copy(from: source, to: target)]))
        #expect(copied[target] == tree[source] || to.hasSuffix("-"))
        #expect(try copied.applying(back.inverse) == tree)
    }

    /// RFC 6902 has no address for an element of a value that will replace another one.
    @Test func `T14: what moved out beside what it was in is the same value, there and back`()
        throws
    {
        let tree = try JSON(parsing: #"{"list":[{"id":"A","sub":[{"id":"B"}]},1]}"#)
        let out = JSONPatch([
            .move(
                from: try #require(JSONPointer(parsing: "/list/0/sub/0")),
                to: try #require(JSONPointer(parsing: "/list/0")))
        ])
        let (after, undo) = try tree.applying(out)
        #expect(undo.count == 1, "one move")
        let back = try undo.inverse.operations(on: after)
        #expect(
            String(decoding: back.serialized(), as: UTF8.self)
                == #"[{"op":"move","from":"/list/0","path":"/list/1"},"#
                + #"{"op":"move","from":"/list/1","path":"/list/0/sub/0"}]"#)
        #expect(try after.applying(back).tree == tree)
    }

    @Test func `every patch is written as it is read`() throws {
        let texts = [
            #"[{"op":"add","path":"/a","value":{"b":[1]}}]"#,
            #"[{"op":"remove","path":"/a/0"}]"#,
            #"[{"op":"replace","path":"","value":null}]"#,
            #"[{"op":"move","from":"/a","path":"/b"}]"#,
            #"[{"op":"copy","from":"/a~1b","path":"/m~0n"}]"#,
            #"[{"op":"test","path":"/a","value":"text"}]"#,
            #"[{"op":"str_ins","path":"/a","pos":3,"str":"new"}]"#,
            #"[{"op":"str_del","path":"/a","pos":3,"len":2}]"#,
            "[]",
        ]
        for text in texts {
            let patch = try JSONPatch(JSON(parsing: text))
            let again = try JSON(parsing: patch.serialized())
            #expect(again == (try JSON(parsing: text)), "\(text)")
            #expect(try JSONPatch(again) == patch)
        }
    }
}
