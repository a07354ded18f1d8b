import Testing

@testable import JSONTree

/// Making values, asking them, and writing them.
@Suite struct AccessTests {
    /// Text, kind, count, and whether it has parts.
    static let kinds: [(String, JSON.Kind, Int, Bool)] = [
        ("null", .null, 0, false),
        ("true", .bool, 0, false),
        ("false", .bool, 0, false),
        ("0", .number, 0, false),
        ("-1.5e3", .number, 0, false),
        (#""""#, .string, 0, false),
        (#""text""#, .string, 0, false),
        ("[]", .array, 0, true),
        ("[1,[2,3]]", .array, 2, true),
        ("{}", .object, 0, true),
        (#"{"a":1,"b":{"c":2}}"#, .object, 2, true),
    ]

    @Test(arguments: kinds)
    func `a value knows what it is`(
        text: String, kind: JSON.Kind, count: Int, isContainer: Bool
    ) throws {
        let value = try JSON(parsing: text)
        #expect(value.kind == kind && value.isContainer == isContainer)
        if isContainer { #expect(value.count == count) }
        #expect((value.elements != nil) == (kind == .array))
        #expect((value.members != nil) == (kind == .object))
        #expect((value.string != nil) == (kind == .string))
        #expect((value.bool != nil) == (kind == .bool))
        #expect((value.numberText != nil) == (kind == .number))
        #expect(value.description == text && value.byteCount == text.utf8.count)
        #expect((value == .null) == (kind == .null))
    }

    @Test func `values are made of literals`() {
        let value: JSON = [
            "null": nil, "yes": true, "number": 42, "text": "words", "list": [1, "two", [3]],
            "inner": ["a": ["b": []]], "empty": [:],
        ]
        #expect(value["null"] == .null && value["yes"]?.bool == true)
        #expect(value["number"]?.int == 42 && value["text"]?.string == "words")
        #expect(value["list"]?[2]?[0]?.int == 3 && value["list"]?[3] == nil)
        #expect(value["inner"]?["a"]?["b"]?.count == 0 && value["empty"]?.count == 0)
        #expect(value["none"] == nil && value[0] == nil && value["text"]?["x"] == nil)
        #expect(value["list"]?[-1] == nil)
    }

    @Test func `the last of two members with one name counts where a value is made`() {
        let value = JSON(members: [("a", 1), ("b", 2), ("a", 3)])
        #expect(value.count == 2 && value["a"] == 3)
    }

    /// How deep a value is nested.
    static let heights: [(String, Int)] = [
        ("1", 0), ("[]", 1), ("{}", 1), ("[1]", 1), ("[[]]", 2), (#"{"a":[]}"#, 2),
        (#"[{"a":[{}]},[]]"#, 4), (#"{"a":1,"b":[[[]]]}"#, 4),
    ]

    @Test(arguments: heights)
    func `the height is that of the deepest part`(text: String, height: Int) throws {
        #expect(try JSON(parsing: text).height == height)
    }

    /// Compact text, and the same for people.
    static let pretty: [(String, String)] = [
        ("1", "1\n"),
        (#""a""#, "\"a\"\n"),
        ("[]", "[]\n"),
        ("{}", "{}\n"),
        ("[1,2]", "[\n  1,\n  2\n]\n"),
        (#"{"a":1}"#, "{\n  \"a\": 1\n}\n"),
        (#"{"a":[],"b":{}}"#, "{\n  \"a\": [],\n  \"b\": {}\n}\n"),
        (
            #"{"a":[1,{"b":null}]}"#,
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ]\n}\n"
        ),
    ]

    @Test(arguments: pretty)
    func `text for people is indented, and means the same`(text: String, expected: String) throws {
        let value = try JSON(parsing: text)
        let printed = String(decoding: value.prettyPrinted(), as: UTF8.self)
        let lines = { (text: String) in
            text.split(separator: "\n").map { $0.filter { $0 != " " } }
        }
        #expect(lines(printed) == lines(expected))
        #expect(try JSON(parsing: printed) == value)
    }

    @Test func `a place is replaced, and nothing else`() throws {
        let value = try JSON(parsing: #"{"a":[1,{"b":2}],"c":3}"#)
        let place = JSONPointer(names: ["a", "1", "b"])
        let (after, _) = try value.applying(JSONPatch([.replace(place, "new")]))
        #expect(after.description == #"{"a":[1,{"b":"new"}],"c":3}"#)
        #expect(value.description == #"{"a":[1,{"b":2}],"c":3}"#)
    }

    /// Accepted with white space wherever it may stand.
    static let spaced: [(String, String)] = [
        (" 1 ", "1"), ("\t[\n]\r", "[]"), (" { } ", "{}"), ("[ 1 , 2 ]", "[1,2]"),
        (" {\n\t\"a\" :\r 1 ,\n \"b\":[ ] } ", #"{"a":1,"b":[]}"#),
    ]

    @Test(arguments: spaced)
    func `white space between tokens means nothing`(text: String, compact: String) throws {
        #expect(try JSON(parsing: text).description == compact)
    }

    @Test(arguments: [
        "", " ", "nul", "tru", "True", "NULL", "undefined", "[1", "[1,", "[1,]", "[,1]", "[1 2]",
        "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{a:1}", "{'a':1}",
        "{1:2}", "{\"a\" 1}", "{\"a\"::1}", "[}", "{]", "]", "}", ",", ":", "1 2", "[]]", "{}}",
        "/* c */1", "1//c", "[1]\u{0}", "\u{a0}1", "(1)", "<1>", "[\"a\",\"b\"", "[[[[",
        "{\"a\":{\"b\":", "\"a\":1", "[1,2,3,4,5,6,7,8,9,", "truefalse", "nullnull", "\\\"a\\\"",
    ])
    func `what is not JSON is refused, and the place is inside the text`(text: String) {
        do {
            let value = try JSON(parsing: text)
            Issue.record("\(value)")
        } catch {
            #expect((0...text.utf8.count).contains(error.offset) && !error.description.isEmpty)
        }
    }
}
