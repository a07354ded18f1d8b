import JSONTree
import Testing

@testable import Sentences

/// Terminals print sentences next to other texts: all their characters are visible, and they are no
/// longer than they look.
@Suite struct PlainTextTests {
    @Test(
        "What controls a terminal or turns a text does not reach a sentence",
        arguments: [
            ("\u{1b}[31mred", "\u{FFFD}[31mred"), ("a\u{0}b", "a\u{FFFD}b"),
            ("a\u{9b}b", "a\u{FFFD}b"), ("a\u{7f}b", "a\u{FFFD}b"), ("a\nb\tc", "a b c"),
            ("a\u{2028}b\u{85}c", "a b c"), ("exe.\u{202e}gnp", "exe.gnp"),
            ("a\u{2066}b\u{2069}\u{200e}\u{200f}\u{61c}", "ab"),
            ("a\u{200b}b\u{2060}\u{feff}c\u{ad}d\u{180e}e\u{115f}\u{3164}f", "abcdef"),
            ("a\u{e0041}\u{e0042}b", "ab"), ("a\u{fff9}b", "ab"),
            ("\u{200d}\u{200c}a", "a"), ("a \u{200d}b", "a b"), ("\u{fe0f}a", "a"),
        ])
    func controls(text: String, plain: String) {
        #expect(text.plain.unicodeScalars.elementsEqual(plain.unicodeScalars))
    }

    @Test(
        "What joins emoji and the letters of scripts stays",
        arguments: [
            "👨\u{200d}👩\u{200d}👧\u{200d}👦 at home", "❤\u{fe0f}\u{200d}🔥",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "👩🏽\u{200d}❤\u{fe0f}\u{200d}💋\u{200d}👨🏿", "🇺🇦", "1\u{fe0f}\u{20e3}",
            "می\u{200c}خواهم", "क्\u{200d}ष", "ශ්\u{200d}රී", "葛\u{e0100}", "Zoë, 東京, עברית, العربية",
            "e\u{301}\u{323}", "ก็้", "ﷺ ۝",
        ])
    func joined(text: String) {
        #expect(text.plain.unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test(
        "A text that looks short is short",
        arguments: [
            "a" + String(repeating: "\u{200d}", count: 5_000),
            String(repeating: "a\u{200d}\u{200d}", count: 5_000),
            "a" + String(repeating: "\u{301}", count: 5_000),
            String(repeating: "👨\u{200d}", count: 5_000),
            String(repeating: "क्", count: 5_000), String(repeating: "\u{200b}", count: 5_000) + "a",
        ])
    func length(text: String) {
        let cut = text.cut(to: 32)
        #expect(cut.count <= 32 && cut.unicodeScalars.count <= 4 * 32 + 1)
        #expect(text.plain.cut(to: 32).unicodeScalars.count <= 4 * 32 + 1)
    }

    @Test("Whatever stands in a document, a sentence about it is plain and short")
    func sentences() throws {
        let odd = [
            "\u{1b}[31m\u{202e}", "\u{0}", String(repeating: "\u{200d}", count: 600),
            "x" + String(repeating: "\u{200d}\u{301}", count: 600),
        ]
        for text in odd {
            let element: JSON = ["id": JSON(text), "name": JSON(text), text: JSON(text), "n": 1]
            let before: JSON = [text: [element, [text: JSON(text + " word")]], "t": JSON(text)]
            let after: JSON = [
                text: [[text: JSON(text + " other word")], ["name": JSON(text + "2"), "n": 2]],
                "t": JSON(text + text), text + "2": 1,
            ]
            for (old, new) in [(before, after), (after, before)] {
                let told = Telling(from: old, to: new)
                let all = told.sentence.text + told.values.map { $0.old + $0.new }.joined()
                #expect(all.unicodeScalars.elementsEqual(all.plain.unicodeScalars))
                #expect(all.count < 400 && all.unicodeScalars.count < 800)
            }
        }
    }

    @Test("Pieces from elsewhere are plain, too")
    func pieces() {
        let sentence = Sentence(
            .words("undid "), .person("e\u{1b}ve"), .words("’s change: "), .object("a\u{202e}b")
        )
        #expect(sentence.text == "undid e\u{FFFD}ve’s change: ab")
    }

    @Test("An element whose name cannot be seen is called by the next that can")
    func invisible() {
        let element: JSON = ["name": "\u{200d}\u{202e}", "title": "Soup"]
        let name = ElementName(of: element, at: 0, kind: "dish", identity: ["id"])
        #expect(name.text == "Soup")
    }
}
