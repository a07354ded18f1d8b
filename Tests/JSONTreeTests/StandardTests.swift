import JSONTree
import Testing

/// The examples of the standards, word for word.
@Suite struct StandardTests {
    /// RFC 6901 section 5.
    static let pointers: [(String, String)] = [
        ("", "*"), ("/foo", #"["bar","baz"]"#), ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"),
        ("/c%d", "2"), ("/e^f", "3"), ("/g|h", "4"), ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"),
        ("/m~0n", "8"),
    ]

    @Test(arguments: pointers)
    func `RFC 6901 section 5`(pointer: String, expected: String) throws {
        let text =
            #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#
        let document = try JSON(parsing: text)
        let address = try #require(JSONPointer(parsing: pointer))
        #expect(document[address]?.description == (expected == "*" ? text : expected))
        #expect(address.description == pointer)
    }

    @Test(arguments: ["a", "/~", "/~2", "/a~", "#/a"])
    func `what is no pointer is refused`(text: String) {
        #expect(JSONPointer(parsing: text) == nil)
    }

    @Test(arguments: ["/foo/00", "/foo/-1", "/foo/1e0", "/foo/99999999999999999999", "/foo/-"])
    func `what is no index finds nothing`(pointer: String) throws {
        let document: JSON = ["foo": ["a", "b"]]
        #expect(try document[#require(JSONPointer(parsing: pointer))] == nil)
    }

    /// RFC 6902 appendix A: document, patch, result; `nil` where the patch must fail.
    static let patches: [(String, String, String?)] = [
        (
            #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux"}]"#,
            #"{"foo":"bar","baz":"qux"}"#
        ),
        (
            #"{"foo":["bar","baz"]}"#, #"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
            #"{"foo":["bar","qux","baz"]}"#
        ),
        (#"{"baz":"qux","foo":"bar"}"#, #"[{"op":"remove","path":"/baz"}]"#, #"{"foo":"bar"}"#),
        (
            #"{"foo":["bar","qux","baz"]}"#, #"[{"op":"remove","path":"/foo/1"}]"#,
            #"{"foo":["bar","baz"]}"#
        ),
        (
            #"{"baz":"qux","foo":"bar"}"#, #"[{"op":"replace","path":"/baz","value":"boo"}]"#,
            #"{"baz":"boo","foo":"bar"}"#
        ),
        (
            #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
            #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
            #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#
        ),
        (
            #"{"foo":["all","grass","cows","eat"]}"#,
            #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
            #"{"foo":["all","cows","eat","grass"]}"#
        ),
        (
            #"{"baz":"qux","foo":["a",2,"c"]}"#,
            #"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]"#,
            #"{"baz":"qux","foo":["a",2,"c"]}"#
        ),
        (#"{"baz":"qux"}"#, #"[{"op":"test","path":"/baz","value":"bar"}]"#, nil),
        (
            #"{"foo":"bar"}"#, #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
            #"{"foo":"bar","child":{"grandchild":{}}}"#
        ),
        (
            #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#,
            #"{"foo":"bar","baz":"qux"}"#
        ),
        (#"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz/bat","value":"qux"}]"#, nil),
        (#"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":10}]"#, #"{"/":9,"~1":10}"#),
        (#"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":"10"}]"#, nil),
        (
            #"{"foo":["bar"]}"#, #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
            #"{"foo":["bar",["abc","def"]]}"#
        ),
        // Section 4.4: a move to an ancestor's place in an array pushes the ancestor aside.
        (
            #"{"a":[{"b":1},2]}"#, #"[{"op":"move","from":"/a/0/b","path":"/a/0"}]"#,
            #"{"a":[1,{},2]}"#
        ),
        (#"{"a":{"b":1}}"#, #"[{"op":"move","from":"/a/b","path":"/a"}]"#, #"{"a":1}"#),
        (#"{"a":{"b":1}}"#, #"[{"op":"move","from":"/a","path":"/a/b"}]"#, nil),
        (#"{"a":1,"b":2}"#, #"[{"op":"move","from":"/a","path":"/b"}]"#, #"{"b":1}"#),
        (#"[0,[1]]"#, #"[{"op":"move","from":"/0","path":"/0/0"}]"#, nil),
        (#"{"a":1}"#, #"[{"op":"remove","path":""}]"#, nil),
        (#"{"a":1}"#, #"[{"op":"copy","from":"","path":"/b"}]"#, #"{"a":1,"b":{"a":1}}"#),
        (#"[1,2]"#, #"[{"op":"add","path":"/3","value":3}]"#, nil),
    ]

    @Test(arguments: patches)
    func `RFC 6902 appendix A and its corners`(
        document: String, patch: String, expected: String?
    ) throws {
        let tree = try JSON(parsing: document)
        let operations = try JSONPatch(JSON(parsing: patch))
        guard let expected else {
            #expect(throws: JSONPatchError.self) { try tree.applying(operations) }
            return
        }
        let (after, change) = try tree.applying(operations)
        #expect(after == (try JSON(parsing: expected)), "\(after)")
        #expect(try after.applying(change.inverse) == tree)
        #expect(try tree.applying(change.operations(on: tree)).tree == after)
        let back = try change.inverse.operations(on: after)
        #expect(try after.applying(back).tree == tree, "the inverse is strict RFC 6902, too")
    }

    /// RFC 7396 appendix A.
    static let merges: [(String, String, String)] = [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#), (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ]

    @Test(arguments: merges)
    func `RFC 7396 appendix A`(target: String, patch: String, expected: String) throws {
        let merged = try JSON(parsing: target).merging(JSON(parsing: patch))
        #expect(merged == (try JSON(parsing: expected)))
    }
}

/// Text operations at the limits of numbers.
@Suite struct TextOperationEdgeTests {
    @Test(arguments: [(1, Int.max), (Int.max, 1), (2, Int.max - 1), (0, 6), (5, 1), (6, 0)])
    func `a range beyond the text is refused`(position: Int, count: Int) throws {
        let patch = try JSONPatch([
            ["op": "str_del", "path": "/s", "pos": JSON(position), "len": JSON(count)]
        ])
        let value: JSON = ["s": "hello"]
        #expect(throws: JSONPatchError.self) { try value.applying(patch) }
    }
}
