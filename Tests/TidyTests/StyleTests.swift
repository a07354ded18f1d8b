import Foundation
import Testing

/// Counts the patterns of `Documentation/Project/Style.md` and refuses more than `style.txt` allows.
@Suite struct StyleTests {
    static let patterns: [(name: String, pattern: String)] = [
        (
            "clause",
            #"\b(What|Who|Whoever|Whatever)\b(?![^.|\n]*\?)|\b(of|by|for|those) (what|who)\b"#
        ),
        ("person", #"\b(?i:nobody|somebody|anybody|everybody|whoever)\b|\bone's own\b"#),
        (
            "verb",
            #"\b(?i:tells?|told|stands?|stood|go(es)? on|went on|look(s|ed)? (at|for)|"#
                + #"(take|takes|taken|took|taking) back|pass(ed|es)? over|hand(s|ed)? (over|back|on))\b"#
        ),
        ("amount", #"\bso (many|much|often|far)\b"#),
        ("worth", #"\bworth (something|nothing)|\bmeans? nothing|\bcounts? for|\bstands twice"#),
        ("idiom", #"\b(anew|beside|once more|with it)\b|\b(is|are) no (?!longer)[a-z]|, too\b"#),
        ("code", #"\b[ABFNTV][0-9]{1,2}\b(?![`=])"#),
    ]

    static let kinds = ["guide", "project", "strings", "comments"]

    private static let projectPages = [
        "Documentation/Project/", "Tests/", "Benchmarks/", "ARCHITECTURE.md", "CONTRIBUTING.md",
    ]

    static func counts(_ text: String) throws -> [String: Int] {
        let range = NSRange(text.startIndex..., in: text)
        let counts = try patterns.map { name, pattern in
            let expression = try NSRegularExpression(pattern: pattern)
            return (name, expression.numberOfMatches(in: text, range: range))
        }
        return Dictionary(uniqueKeysWithValues: counts)
    }

    /// A document without its code, which has words of programs and of tests.
    static func prose(_ lines: [String]) -> String {
        var isCode = false
        return lines.filter { line in
            if line.hasPrefix("```") { isCode.toggle() }
            return !isCode
        }.joined(separator: "\n").replacing(#/`[^`\n]*`/#, with: "``")
    }

    /// The comments and the string literals of a file.
    static func parts(_ lines: [String]) -> (comments: String, strings: String) {
        var comments: [Substring] = []
        var strings: [Substring] = []
        var isText = false
        for line in lines {
            let words = line.drop { $0 == " " }
            if line.contains("\"\"\"") {
                isText.toggle()
            } else if isText {
                strings.append(words)
            } else if words.hasPrefix("//") || words.hasPrefix("/*") || words.hasPrefix("*") {
                comments.append(words)
            } else {
                let halves = line.split(separator: "\"", omittingEmptySubsequences: false)
                for index in halves.indices where index % 2 == 1 { strings.append(halves[index]) }
            }
        }
        return (comments.joined(separator: "\n"), strings.joined(separator: "\n"))
    }

    static func found() throws -> [String: [String: Int]] {
        var texts = Dictionary(uniqueKeysWithValues: kinds.map { ($0, "") })
        // The problems are strings in the sources, and the changelog is a record.
        let others = ["Style.md", "CHANGELOG.md", "Problems.md"]
        for page in TidyTests.pages where !others.contains(where: page.path.hasSuffix) {
            let isProject = projectPages.contains { page.path.hasPrefix($0) }
            texts[isProject ? "project" : "guide"]! += prose(page.lines) + "\n"
        }
        let code = (TidyTests.sources + TidyTests.scripts).map { parts($0.lines) }
        texts["comments"] = code.map(\.comments).joined(separator: "\n")
        texts["strings"] = code.map(\.strings).joined(separator: "\n")
        return try texts.mapValues(counts)
    }

    @Test func `no pattern of the style page is more frequent than style_txt allows`() throws {
        let file = "\(TidyTests.root)/Tests/TidyTests/style.txt"
        let found = try StyleTests.found()
        if ProcessInfo.processInfo.environment["STYLE_WRITE"] != nil {
            let lines = StyleTests.kinds.flatMap { kind in
                StyleTests.patterns.map { "\(kind) \($0.name) \(found[kind]?[$0.name] ?? 0)\n" }
            }
            try lines.joined().write(toFile: file, atomically: true, encoding: .utf8)
        }
        let rows = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(rows.count == StyleTests.kinds.count * StyleTests.patterns.count)
        for row in rows {
            let words = row.split(separator: " ").map(String.init)
            let count = try #require(found[words[0]]?[words[1]])
            let countMax = try #require(Int(words[2]))
            #expect(count <= countMax, "\(row)")
        }
    }

    @Test func `each pattern is counted, in prose, strings and comments`() throws {
        let bad = """
            What is new: nobody tells whoever looks for so many, worth nothing, anew (N19).
            A client reads what the daemon reports. Who edits? `whoever`
            ```
            somebody
            ```
            """
        let counts = try StyleTests.counts(StyleTests.prose(bad.components(separatedBy: "\n")))
        let expected = [
            "clause": 1, "person": 2, "verb": 2, "amount": 1, "worth": 1, "idiom": 1, "code": 1,
        ]
        #expect(counts == expected)
        let code = ["// nobody", "a(\"somebody\") + whoever", "b = \"\"\"", "anew", "\"\"\""]
        let (comments, strings) = StyleTests.parts(code)
        #expect(comments == "// nobody" && strings == "somebody\nanew")
    }
}
