import Testing

@testable import JSONTree

/// Strings: what is written, what is read, and where one may cut.
@Suite struct StringTests {
    /// Text as it is sent, and as it is written again: with the escapes that are needed and no others.
    static let written: [(String, String)] = [
        (#""""#, #""""#),
        (#""a""#, #""a""#),
        (#""\u0061""#, #""a""#),
        (#""\"""#, #""\"""#),
        (#""\\""#, #""\\""#),
        (#""\/""#, #""/""#),
        (#""/""#, #""/""#),
        (#""\b\f\n\r\t""#, #""\b\f\n\r\t""#),
        (#""\u0008\u000c\u000a\u000d\u0009""#, #""\b\f\n\r\t""#),
        (#""\u0000""#, #""\u0000""#),
        (#""\u001f""#, #""\u001f""#),
        (#""\u001F""#, #""\u001f""#),
        (#""\u007f""#, "\"\u{7f}\""),
        (#""\u00e9""#, "\"é\""),
        (#""\u2028\u2029""#, "\"\u{2028}\u{2029}\""),
        (#""\ud83d\ude00""#, "\"😀\""),
        (#""\uD83D\uDE00""#, "\"😀\""),
        (#""\ufffd""#, "\"\u{fffd}\""),
        (#""\uffff""#, "\"\u{ffff}\""),
        (#""\udbff\udfff""#, "\"\u{10ffff}\""),
        (#""exactly14bytes""#, #""exactly14bytes""#),
        (#""exactly15 bytes""#, #""exactly15 bytes""#),
        (
            #""a\nlonger string with an escape inside""#,
            #""a\nlonger string with an escape inside""#
        ),
    ]

    @Test(arguments: written)
    func `a string is written with the escapes that it needs`(text: String, again: String) throws {
        let string = try JSON(parsing: text)
        #expect(string.kind == .string && string.description == again)
        #expect(string.byteCount == again.utf8.count)
        #expect(try JSON(parsing: again) == string)
        var bytes: [UInt8] = []
        JSON.appendQuoted(try #require(string.string), to: &bytes)
        #expect(bytes == Array(again.utf8))
    }

    @Test(arguments: [
        #""\a""#, #""\u""#, #""\u00""#, #""\u00g0""#, #""\U0061""#, #""\x41""#, #""\'""#, #""\"#,
        #""\ud800""#, #""\udc00""#, #""\ud800\ud800""#, #""\udc00\ud800""#, #""\ud800a""#,
        #""\ud800\n""#, "\"\u{0}\"", "\"\n\"", "\"\t\"", "\"\u{1f}\"", "'a'", "\"a", "a\"",
    ])
    func `what is no string is refused`(text: String) {
        #expect(throws: JSONParseError.self) { try JSON(parsing: text) }
        #expect(throws: JSONParseError.self) { try JSON(parsing: "{\(text):1}") }
    }

    @Test(arguments: [0, 1, 13, 14, 15, 16, 255, 256, 511, 512, 2_046, 2_047, 2_048, 2_049, 10_000])
    func `every length is one string, however it is kept`(length: Int) throws {
        for letter in ["a", "é", "😀", "\"", "\u{1}"] {
            let text = String(repeating: letter, count: length)
            let made = JSON(text)
            let read = try JSON(parsing: made.serialized())
            #expect(made == read && made.contentHash == read.contentHash)
            #expect(read.string?.utf8.count == text.utf8.count)
            #expect(made.byteCount == made.serialized().count)
            #expect(
                made != JSON(text + "a") && (length == 0 || made != JSON(String(text.dropLast()))))
        }
    }

    /// Text, position, insertion, result; positions count UTF-16 code units.
    static let insertions: [(String, Int, String, String)] = [
        ("", 0, "a", "a"), ("b", 0, "a", "ab"), ("a", 1, "b", "ab"), ("ac", 1, "b", "abc"),
        ("é", 1, "a", "éa"), ("😀", 2, "a", "😀a"), ("😀", 0, "a", "a😀"), ("a😀b", 3, "c", "a😀cb"),
        ("e\u{301}", 1, "x", "ex\u{301}"), ("\u{10ffff}", 2, "a", "\u{10ffff}a"),
        ("line\n", 5, "next", "line\nnext"),
    ]

    @Test(arguments: insertions)
    func `text is inserted between UTF-16 code units`(
        text: String, position: Int, insertion: String, result: String
    ) throws {
        let tree: JSON = ["t": JSON(text)]
        let place = JSONPointer(names: ["t"])
        let patch = JSONPatch([.insertText(place, at: position, insertion)])
        let (after, undo) = try tree.applying(patch)
        #expect(after["t"] == JSON(result))
        #expect(try after.applying(undo.inverse) == tree)
        let count = insertion.utf16.count
        let deletion = JSONPatch([.deleteText(place, at: position, count: count)])
        #expect(try after.applying(deletion).tree == tree)
    }

    @Test(arguments: [1, 100, 255, 256, 257, 1_000, 2_047, 2_048, 5_000])
    func `long texts are edited at every border of their pieces`(length: Int) throws {
        let place = JSONPointer(names: ["t"])
        let text = String(repeating: "aé😀", count: length)
        let tree: JSON = ["t": JSON(text)]
        let units = Array(text.utf16)
        for position in [0, 1, 2, 4, 5, units.count / 8 * 4, units.count - 2, units.count]
        where position >= 0 && position <= units.count {
            let patch = JSONPatch([.insertText(place, at: position, "x")])
            let isInside =
                position > 0 && position < units.count && UTF16.isLeadSurrogate(units[position - 1])
            if isInside {
                #expect(throws: JSONPatchError.self) { try tree.applying(patch) }
                continue
            }
            var expected = units
            expected.insert(UInt16(UInt8(ascii: "x")), at: position)
            let (after, undo) = try tree.applying(patch)
            #expect(after["t"]?.string.map { Array($0.utf16) } == expected)
            #expect(try after.applying(undo.inverse) == tree)
            #expect(after.contentHash == (try JSON(parsing: after.serialized())).contentHash)
        }
    }
}
