import Testing

@testable import JSONTree

@Suite struct JSONParserTests {
    typealias Reason = JSONParseError.Reason

    static let refused: [(String, Reason, Int)] = [
        ("", .unexpectedEnd, 0), (" ", .unexpectedEnd, 1), ("[", .unexpectedEnd, 1),
        ("[1,]", .unexpectedByte, 3), ("[1 2]", .unexpectedByte, 3), ("[,1]", .unexpectedByte, 1),
        (#"{"a":1,}"#, .unexpectedByte, 7), (#"{"a"}"#, .unexpectedByte, 4),
        ("{1:2}", .unexpectedByte, 1),
        ("nul", .unexpectedEnd, 3), ("nulx", .unexpectedByte, 3), ("1 2", .trailingBytes, 2),
        ("01", .invalidNumber, 0), ("-", .unexpectedEnd, 1), ("1.", .invalidNumber, 2),
        (".5", .unexpectedByte, 0), ("+1", .unexpectedByte, 0), ("1e", .unexpectedEnd, 2),
        ("NaN", .unexpectedByte, 0), ("-a", .invalidNumber, 0),
        ("\"\u{1}\"", .controlCharacter, 1), (#""\x""#, .invalidEscape, 1),
        (#""\u12g4""#, .invalidEscape, 1),
        (#""\ud800""#, .loneSurrogate, 1), (#""a\udc00""#, .loneSurrogate, 2),
        (#""\ud800\u0041""#, .loneSurrogate, 1), (#""abc"#, .unexpectedEnd, 4),
        (#"{"a":1,"b":2,"a":3}"#, .duplicateKey, 13), ("\u{feff}1", .unexpectedByte, 0),
        ("[]]", .trailingBytes, 2), ("]", .unexpectedByte, 0), ("{]", .unexpectedByte, 1),
    ]

    @Test(arguments: refused)
    func `what is not JSON is refused, with the place`(text: String, reason: Reason, offset: Int) {
        #expect(throws: JSONParseError(reason: reason, offset: offset)) { try JSON(parsing: text) }
    }

    static let badUTF8: [[UInt8]] = [
        [0xff], [0x80], [0xc0, 0x80], [0xc3], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80],
        [0xf0, 0x80, 0x80, 0x80],
        [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82],
    ]

    @Test(arguments: badUTF8)
    func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
        #expect(throws: JSONParseError(reason: .invalidUTF8, offset: 1)) {
            try JSON(parsing: [0x22] + bytes + [0x22])
        }
    }

    @Test(arguments: [
        "-0", "1e400", "1.0", "0.10", "-1.50", "1E+2", "0e0", "12345678901234567890123",
        "-9223372036854775808",
        "999999999999999999", "0.000000000000000001", "123456789012345678.9",
    ])
    func `numbers come back as they were written`(text: String) throws {
        let number = try JSON(parsing: text)
        #expect(number.description == text && number.byteCount == text.utf8.count)
    }

    @Test func `strings come back, with only the escapes they need`() throws {
        let text = #""\u0041\/\b\f\n\r\t\"\\\ud83d\ude00\u00e9""#
        #expect(try JSON(parsing: text).description == #""A/\b\f\n\r\t\"\\😀é""#)
    }

    @Test func `names that look alike are two names`() throws {
        let text = "{\"é\":1,\"e\u{301}\":2}"
        #expect(try JSON(parsing: text).count == 2 && JSON(parsing: text).description == text)
    }

    @Test(arguments: [
        ("1", "1.0", true), ("100", "1e2", true), ("0", "-0", true), ("1e400", "10e399", true),
        ("0.1", "0.10", true), ("1", "2", false),
        ("1e1000000000000000", "10e1000000000000000", false),
        ("1", "1e0000000000000000000", true), ("-1", "1", false), ("1e-2", "0.01", true),
    ])
    func `numbers are tested by value`(left: String, right: String, isEqual: Bool) throws {
        #expect(try JSON(parsing: left).isNumericallyEqual(to: JSON(parsing: right)) == isEqual)
    }

    @Test func `depth is bounded, and deep texts are refused quickly`() throws {
        let deep = String(repeating: "[", count: 1_000_000)
        #expect(throws: JSONParseError(reason: .tooDeep, offset: 128)) { try JSON(parsing: deep) }
        let limits = JSONLimits(depthMax: 3)
        #expect(try JSON(parsing: "[[[]]]", limits: limits).height == 3)
    }

    @Test func `values are counted, and a text with too many is refused where they are (D5)`()
        throws
    {
        let text = "[" + String(repeating: "{},", count: 1_500_000) + "{}]"
        #expect(throws: JSONParseError(reason: .tooManyValues, offset: 1 + 3 * 999_999)) {
            try JSON(parsing: text)
        }
        let limits = JSONLimits(valuesMax: 6)
        #expect(try JSON(parsing: #"[{"a":1,"b":[]},null]"#, limits: limits).valueCount == 5)
        #expect(try JSON(parsing: #"[{"a":1,"b":[2]},null]"#, limits: limits).valueCount == 6)
        #expect(throws: JSONParseError.self) {
            try JSON(parsing: #"[{"a":1,"b":[2,3]},null]"#, limits: limits)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a text of nothing but escapes takes no longer than its length`() throws {
        let text = "\"" + String(repeating: "\\n", count: 500_000) + "\""
        #expect(try JSON(parsing: text).utf8?.count == 500_000)
    }

    @Test(arguments: [0, 1, 32, 33, 64, 65, 127, 128, 129, 130, 300, 5_000])
    func `objects and arrays of every width are told apart and patched`(width: Int) throws {
        let names = (0..<width).map { "k\($0)" }
        let wide = JSON(members: names.map { ($0, JSON(1)) })
        let list = JSON(elements: (0..<width).map { JSON($0) })
        let (none, empty): (JSON, JSON) = ([:], [])
        let pairs: [(JSON, JSON)] = [
            (none, wide), (["a": none], ["a": wide]), (wide, ["z": 1]), (empty, list),
            (["a": empty], ["a": list]),
        ]
        for (old, new) in pairs {
            for (from, to) in [(old, new), (new, old)] {
                let patch = from.diff(to: to)
                #expect(patch.isEmpty == (from == to))
                #expect(try from.applying(patch) == to)
                #expect(try to.applying(patch.inverse) == from)
            }
        }
        #expect(try JSON(parsing: wide.serialized()) == wide)
        for name in names { #expect(wide[name] == 1) }
    }
}
