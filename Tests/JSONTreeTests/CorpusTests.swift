import JSONTree
import Testing

/// Texts that parsers get wrong, after the kinds of JSONTestSuite: `y` must be taken, `n` refused.
@Suite struct CorpusTests {
    static let taken: [String] = [
        "[[]   ]", #"[""]"#, "[]", #"["a"]"#, "[false]", "[null, 1, \"1\", {}]", "[null]", "[1\n]",
        " [1]",
        "[1,null,null,null,2]", "[2] ", "[0e+1]", "[0e1]", "[ 4]",
        "[-0.000000000000000000000000000000000000000000000000000000000000000000000000000001]",
        "[20e1]", "[-0]", "[-123]", "[-1]", "[1E22]", "[1E-2]", "[1E+2]", "[123e45]",
        "[123.456e78]", "[1e-2]", "[1e+2]",
        "[123]", "[123.456789]", #"{"asd":"sdf"}"#, #"{"":0}"#, "{}", #"{"foo\u0000bar": 42}"#,
        #"{"min":-1.0e+28,"max":1.0e+28}"#,
        #"{"x":[{"id":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}],"id":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#,
        #"{"a":[]}"#,
        #"{"title":"\u041f\u043e\u043b\u0442\u043e\u0440\u0430 \u0417\u0435\u043c\u043b\u0435\u043a\u043e\u043f\u0430"}"#,
        "{\n\"a\": \"b\"\n}",
        #"["\u0060\u012a\u12AB"]"#, #"["\uD801\udc37"]"#, #"["\ud83d\ude39\ud83d\udc8d"]"#,
        #"["\"\\\/\b\f\n\r\t"]"#, #"["\\u0000"]"#,
        #"["\""]"#, #"["a/*b*/c/*d//e"]"#, #"["\\a"]"#, #"["\\n"]"#, #"["\u0012"]"#, #"["\uFFFF"]"#,
        #"["asd"]"#, #"[ "asd"]"#,
        #"["\uDBFF\uDFFF"]"#, #"["new\u00A0line"]"#, "[\"\u{10FFFF}\"]", "[\"\u{FFFF}\"]",
        #"["\u0000"]"#, #"["\u002c"]"#, "[\"π\"]",
        "[\"\u{1BFFF}\"]", #"["asd "]"#, #"" ""#, #"["\uD834\uDd1e"]"#, #"["\u0821"]"#,
        #"["\u0123"]"#, "[\"\u{2028}\"]", "[\"\u{2029}\"]",
        #"["\u0061\u30af\u30EA\u30b9"]"#, "[\"new\u{7F}line\"]", #"["\uA66D"]"#, #"["\u005C"]"#,
        "[\"⍂㈴⍂\"]", #"["\u0022"]"#, #"["\uDBFF\uDFFE"]"#,
        #"["\u200B"]"#, #"["\u2064"]"#, #"["\uFDD0"]"#, #"["\uFFFE"]"#, #"["€𝄞"]"#,
        "[\"aa\u{7F}a\"]", "false", "42", "-0.1", "null", #""asd""#, "true",
        #""""#, "[\"a\"]\n", "[true]", " [] ", "[1e400]", "[-1e-400]", "[123123e100000]",
        "[0.4e00669999999999999999999999999999999999999999999999999999999]",
        "[100000000000000000000]", "[-123123123123123123123123123123]",
    ]

    static let refused: [String] = [
        "[1 true]", "[\"\": 1]", "[\"\"],", "[,1]", "[1,,2]", "[\"x\",,]", "[\"x\"]]", "[\"\",]",
        "[\"x\"", "[x", "[3[4]]", "[1:2]", "[,]", "[-]",
        "[   , \"\"]", "[\"a\",\n4\n,1,", "[1,]", "[1,,]", "[\"\u{0B}a\"\\f]", "[*]", "[\"\"",
        "[1,", "[1,\n1\n,1", "[{}", "[fals]", "[nul]", "[tru]",
        "[++1234]", "[+1]", "[+Inf]", "[-01]", "[-1.0.]", "[-2.]", "[-NaN]", "[.-1]", "[.2e-3]",
        "[0.1.2]", "[0.3e+]", "[0.3e]", "[0.e1]", "[0E+]", "[0E]",
        "[0e+]", "[0e]", "[1.0e+]", "[1.0e-]", "[1.0e]", "[1 000.0]", "[1eE2]", "[2.e+3]",
        "[2.e-3]", "[2.e3]", "[9.e+]", "[Inf]", "[NaN]", "[１]", "[1+2]",
        "[0x1]", "[0x42]", "[Infinity]", "[0e+-1]", "[-123.123foo]", "[-Infinity]", "[-foo]",
        "[- 1]", "[-012]", "[-.123]", "[-1x]", "[1ea]", "[1a]", "[1.]",
        "[.123]", "[1.2a-3]", "[1.8011670033376514H-308]", "[012]", "[\"x\", truth]", "{[: \"x\"}",
        "{\"x\", null}", "{\"x\"::\"b\"}", "{🇨🇭}", "{\"a\":\"a\" 123}",
        "{key: 'value'}", "{\"a\" b}", "{:\"b\"}", "{\"a\" \"b\"}", "{\"a\":", "{\"a\"", "{1:1}",
        "{9999E9999:1}", "{null:null,null:null}", "{\"id\":0,,,,,}",
        "{'a':0}", "{\"id\":0,}", "{\"a\":\"b\"}/**/", "{\"a\":\"b\"}/**//", "{\"a\":\"b\"}//",
        "{\"a\":\"b\"}/", "{\"a\":\"b\",,\"c\":\"d\"}", "{a: \"b\"}",
        "{\"a\":\"a", "{ \"foo\" : \"bar\", \"a\" }", "{\"a\":\"b\"}#", " ", "[\"\\uD800\\\"]",
        "[\"\\uD800\\u\"]", "[\"\\uD800\\u1\"]", "[\"\\uD800\\u1x\"]", "[é]",
        "[\"\\x00\"]", "[\"\\\\\\\"]", "[\"\\\t\"]", "[\"\\🌀\"]", "[\"\\\"]", "[\"\\u00A\"]",
        "[\"\\uD834\\uDd\"]", "[\"\\uD800\\uD800\\x\"]", "[\"\\a\"]",
        "[\"\\uqqqq\"]", "[\\u0020\"asd\"]", "[\\n]", "\"", "['single quote']", "abc", "[\"\\",
        "[\"a\u{0}a\"]", "[\"new\nline\"]", "[\"\t\"]", "\"\\UA66D\"",
        "\"\"x", "<.>", "[<null>]", "[1]x", "[\"asd]", "aå", "[True]", "1]", "{\"x\": true,",
        "[][]", "]", "\u{FEFF}{}", "å", "[", "", "2@", "{}}", "{\"\":",
        "{\"a\":/*comment*/\"b\"}", "{\"a\": true} \"x\"", "['", "[\"a", "[,", "[{", "[\"a\"", "{",
        "{]", "{,", "{[", "{\"a", "{'a'", "[\"\\{[\"\\{[\"\\{[\"\\{", "{\"a\":1,\"a\":1}",
        "*", "{\"a\":\"b\"}#{}", "[\\u000A\"\"]", "[1", "[ false, nul", "[ true, fals",
        "[ false, tru", "{\"asd\":\"asd\"", "\u{2060}", "[\u{0C}]",
    ]

    @Test(arguments: taken)
    func `what RFC 8259 allows is taken, and comes back`(text: String) throws {
        let value = try JSON(parsing: text)
        #expect(try JSON(parsing: value.serialized()) == value)
    }

    @Test(arguments: refused)
    func `what RFC 8259 does not allow is refused at a place inside the text`(text: String) {
        do {
            let value = try JSON(parsing: text)
            Issue.record("taken as \(value)")
        } catch {
            #expect((0...text.utf8.count).contains(error.offset))
        }
    }

    /// Every prefix of a text breaks it, at the end or before.
    @Test func `a text cut short is refused wherever it is cut`() throws {
        let text = Array(
            #"{"a":[1,-2.5e+3,"x\u00e9\ud83d\ude00é😀"],"b":{"c":null,"d":true,"e":false}}"#.utf8)
        #expect(try JSON(parsing: text).serialized().count > 0)
        for length in 0..<text.count {
            #expect(throws: JSONParseError.self) { try JSON(parsing: Array(text[..<length])) }
        }
    }
}
