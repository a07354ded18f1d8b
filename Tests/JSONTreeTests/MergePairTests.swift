import JSONTree
import Testing

struct MergePair: Sendable, CustomTestStringConvertible {
    let name: String
    let base: String
    /// Patches as JSON text; what begins with `=` is a whole value.
    let mine: String
    let theirs: String
    /// The value with both, without a conflict.
    var both: String?
    /// The values if mine or theirs wins.
    var won: (mine: String, theirs: String)?
    var conflicts: [String] = []

    var testDescription: String { name }
}

/// The table of pairs: what becomes of two edits of one state.
@Suite struct MergePairTests {
    /// Both can be done.
    static let harmonious: [MergePair] = [
        MergePair(
            name: "insertions of two elements at one place: mine first", base: "[0]",
            mine: #"[{"op":"add","path":"/0","value":"m"}]"#,
            theirs: #"[{"op":"add","path":"/0","value":"t"}]"#, both: #"["m","t",0]"#),
        MergePair(
            name: "at the end: mine first, too", base: "[0]",
            mine: #"[{"op":"add","path":"/-","value":"m"}]"#,
            theirs: #"[{"op":"add","path":"/-","value":"t"}]"#, both: #"[0,"m","t"]"#),
        MergePair(
            name: "new words stay in the place of the old ones, behind what was inserted there",
            base: #""the hot soup with white bread""#,
            mine: #"="the cold soup with white bread""#,
            theirs: #"[{"op":"str_ins","path":"","pos":4,"str":"very "}]"#,
            both: #""the very cold soup with white bread""#),
        MergePair(
            name: "an element follows what moves it aside",
            base: #"[{"done":false},{"done":false}]"#,
            mine: #"[{"op":"replace","path":"/1/done","value":true}]"#,
            theirs: #"[{"op":"add","path":"/0","value":"new"}]"#,
            both: #"["new",{"done":false},{"done":true}]"#),
        MergePair(
            name: "both removed it", base: "[0,1,2]", mine: #"[{"op":"remove","path":"/1"}]"#,
            theirs: #"[{"op":"remove","path":"/1"}]"#, both: "[0,2]"),
        MergePair(
            name: "both set it to the same", base: #"{"a":1}"#,
            mine: #"[{"op":"replace","path":"/a","value":2}]"#,
            theirs: #"[{"op":"replace","path":"/a","value":2}]"#, both: #"{"a":2}"#),
        MergePair(
            name: "both added the same member", base: "{}",
            mine: #"[{"op":"add","path":"/a","value":[1]}]"#,
            theirs: #"[{"op":"add","path":"/a","value":[1]}]"#, both: #"{"a":[1]}"#),
        MergePair(
            name: "the same move", base: "[0,1,2]",
            mine: #"[{"op":"move","from":"/0","path":"/2"}]"#,
            theirs: #"[{"op":"move","from":"/0","path":"/2"}]"#, both: "[1,2,0]"),
        MergePair(
            name: "an edit follows a move", base: #"{"a":{"x":1},"b":[]}"#,
            mine: #"[{"op":"replace","path":"/a/x","value":2}]"#,
            theirs: #"[{"op":"move","from":"/a","path":"/b/0"}]"#, both: #"{"b":[{"x":2}]}"#),
        MergePair(
            name: "T14: an edit follows a move out to the place of what it was in",
            base: #"{"list":[{"id":"A","sub":[{"id":"B","t":"x"}]}]}"#,
            mine: #"[{"op":"replace","path":"/list/0/sub/0/t","value":"y"}]"#,
            theirs: #"[{"op":"move","from":"/list/0/sub/0","path":"/list/0"}]"#,
            both: #"{"list":[{"id":"B","t":"y"},{"id":"A","sub":[]}]}"#),
        MergePair(
            name: "T14: a move into the element behind, and an edit inside",
            base: #"{"list":[{"id":"B","t":"x"},{"id":"A","sub":[]}]}"#,
            mine: #"[{"op":"move","from":"/list/0","path":"/list/1"},"#
                + #"{"op":"move","from":"/list/1","path":"/list/0/sub/0"}]"#,
            theirs: #"[{"op":"replace","path":"/list/0/t","value":"y"}]"#,
            both: #"{"list":[{"id":"A","sub":[{"id":"B","t":"y"}]}]}"#),
        MergePair(
            name: "another value follows a move of the old one", base: "[0,1,2]",
            mine: #"[{"op":"replace","path":"/0","value":"m"}]"#,
            theirs: #"[{"op":"move","from":"/0","path":"/2"}]"#, both: #"[1,2,"m"]"#),
        MergePair(
            name: "what was moved and removed is gone", base: "[0,1,2]",
            mine: #"[{"op":"move","from":"/0","path":"/2"}]"#,
            theirs: #"[{"op":"remove","path":"/0"}]"#, both: "[1,2]"),
        MergePair(
            name: "what lost a member and was removed is gone", base: #"[{"a":1},2]"#,
            mine: #"[{"op":"remove","path":"/0"}]"#,
            theirs: #"[{"op":"remove","path":"/0/a"}]"#, both: "[2]"),
        MergePair(
            name: "M1: a move to the front, and a removal", base: #"["192","946563"]"#,
            mine: #"[{"op":"move","from":"/1","path":"/0"}]"#,
            theirs: #"[{"op":"remove","path":"/1"}]"#, both: #"["192"]"#),
        MergePair(
            name: "M2: a move past an insertion", base: #"["x",2,6,"y"]"#,
            mine: #"[{"op":"move","from":"/0","path":"/2"}]"#,
            theirs: #"[{"op":"add","path":"/2","value":4}]"#, both: #"[2,4,6,"x","y"]"#),
        MergePair(
            name: "two neighbours change places, each moved by somebody else", base: "[0,1,2,3]",
            mine: #"[{"op":"move","from":"/1","path":"/2"}]"#,
            theirs: #"[{"op":"move","from":"/2","path":"/1"}]"#, both: "[0,2,1,3]"),
        MergePair(
            name: "the other way round, too", base: "[0,1,2,3]",
            mine: #"[{"op":"move","from":"/2","path":"/1"}]"#,
            theirs: #"[{"op":"move","from":"/1","path":"/2"}]"#, both: "[0,2,1,3]"),
        MergePair(
            name: "two values move into one array at one place", base: #"{"a":1,"b":2,"c":[0]}"#,
            mine: #"[{"op":"move","from":"/a","path":"/c/0"}]"#,
            theirs: #"[{"op":"move","from":"/b","path":"/c/0"}]"#, both: #"{"c":[1,2,0]}"#),
        MergePair(
            name: "a value moves into another that moves", base: #"{"a":1,"b":{},"c":[]}"#,
            mine: #"[{"op":"move","from":"/a","path":"/b/a"}]"#,
            theirs: #"[{"op":"move","from":"/b","path":"/c/0"}]"#, both: #"{"c":[{"a":1}]}"#),
        MergePair(
            name: "text at one place: mine first", base: #""ab""#,
            mine: #"[{"op":"str_ins","path":"","pos":1,"str":"M"}]"#,
            theirs: #"[{"op":"str_ins","path":"","pos":1,"str":"T"}]"#, both: #""aMTb""#),
        MergePair(
            name: "deletions that overlap shrink", base: #""abcdef""#,
            mine: #"[{"op":"str_del","path":"","pos":1,"len":3}]"#,
            theirs: #"[{"op":"str_del","path":"","pos":2,"len":3}]"#, both: #""af""#),
        MergePair(
            name: "a deletion parts around what others typed", base: #""abcdef""#,
            mine: #"[{"op":"str_del","path":"","pos":1,"len":4}]"#,
            theirs: #"[{"op":"str_ins","path":"","pos":3,"str":"T"}]"#, both: #""aTf""#),
        MergePair(
            name: "text typed inside deleted text stays at the edge", base: #""abcdef""#,
            mine: #"[{"op":"str_ins","path":"","pos":3,"str":"M"}]"#,
            theirs: #"[{"op":"str_del","path":"","pos":1,"len":4}]"#, both: #""aMf""#),
        MergePair(
            name: "whole texts that changed different words",
            base: #"{"t":"the quick brown fox jumps over the lazy dog"}"#,
            mine: #"={"t":"the slow brown fox jumps over the tired dog"}"#,
            theirs: #"={"t":"the quick red fox jumps over the lazy dog"}"#,
            both: #"{"t":"the slow red fox jumps over the tired dog"}"#),
        MergePair(
            name: "whole texts that changed alike",
            base: #"{"t":"the quick brown fox jumps over the lazy dog"}"#,
            mine: #"={"t":"the slow brown fox jumps over the lazy dog"}"#,
            theirs: #"={"t":"the slow brown fox jumps over the lazy dog"}"#,
            both: #"{"t":"the slow brown fox jumps over the lazy dog"}"#),
        MergePair(
            name: "a condition that nobody touched",
            base: #"{"a":1,"b":[7]}"#,
            mine:
                #"[{"op":"test","path":"/b/0","value":7},{"op":"replace","path":"/a","value":2}]"#,
            theirs: #"[{"op":"add","path":"/b/0","value":6}]"#, both: #"{"a":2,"b":[6,7]}"#),
    ]

    /// One must give way.
    static let opposed: [MergePair] = [
        MergePair(
            name: "both set it", base: #"{"a":1}"#,
            mine: #"[{"op":"replace","path":"/a","value":"m"}]"#,
            theirs: #"[{"op":"replace","path":"/a","value":"t"}]"#,
            won: (#"{"a":"m"}"#, #"{"a":"t"}"#), conflicts: ["/a"]),
        MergePair(
            name: "both added it", base: "{}",
            mine: #"[{"op":"add","path":"/a","value":{}},{"op":"add","path":"/a/b","value":1}]"#,
            theirs: #"[{"op":"add","path":"/a","value":"t"}]"#,
            won: (#"{"a":{"b":1}}"#, #"{"a":"t"}"#), conflicts: ["/a"]),
        MergePair(
            name: "I removed what they edited", base: #"{"a":{"x":1}}"#,
            mine: #"[{"op":"remove","path":"/a"}]"#,
            theirs: #"[{"op":"replace","path":"/a/x","value":2}]"#,
            won: ("{}", #"{"a":{"x":2}}"#), conflicts: ["/a"]),
        MergePair(
            name: "they removed what I edited", base: #"[{"x":1},0]"#,
            mine: #"[{"op":"replace","path":"/0/x","value":2}]"#,
            theirs: #"[{"op":"remove","path":"/0"}]"#,
            won: (#"[{"x":2},0]"#, "[0]"), conflicts: ["/0/x"]),
        MergePair(
            name: "they removed the text that I typed in", base: #"["text",0]"#,
            mine: #"[{"op":"str_ins","path":"/0","pos":4,"str":"!"}]"#,
            theirs: #"[{"op":"remove","path":"/0"}]"#,
            won: (#"["text!",0]"#, "[0]"), conflicts: ["/0"]),
        MergePair(
            name: "two moves of one value", base: "[0,1,2]",
            mine: #"[{"op":"move","from":"/0","path":"/1"}]"#,
            theirs: #"[{"op":"move","from":"/0","path":"/2"}]"#,
            won: ("[1,0,2]", "[1,2,0]"), conflicts: ["/0", "/1"]),
        MergePair(
            name: "moves into each other", base: #"{"a":{},"b":{}}"#,
            mine: #"[{"op":"move","from":"/a","path":"/b/a"}]"#,
            theirs: #"[{"op":"move","from":"/b","path":"/a/b"}]"#,
            won: (#"{"b":{"a":{}}}"#, #"{"a":{"b":{}}}"#), conflicts: ["/a", "/b/a"]),
        MergePair(
            name: "moves of two values to one name", base: #"{"a":1,"b":2}"#,
            mine: #"[{"op":"move","from":"/a","path":"/c"}]"#,
            theirs: #"[{"op":"move","from":"/b","path":"/c"}]"#,
            won: (#"{"b":2,"c":1}"#, #"{"a":1,"c":2}"#), conflicts: ["/a", "/c"]),
        MergePair(
            name: "whole texts that changed one word otherwise",
            base: #"{"t":"in progress since Monday morning"}"#,
            mine: #"={"t":"done since Monday morning"}"#,
            theirs: #"={"t":"blocked since Monday morning"}"#,
            won: (
                #"{"t":"done since Monday morning"}"#, #"{"t":"blocked since Monday morning"}"#
            ), conflicts: ["/t"]),
        MergePair(
            name: "typing in a stretch that a whole text replaced",
            base: #"{"t":"the quick brown fox jumps over the lazy dog"}"#,
            mine: #"[{"op":"str_ins","path":"/t","pos":6,"str":"M"}]"#,
            theirs: #"={"t":"the slow brown fox jumps over the lazy dog"}"#,
            won: (
                #"{"t":"the quMick brown fox jumps over the lazy dog"}"#,
                #"{"t":"the slow brown fox jumps over the lazy dog"}"#
            ), conflicts: ["/t"]),
        MergePair(
            name: "a condition that they touched", base: #"{"a":1,"b":7}"#,
            mine: #"[{"op":"test","path":"/b","value":7},{"op":"replace","path":"/a","value":2}]"#,
            theirs: #"[{"op":"replace","path":"/b","value":8}]"#,
            won: (#"{"a":2,"b":8}"#, #"{"a":1,"b":8}"#), conflicts: ["/b"]),
        MergePair(
            name: "what I added to what is gone falls with it", base: #"{"l":[]}"#,
            mine:
                #"[{"op":"add","path":"/l/0","value":{}},{"op":"add","path":"/l/0/a","value":1}]"#,
            theirs: #"[{"op":"remove","path":"/l"}]"#,
            won: (#"{"l":[{"a":1}]}"#, "{}"), conflicts: ["/l/0"]),
    ]

    private func recorded(_ text: String, on base: JSON) throws -> RecordedPatch {
        if text.hasPrefix("=") {
            return RecordedPatch(base.diff(to: try JSON(parsing: String(text.dropFirst()))))
        }
        return try base.recording(JSONPatch(JSON(parsing: text))).recorded
    }

    private func merged(_ pair: MergePair, _ policy: ConflictPolicy) throws -> (MergedEdit, JSON) {
        let base = try JSON(parsing: pair.base)
        let theirs = try recorded(pair.theirs, on: base).patch
        let merge = try MergeBase(
            before: [.init(theirs, revision: 8)], head: base.applying(theirs), pairsMax: 1_000)
        let mine = try recorded(pair.mine, on: base)
        let merged = try merge.merge(mine, policy: policy)
        let tree = try merge.head.applying(merged.patch)
        #expect(try merged.sentTree.applying(merged.missed) == tree)
        return (merged, tree)
    }

    @Test(arguments: harmonious)
    func `both are done`(pair: MergePair) throws {
        let (merged, tree) = try merged(pair, .theirs)
        #expect(merged.conflicts.isEmpty)
        #expect(!merged.hasLoss)
        #expect(tree == (try JSON(parsing: #require(pair.both))), "\(tree)")
    }

    @Test(arguments: opposed)
    func `one gives way, and the conflict is reported`(pair: MergePair) throws {
        let won = try #require(pair.won)
        let (mine, tree) = try merged(pair, .mine)
        #expect(mine.conflicts.map(\.pointer.description) == pair.conflicts)
        #expect(mine.conflicts.allSatisfy { $0.revision == 8 })
        #expect(!mine.hasLoss)
        #expect(tree == (try JSON(parsing: won.mine)), "\(tree)")
        let (theirs, other) = try merged(pair, .theirs)
        #expect(theirs.hasLoss)
        #expect(other == (try JSON(parsing: won.theirs)), "\(other)")
    }

    @Test func `at an ignored place mine goes, and nobody is asked`() throws {
        let base = try JSON(parsing: #"{"a":1,"seen":1}"#)
        let theirs = try base.applying(JSONPatch([.replace(JSONPointer(names: ["seen"]), 2)]))
        let merge = try MergeBase(
            before: [.init(theirs.patch, revision: 1)], head: theirs.tree, pairsMax: 10)
        let mine = JSONPatch([.replace(JSONPointer(names: ["seen"]), 3)])
        let merged = try merge.merge(base.recording(mine).recorded, policy: .theirs) {
            $0 == JSONPointer(names: ["seen"])
        }
        #expect(merged.conflicts.isEmpty && !merged.hasLoss)
        #expect(try merge.head.applying(merged.patch)["seen"] == 3)
    }

    @Test func `more pairs than are allowed are refused`() throws {
        let base = JSON("")
        let text = JSONPatch([.insertText(.root, at: 0, "a"), .insertText(.root, at: 0, "b")])
        let (head, recorded) = try base.recording(text)
        let merge = try MergeBase(
            before: [.init(recorded.patch, revision: 1)], head: head, pairsMax: 3)
        #expect(throws: MergeBase.Failure.tooLong) {
            try merge.merge(recorded, policy: .mine)
        }
    }
}
