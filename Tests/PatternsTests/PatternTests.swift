import Testing

@testable import Patterns

@Suite struct PatternTests {
    @Test(arguments: [
        (#"^abc$"#, "abc", true), (#"^abc$"#, "abc\n", false), (#"b+"#, "abbc", true),
        (#"^\cC$"#, "\u{3}", true), (#"^\S$"#, "\u{2029}", false), (#"^\s$"#, "\u{feff}", true),
        (#"^.$"#, "\u{2028}", false), (#"^.$"#, "🐲", true), (#"^[^]$"#, "\n", true),
        (#"[]"#, "a", false), (#"^[[:alpha:]$"#, "[", true), (#"^\u0041\x42\u{43}$"#, "ABC", true),
        (#"^\ud83d\udc32$"#, "🐲", true), (#"^\p{Letter}+\p{digit}$"#, "é٣", true),
        (#"^\p{Script=Greek}$"#, "λ", true), (#"^\p{ASCII}$"#, "é", false),
        (#"^(?<year>\d{4})-(?:\d\d)$"#, "2026-11", true), (#"[\b]"#, "\u{8}", true),
        (#"^[\s\d]+$"#, " 7\u{a0}", true), (#"^[\S]$"#, "\u{a0}", false), (#"\/a\-"#, "/a-", true),
    ])
    func `A pattern means what it means in ECMA-262`(
        _ pattern: String, _ text: String, _ isMatch: Bool
    ) throws {
        #expect(try Pattern(pattern).matches(Array(text.utf8)) == isMatch)
    }

    @Test(arguments: [
        #"(a)\1"#, "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(?i)a", "(", "[a", #"\"#, #"\a"#,
        #"\z"#, #"\ud83d"#, #"\u{110000}"#, #"\x4"#, #"\p"#, #"\p{Klingon}"#, "a{1001}", "*",
        "((a{100}){100}){100}", #"\k<a>"#, #"\c1"#, "(?P<a>b)",
    ])
    func `What is not matched in linear time, or is no pattern, is refused`(_ pattern: String) {
        #expect(throws: Pattern.Fault.self) { try Pattern(pattern) }
    }

    @Test func `A pattern that others take years for is matched at once`() throws {
        let text = Array(repeating: UInt8(ascii: "a"), count: 200_000)
        #expect(try !Pattern("^(a+)+$").matches(text + [0x62]))
        #expect(try !Pattern("^(a|aa)*c").matches(text))
    }
}
