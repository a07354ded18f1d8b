@testable import JSONTree
import TestSupport
import Testing

/// `str_replace` is the edit that a comparison of the whole text finds, also when it is merged.
@Suite struct ReplaceTextLawTests {
    private static let words = [
        "soup", "bread", "hot", "cold", "so", "s", "café", "cafe\u{301}", "😀", "😀😁", " ", " ",
        ", ", "\n", "ab", "abab",
    ]

    private static func text(_ random: inout SeededGenerator, count: Int) -> String {
        (0..<count).map { _ in words[random.below(words.count)] }.joined(separator: " ")
    }

    /// A text, a part of it that occurs once, and what comes in its place.
    private struct Replacement {
        let text: String
        let found: String
        let inserted: String
        let result: String

        init?(_ random: inout SeededGenerator) {
            text = ReplaceTextLawTests.text(&random, count: 12 + random.below(20))
            let scalars = Array(text.unicodeScalars)
            let start = random.below(scalars.count)
            let end = min(scalars.count, start + 1 + random.below(20))
            func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
                String(String.UnicodeScalarView(scalars))
            }
            found = string(scalars[start..<end])
            // Some words stay.
            inserted =
                random.once(in: 3)
                ? found.replacing("o", with: "a").replacing("s", with: "sh")
                : ReplaceTextLawTests.text(&random, count: random.below(4))
            result = string(scalars[..<start]) + inserted + string(scalars[end...])
            let search = TextSearch(
                for: Array(found.utf8).span, in: Array(text.utf8).span)
            if search.count != 1 { return nil }
        }
    }

    /// The edit of the text by another actor in the meantime.
    private static func edit(_ text: JSON, _ random: inout SeededGenerator) throws -> JSONPatch {
        let value = text.string ?? ""
        let scalars = Array(value.unicodeScalars)
        let start = random.below(scalars.count + 1)
        let position = scalars[..<start].reduce(0) { $0 + UTF16.width($1) }
        if random.once(in: 3), start < scalars.count {
            let rest = scalars[start...].prefix(1 + random.below(6))
            let count = rest.reduce(0) { $0 + UTF16.width($1) }
            return JSONPatch([.deleteText(.root, at: position, count: count)])
        }
        if random.once(in: 3) {
            return JSONPatch([.replace(.root, JSON(value.replacing("hot", with: "warm")))])
        }
        let word = words[random.below(words.count)]
        return JSONPatch([.insertText(.root, at: position, word)])
    }

    @Test(arguments: Seeds.of(60, from: 1), [ConflictPolicy.reject, .mine, .theirs])
    func `str_replace is a PUT of the whole text, also past edits of others`(
        seed: UInt64, policy: ConflictPolicy
    ) throws {
        var random = SeededGenerator(seed: seed)
        var (compared, merged) = (0, 0)
        for round in 0..<60 {
            guard let one = Replacement(&random) else { continue }
            let base = JSON(one.text)
            let note: Comment = "seed \(seed) round \(round): \(one)"
            let (after, replaced) = try base.recording(
                JSONPatch([.replaceText(.root, find: one.found, with: one.inserted)]))
            #expect(after == JSON(one.result), note)
            var (head, later) = (base, [MergeBase.Later]())
            for revision in 1...(1 + random.below(3)) {
                let (tree, change) = try head.applying(
                    ReplaceTextLawTests.edit(head, &random))
                later.append(MergeBase.Later(change, revision: revision))
                head = tree
            }
            func result(_ sent: RecordedPatch) throws -> MergedEdit {
                try MergeBase(before: later, head: head, pairsMax: 1_000_000)
                    .merge(sent, policy: policy)
            }
            let mine = try result(replaced)
            #expect(mine.sentTree == after, note)
            #expect(try head.applying(mine.patch) == after.applying(mine.missed), note)
            // A whole value that has less than half of the letters is another text.
            let put = base.diff(to: JSON(one.result))
            guard put.isEmpty || put.hasTextEdits else { continue }
            compared += 1
            let whole = try result(RecordedPatch(put))
            #expect(mine.patch == whole.patch && mine.missed == whole.missed, note)
            #expect(mine.conflicts.isEmpty == whole.conflicts.isEmpty, note)
            #expect(
                Set(mine.conflicts.map(\.revision)) == Set(whole.conflicts.map(\.revision)), note)
            if !mine.patch.isEmpty { merged += 1 }
        }
        #expect(compared > 10 && merged > 10)
    }
}
