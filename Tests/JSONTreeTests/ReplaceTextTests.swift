import TestSupport
import Testing

@testable import JSONTree

/// `str_replace`: a text that occurs exactly once in a string is replaced.
@Suite struct ReplaceTextTests {
    private static func operation(_ found: String, _ inserted: String) -> JSONPatch {
        JSONPatch([.replaceText(.root, find: found, with: inserted)])
    }

    private func failure(
        _ text: String, _ found: String, _ inserted: String = "x"
    ) -> JSONPatchError.Reason? {
        do {
            _ = try JSON(text).applying(ReplaceTextTests.operation(found, inserted))
            return nil
        } catch {
            return error.reason
        }
    }

    private func replaced(_ text: String, _ found: String, _ inserted: String) throws -> String? {
        let tree = JSON(text)
        let (after, patch) = try tree.applying(ReplaceTextTests.operation(found, inserted))
        #expect(try after.applying(patch.inverse) == tree)
        #expect(try tree.applying(patch.textOperations).tree == after)
        return after.string
    }

    // Found once.

    @Test(arguments: [
        ("Hot soup and bread", "Hot soup", "Cold soup", "Cold soup and bread"),
        ("Hot soup", "Hot soup", "", ""), ("abc", "c", "dd", "abdd"), ("abc", "a", "", "bc"),
        ("abab", "ba", "", "ab"), ("aab", "ab", "b", "ab"), ("x", "x", "x", "x"),
    ])
    func `a text that occurs once is replaced`(
        text: String, found: String, inserted: String, result: String
    ) throws {
        #expect(try replaced(text, found, inserted) == result)
    }

    @Test func `a text that is replaced by itself is no edit`() throws {
        let (tree, patch) = try JSON("abc").applying(ReplaceTextTests.operation("b", "b"))
        #expect(tree == "abc" && patch.isEmpty)
    }

    @Test func `what is stored are the words that differ, marked as compared`() throws {
        let text = "Serve the hot soup with white bread"
        let (_, patch) = try JSON(text).applying(
            ReplaceTextTests.operation("hot soup with white", "cold soup with brown"))
        func splice(_ position: Int, _ removed: String, _ inserted: String) -> JSONEdit {
            .splice(
                .root, at: position, removed: Array(removed.utf8), inserted: Array(inserted.utf8),
                isValue: true)
        }
        #expect(patch.edits == [splice(10, "hot", "cold"), splice(25, "white", "brown")])
    }

    // Not found, or not once.

    @Test func `a text that does not occur is refused`() {
        #expect(failure("Hot soup", "hot") == .textNotFound)
        #expect(failure("", "a") == .textNotFound)
        #expect(failure("short", "much longer") == .textNotFound)
        #expect(failure("a\nb", "a\r\nb") == .textNotFound)
    }

    @Test func `places are counted, those that overlap too, and the first ten are named`() {
        #expect(failure("so so", "so") == .textNotUnique(count: 2, positions: [0, 3]))
        #expect(failure("aaa", "aa") == .textNotUnique(count: 2, positions: [0, 1]))
        #expect(failure("abababa", "aba") == .textNotUnique(count: 3, positions: [0, 2, 4]))
        #expect(
            failure(String(repeating: "a", count: 40), "a")
                == .textNotUnique(count: 40, positions: Array(0..<10)))
    }

    @Test func `bytes are compared and nothing is normalized`() throws {
        // One scalar, and a letter with a combining mark.
        #expect(failure("caf\u{e9}", "cafe\u{301}") == .textNotFound)
        #expect(failure("cafe\u{301}", "caf\u{e9}") == .textNotFound)
        #expect(try replaced("caf\u{e9} cafe\u{301}", "cafe\u{301}", "tea") == "caf\u{e9} tea")
        #expect(try replaced("e\u{301}", "e", "a") == "a\u{301}")
        #expect(try replaced("caf\u{e9}", "\u{e9}", "\u{e8}") == "caf\u{e8}")
    }

    @Test func `positions count UTF-16 code units, and pairs stay whole`() throws {
        #expect(failure("😀a é a", "a") == .textNotUnique(count: 2, positions: [2, 6]))
        #expect(failure("😀😀😀", "😀😀") == .textNotUnique(count: 2, positions: [0, 2]))
        #expect(try replaced("x😀y", "😀", "😁") == "x😁y")
        #expect(try replaced("👩‍👩‍👧 family", "👩‍👧", "👩‍👦") == "👩‍👩‍👦 family")
    }

    @Test func `a long text is searched like a short one`() throws {
        let filler = String(repeating: "lorem ipsum é😀 ", count: 400)
        let text = filler + "Hot soup" + filler
        #expect(try replaced(text, "Hot soup", "Cold soup") == filler + "Cold soup" + filler)
        #expect(
            failure(text + "Hot soup", "Hot soup")
                == .textNotUnique(
                    count: 2, positions: [filler.utf16.count, text.utf16.count]))
    }

    @Test(arguments: Seeds.of(40, from: 1))
    func `a search finds what a comparison at each place finds`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let text = (0..<random.below(40)).map { _ in UInt8(97 + random.below(2)) }
            let found = (0...random.below(6)).map { _ in UInt8(97 + random.below(2)) }
            let places = text.indices.filter { text[$0...].starts(with: found) }
            let search = TextSearch(for: found.span, in: text.span)
            #expect(search.count == places.count)
            #expect(search.offsets == Array(places.prefix(10)))
        }
    }

    // In a patch.

    @Test func `the string is searched as the patch stands there`() throws {
        let tree: JSON = ["text": "soup", "list": [1]]
        func applied(_ operations: String) throws -> JSON {
            try tree.applying(JSONPatch(JSON(parsing: operations))).tree
        }
        let after = try applied(
            #"""
            [{"op":"test","path":"/text","value":"soup"},
            {"op":"str_ins","path":"/text","pos":0,"str":"hot "},
            {"op":"str_replace","path":"/text","find":"hot soup","str":"stew"},
            {"op":"add","path":"/list/0","value":"stew"},
            {"op":"str_replace","path":"/list/0","find":"ew","str":"art"}]
            """#)
        #expect(after == ["text": "stew", "list": ["start", 1]])
        #expect(throws: JSONPatchError.self) {
            try applied(
                #"""
                [{"op":"str_replace","path":"/text","find":"soup","str":"stew"},
                {"op":"str_replace","path":"/text","find":"soup","str":"x"}]
                """#)
        }
    }

    @Test(arguments: [
        #"{"op":"str_replace","path":"/t","str":"x"}"#,
        #"{"op":"str_replace","path":"/t","find":"","str":"x"}"#,
        #"{"op":"str_replace","path":"/t","find":1,"str":"x"}"#,
        #"{"op":"str_replace","path":"/t","find":"x"}"#,
        #"{"op":"str_replace","path":"t","find":"x","str":""}"#,
        #"{"op":"str_replace","find":"x","str":""}"#,
    ])
    func `an operation without a text to find or to insert is malformed`(
        operation: String
    ) throws {
        do {
            _ = try JSONPatch(JSON(parsing: "[\(operation)]"))
            Issue.record("it was read")
        } catch let error as JSONPatchError {
            let isMalformed = if case .malformed = error.reason { true } else { false }
            #expect(isMalformed && error.operation == 0, "\(error)")
        }
    }

    @Test func `an operation is written as it was read`() throws {
        let text = #"[{"op":"str_replace","path":"/t","find":"a\"","str":""}]"#
        let patch = try JSONPatch(JSON(parsing: text))
        #expect(patch.description == text && patch.hasTextOperations)
    }

    @Test func `a patch that replaces very many words is not compared without end`() throws {
        let (old, new) = ("a b c d e f g h", "a c e g i k")
        func edits(_ count: Int) throws -> Int {
            let tree = JSON("<" + String(repeating: old + "|", count: count) + ">")
            let inserted = String(repeating: new + "|", count: count)
            let found = String(repeating: old + "|", count: count)
            let (after, patch) = try tree.applying(ReplaceTextTests.operation(found, inserted))
            #expect(after == JSON("<" + inserted + ">"))
            return patch.count
        }
        #expect(try edits(20) > 20)
        #expect(try edits(1_000) == 1)
    }

    @Test func `a short patch cannot search a large text again and again`() throws {
        let tree = JSON(String(repeating: "a", count: 8 << 20) + "b")
        let operation = JSONOperation.replaceText(.root, find: "b", with: "b")
        do {
            _ = try tree.applying(JSONPatch(Array(repeating: operation, count: 20)))
            Issue.record("it was applied")
        } catch {
            #expect(error.reason == .tooMuchToSearch(max: 64 << 20) && error.operation == 8)
        }
    }
}
