import TestSupport
import Testing

@testable import JSONTree

/// Numbers that are equal are the same in a merge, however they are written.
@Suite struct EqualNumberTests {
    /// Base, mine, theirs, the value with both; what begins with `=` is a whole value.
    static let cases: [(String, String, String, String)] = [
        // Both set it to one number: the digits of the first stay.
        (#"{"p":4}"#, #"={"p":1.00}"#, #"={"p":1.0}"#, #"{"p":1.0}"#),
        (#"{"p":4}"#, #"={"p":1}"#, #"={"p":10e-1}"#, #"{"p":10e-1}"#),
        ("{}", #"={"p":1.00}"#, #"={"p":1.0}"#, #"{"p":1.0}"#),
        ("[3]", "=[1.00]", "=[1.0]", "[1.0]"),
        ("3", "=1.00", "=1.0", "1.0"),
        (
            "{}", #"={"o":{"p":1.00,"q":[2]}}"#, #"={"o":{"q":[2.0],"p":1.0}}"#,
            #"{"o":{"q":[2.0],"p":1.0}}"#
        ),
        // An edit that only changes digits loses against one that does more.
        (#"{"p":1.0}"#, #"={"p":1}"#, #"={"p":2}"#, #"{"p":2}"#),
        (#"{"p":1.0}"#, #"={"p":2}"#, #"={"p":1}"#, #"{"p":2}"#),
        (#"{"p":1.0}"#, "={}", #"={"p":1}"#, "{}"),
        (#"{"p":1.0}"#, #"={"p":1}"#, "={}", "{}"),
        (#"{"p":1.0}"#, #"={"p":1.00}"#, #"={"p":1}"#, #"{"p":1}"#),
        ("[1.0,5]", #"[{"op":"remove","path":"/0"}]"#, "=[1,5]", "[5]"),
        ("[1.0,5]", "=[1,5]", #"[{"op":"remove","path":"/0"}]"#, "[5]"),
        (#"{"o":{"p":1.0,"q":1}}"#, #"={"o":{"p":1,"q":1}}"#, #"={"o":7}"#, #"{"o":7}"#),
        (#"{"o":{"p":1.0}}"#, #"={"o":7}"#, #"={"o":{"p":1}}"#, #"{"o":7}"#),
        (#"{"o":{"p":1.0}}"#, "={}", #"={"o":{"p":1}}"#, "{}"),
        (
            #"{"p":1.0}"#,
            #"[{"op":"test","path":"/p","value":1},{"op":"add","path":"/q","value":2}]"#,
            #"={"p":1}"#, #"{"p":1,"q":2}"#
        ),
        (
            #"{"p":4}"#,
            #"[{"op":"replace","path":"/p","value":1.00},{"op":"replace","path":"/p","value":7}]"#,
            #"={"p":1.0}"#, #"{"p":7}"#
        ),
        (
            #"{"p":4}"#,
            #"[{"op":"replace","path":"/p","value":1.00},{"op":"move","from":"/p","path":"/q"}]"#,
            #"={"p":1.0}"#, #"{"q":1.0}"#
        ),
    ]

    private func patch(_ text: String, on tree: JSON) throws -> RecordedPatch {
        guard text.hasPrefix("=") else {
            return try tree.recording(JSONPatch(JSON(parsing: text), limits: .standard)).recorded
        }
        let value = try JSON(parsing: String(text.dropFirst()))
        return RecordedPatch(tree.diff(to: value, options: DiffOptions(isShort: false)))
    }

    @Test(arguments: cases)
    func `16: equal numbers agree, and the digits of the first stay`(
        base: String, mine: String, theirs: String, both: String
    ) throws {
        let base = try JSON(parsing: base)
        let (mine, theirs) = (try patch(mine, on: base), try patch(theirs, on: base).patch)
        let head = try base.applying(theirs)
        let later = [MergeBase.Later(theirs, revision: 1)]
        for policy in [ConflictPolicy.reject, .mine, .theirs] {
            let merge = try MergeBase(before: later, head: head, pairsMax: 1_000)
            let merged = try merge.merge(mine, policy: policy)
            #expect(merged.conflicts.isEmpty && !merged.hasLoss)
            let value = try head.applying(merged.patch)
            #expect(value == (try JSON(parsing: both)), "\(value)")
            #expect(try merged.sentTree.applying(merged.missed) == value)
        }
    }

    @Test func `16: numbers that are not equal are a conflict, as ever`() throws {
        let base: JSON = ["p": 4]
        let theirs = try patch(#"={"p":1.0}"#, on: base).patch
        let merge = try MergeBase(
            before: [.init(theirs, revision: 1)], head: base.applying(theirs), pairsMax: 1_000)
        let merged = try merge.merge(patch(#"={"p":1.01}"#, on: base), policy: .reject)
        #expect(merged.conflicts.count == 1)
    }

    /// The tree with other digits here and there, and other values.
    private func changed(_ tree: JSON, _ random: inout SeededGenerator) throws -> JSON {
        let numbers = ["1", "1.0", "1.00", "10e-1", "2", "2.0"]
        if let elements = tree.elements {
            return JSON(elements: try elements.map { try changed($0, &random) })
        }
        if let members = tree.members {
            return JSON(
                members: try members.compactMap { name, value in
                    random.once(in: 9) ? nil : (name, try changed(value, &random))
                })
        }
        if random.once(in: 2) { return tree }
        return random.once(in: 9)
            ? ["n": try JSON(parsing: numbers[random.below(6)])]
            : try JSON(parsing: numbers[random.below(6)])
    }

    @Test(arguments: Seeds.of(30, from: 1), [ConflictPolicy.mine, .theirs])
    func `16: both ways lead to one tree, whatever the digits (TP1)`(
        seed: UInt64, policy: ConflictPolicy
    ) throws {
        var random = SeededGenerator(seed: seed)
        let start: JSON = [
            "a": 1, "b": [1, 2, ["c": 1, "d": [2]]], "e": ["f": 1, "g": ["h": 2]], "i": [1, 1, 2],
        ]
        for _ in 0..<40 {
            let base = try changed(start, &random)
            var (head, later) = (base, [MergeBase.Later]())
            for revision in 1...(1 + random.below(3)) {
                let next = try changed(head, &random)
                let patch = head.diff(to: next, options: DiffOptions(isShort: false))
                later.append(.init(patch, revision: revision))
                head = next
            }
            let sent = try changed(changed(base, &random), &random)
            let mine = base.diff(to: sent, options: DiffOptions(isShort: false))
            let merge = try MergeBase(before: later, head: head, pairsMax: 1_000_000)
            let merged = try merge.merge(RecordedPatch(mine), policy: policy)
            #expect(
                try head.applying(merged.patch) == sent.applying(merged.missed),
                "seed \(seed): \(base), \(later), \(sent)")
        }
    }
}
