import JSONTree
import TestSupport
import Testing

/// A value removed and restored between base and head is the same: an edit inside meets it.
@Suite struct MergeReturnTests {
    struct Return: Sendable, CustomTestStringConvertible {
        let name: String
        let base: String
        let mine: String
        /// The changes of other actors, in order. With `<`, an undo; with `<N`, an edit that was
        /// made on revision N and won.
        let theirs: [String]
        let value: String
        var conflicts: [String] = []

        var testDescription: String { name }
    }

    static let all: [Return] = [
        Return(
            name: "an element was removed and put back",
            base: #"{"l":[{"id":"E","t":"x"},0]}"#,
            mine: #"[{"op":"replace","path":"/l/0/t","value":"y"}]"#,
            theirs: [
                #"[{"op":"remove","path":"/l/0"}]"#,
                #"<[{"op":"add","path":"/l/0","value":{"id":"E","t":"x"}}]"#,
            ], value: #"{"l":[{"id":"E","t":"y"},0]}"#),
        Return(
            name: "others came before and beside it meanwhile",
            base: #"[{"id":"E","t":"x"},0]"#,
            mine: #"[{"op":"replace","path":"/0/t","value":"y"}]"#,
            theirs: [
                #"[{"op":"remove","path":"/0"}]"#, #"[{"op":"add","path":"/0","value":"new"}]"#,
                #"[{"op":"remove","path":"/1"}]"#,
                #"<[{"op":"add","path":"/1","value":{"id":"E","t":"x"}}]"#,
            ], value: #"["new",{"id":"E","t":"y"}]"#),
        Return(
            name: "it was put back elsewhere: it has moved",
            base: #"{"a":[{"id":"E","t":"x"}],"b":[]}"#,
            mine: #"[{"op":"replace","path":"/a/0/t","value":"y"}]"#,
            theirs: [
                #"[{"op":"remove","path":"/a/0"}]"#,
                #"<[{"op":"add","path":"/b/0","value":{"id":"E","t":"x"}}]"#,
            ], value: #"{"a":[],"b":[{"id":"E","t":"y"}]}"#),
        Return(
            name: "it came back with an edit inside undone",
            base: #"[{"id":"E","t":"x","n":2}]"#,
            mine: #"[{"op":"replace","path":"/0/t","value":"y"}]"#,
            theirs: [
                #"[{"op":"remove","path":"/0"}]"#,
                #"<[{"op":"add","path":"/0","value":{"id":"E","t":"x","n":1}}]"#,
            ], value: #"[{"id":"E","t":"y","n":1}]"#),
        Return(
            name: "another's edit inside won over the removal",
            base: #"[{"id":"E","t":"x","n":1}]"#,
            mine: #"[{"op":"replace","path":"/0/t","value":"y"}]"#,
            theirs: [
                #"[{"op":"remove","path":"/0"}]"#,
                #"<0[{"op":"add","path":"/0","value":{"id":"E","t":"x","n":1}},"#
                    + #"{"op":"replace","path":"/0/n","value":2}]"#,
            ], value: #"[{"id":"E","t":"y","n":2}]"#),
        Return(
            name: "a member was removed and put back",
            base: #"{"m":{"t":"x"}}"#, mine: #"[{"op":"replace","path":"/m/t","value":"y"}]"#,
            theirs: [
                #"[{"op":"remove","path":"/m"}]"#,
                #"<[{"op":"add","path":"/m","value":{"t":"x"}}]"#,
            ], value: #"{"m":{"t":"y"}}"#),
        Return(
            name: "an object was replaced and put back",
            base: #"{"m":{"t":"x"}}"#, mine: #"[{"op":"replace","path":"/m/t","value":"y"}]"#,
            theirs: [
                #"[{"op":"replace","path":"/m","value":0}]"#,
                #"<[{"op":"replace","path":"/m","value":{"t":"x"}}]"#,
            ], value: #"{"m":{"t":"y"}}"#),
        Return(
            name: "a number was set and set back",
            base: #"{"n":1}"#, mine: #"[{"op":"replace","path":"/n","value":5}]"#,
            theirs: [
                #"[{"op":"replace","path":"/n","value":2}]"#,
                #"<[{"op":"replace","path":"/n","value":1}]"#,
            ], value: #"{"n":5}"#),
        Return(
            name: "a value was moved and moved back",
            base: #"[0,1,2]"#, mine: #"[{"op":"move","from":"/0","path":"/2"}]"#,
            theirs: [
                #"[{"op":"move","from":"/0","path":"/1"}]"#,
                #"<[{"op":"move","from":"/1","path":"/0"}]"#,
            ], value: #"[1,2,0]"#),
        Return(
            name: "a value was moved out of its array and before it, and both were undone",
            base: "[[1,2]]", mine: #"[{"op":"move","from":"/0/0","path":"/0/1"}]"#,
            theirs: [
                #"[{"op":"move","from":"/0/0","path":"/1"},{"op":"move","from":"/1","path":"/0"}]"#,
                #"<[{"op":"move","from":"/0","path":"/1"},{"op":"move","from":"/1","path":"/0/0"}]"#,
            ], value: "[[2,1]]"),
        Return(
            name: "the same in two changes, which were undone at once",
            base: "[[1,2]]", mine: #"[{"op":"move","from":"/0/0","path":"/0/1"}]"#,
            theirs: [
                #"[{"op":"move","from":"/0/0","path":"/1"}]"#,
                #"[{"op":"move","from":"/1","path":"/0"}]"#,
                #"<[{"op":"move","from":"/0","path":"/1"},{"op":"move","from":"/1","path":"/0/0"}]"#,
            ], value: "[[2,1]]"),
        Return(
            name: "a value was moved behind an array and into it, and both were undone",
            base: "[1,[],2]", mine: #"[{"op":"move","from":"/0","path":"/2"}]"#,
            theirs: [
                #"[{"op":"move","from":"/0","path":"/1"},{"op":"move","from":"/1","path":"/0/0"}]"#,
                #"<[{"op":"move","from":"/0/0","path":"/1"},{"op":"move","from":"/1","path":"/0"}]"#,
            ], value: "[[],2,1]"),
        Return(
            name: "the same in two changes",
            base: "[1,[],2]", mine: #"[{"op":"move","from":"/0","path":"/2"}]"#,
            theirs: [
                #"[{"op":"move","from":"/0","path":"/1"}]"#,
                #"[{"op":"move","from":"/1","path":"/0/0"}]"#,
                #"<[{"op":"move","from":"/0/0","path":"/1"},{"op":"move","from":"/1","path":"/0"}]"#,
            ], value: "[[],2,1]"),
        Return(
            name: "a change that came before the base was undone with it",
            base: "[[2],1]", mine: #"[{"op":"move","from":"/1","path":"/0/1"}]"#,
            theirs: [
                #"[{"op":"move","from":"/1","path":"/0"}]"#,
                #"<[{"op":"move","from":"/0","path":"/1"},{"op":"move","from":"/1","path":"/0/0"}]"#,
            ], value: "[[2,1]]", conflicts: ["/1", "/0/1"]),
        Return(
            name: "a member was set twice and set back at once",
            base: #"{"n":1}"#, mine: #"[{"op":"replace","path":"/n","value":5}]"#,
            theirs: [
                #"[{"op":"replace","path":"/n","value":2}]"#,
                #"[{"op":"replace","path":"/n","value":3}]"#,
                #"<[{"op":"replace","path":"/n","value":1}]"#,
            ], value: #"{"n":5}"#),
        Return(
            name: "a member was added, set and removed",
            base: "{}", mine: #"[{"op":"add","path":"/a","value":1}]"#,
            theirs: [
                #"[{"op":"add","path":"/a","value":2},{"op":"replace","path":"/a","value":3}]"#,
                #"<[{"op":"remove","path":"/a"}]"#,
            ], value: #"{"a":1}"#),
        Return(
            name: "an element was edited and removed, and came back as it was",
            base: #"[{"t":1}]"#, mine: #"[{"op":"replace","path":"/0/t","value":5}]"#,
            theirs: [
                #"[{"op":"replace","path":"/0/t","value":2},{"op":"remove","path":"/0"}]"#,
                #"<[{"op":"add","path":"/0","value":{"t":1}}]"#,
            ], value: #"[{"t":5}]"#),
        Return(
            name: "an object was edited and replaced, and came back as it was",
            base: #"{"m":{"t":1}}"#, mine: #"[{"op":"replace","path":"/m/t","value":5}]"#,
            theirs: [
                #"[{"op":"replace","path":"/m/t","value":2},{"op":"replace","path":"/m","value":0}]"#,
                #"<[{"op":"replace","path":"/m","value":{"t":1}}]"#,
            ], value: #"{"m":{"t":5}}"#),
        Return(
            name: "the same values were set elsewhere since",
            base: #"{"a":1,"b":1}"#, mine: #"[{"op":"replace","path":"/a","value":5}]"#,
            theirs: [
                #"[{"op":"replace","path":"/a","value":2}]"#,
                #"[{"op":"replace","path":"/b","value":2}]"#,
                #"<[{"op":"replace","path":"/a","value":1}]"#,
            ], value: #"{"a":5,"b":2}"#),
        Return(
            name: "another value was moved since",
            base: "[0,1,2,3]", mine: #"[{"op":"move","from":"/0","path":"/3"}]"#,
            theirs: [
                #"[{"op":"move","from":"/0","path":"/1"}]"#,
                #"[{"op":"move","from":"/3","path":"/2"}]"#,
                #"<[{"op":"move","from":"/1","path":"/0"}]"#,
            ], value: "[1,3,2,0]"),
        Return(
            name: "what was set to a third value is in conflict with that",
            base: #"{"n":1}"#, mine: #"[{"op":"replace","path":"/n","value":5}]"#,
            theirs: [
                #"[{"op":"replace","path":"/n","value":2}]"#,
                #"<[{"op":"replace","path":"/n","value":0}]"#,
            ], value: #"{"n":5}"#, conflicts: ["/n"]),
        Return(
            name: "a member was added and taken back",
            base: "{}", mine: #"[{"op":"add","path":"/a","value":1}]"#,
            theirs: [
                #"[{"op":"add","path":"/a","value":2}]"#, #"<[{"op":"remove","path":"/a"}]"#,
            ], value: #"{"a":1}"#),
        Return(
            name: "letters were deleted and came back: what I typed stands among them",
            base: #""abcdef""#, mine: #"[{"op":"str_ins","path":"","pos":3,"str":"M"}]"#,
            theirs: [
                #"[{"op":"str_del","path":"","pos":1,"len":4}]"#,
                #"[{"op":"str_ins","path":"","pos":2,"str":"!"}]"#,
                #"<[{"op":"str_ins","path":"","pos":1,"str":"bcde"}]"#,
            ], value: #""abcMdef!""#),
        Return(
            name: "what both removed and one put back is removed",
            base: #"[1,2]"#, mine: #"[{"op":"remove","path":"/0"}]"#,
            theirs: [
                #"[{"op":"remove","path":"/0"}]"#, #"<[{"op":"add","path":"/0","value":1}]"#,
            ], value: "[2]"),
        Return(
            name: "a condition holds of what came back",
            base: #"{"a":1,"l":[7]}"#,
            mine:
                #"[{"op":"test","path":"/l/0","value":7},{"op":"replace","path":"/a","value":2}]"#,
            theirs: [
                #"[{"op":"remove","path":"/l/0"}]"#, #"<[{"op":"add","path":"/l/0","value":7}]"#,
            ], value: #"{"a":2,"l":[7]}"#),
        // Another value has no claim to be the same.
        Return(
            name: "a new element of the same value is another one",
            base: #"[{"t":"x"}]"#, mine: #"[{"op":"replace","path":"/0/t","value":"y"}]"#,
            theirs: [
                #"[{"op":"remove","path":"/0"}]"#, #"[{"op":"add","path":"/0","value":{"t":"x"}}]"#,
            ], value: #"[{"t":"y"},{"t":"x"}]"#, conflicts: ["/0/t"]),
        Return(
            name: "an edit on a state after the removal brings nothing back",
            base: #"[{"t":"x"}]"#, mine: #"[{"op":"replace","path":"/0/t","value":"y"}]"#,
            theirs: [
                #"[{"op":"remove","path":"/0"}]"#,
                #"<1[{"op":"add","path":"/0","value":{"t":"x"}}]"#,
            ], value: #"[{"t":"y"},{"t":"x"}]"#, conflicts: ["/0/t"]),
        Return(
            name: "what one edit removes and adds is two, though it won over others",
            base: #"[{"t":"x"}]"#, mine: #"[{"op":"replace","path":"/0/t","value":"y"}]"#,
            theirs: [
                #"[{"op":"add","path":"/1","value":0}]"#,
                #"<0[{"op":"remove","path":"/0"},{"op":"add","path":"/1","value":{"t":"x"}}]"#,
            ], value: #"[{"t":"y"},0,{"t":"x"}]"#, conflicts: ["/0/t"]),
    ]

    @Test(arguments: all)
    func `16: what was removed and came back is what it was`(one: Return) throws {
        let base = try JSON(parsing: one.base)
        var head = base
        var later: [MergeBase.Later] = []
        for (index, text) in one.theirs.enumerated() {
            let (rest, returning) = returning(text)
            let (tree, patch) = try head.applying(JSONPatch(JSON(parsing: rest)))
            head = tree
            later.append(.init(patch, revision: index + 1, returning: returning))
        }
        let merge = try MergeBase(before: later, head: head, pairsMax: 1_000)
        #expect(merge.tree == base)
        let (_, mine) = try base.recording(JSONPatch(JSON(parsing: one.mine)))
        let merged = try merge.merge(mine, policy: .mine)
        let tree = try head.applying(merged.patch)
        #expect(tree == (try JSON(parsing: one.value)), "\(tree)")
        #expect(merged.conflicts.map(\.pointer.description) == one.conflicts)
        #expect(try merged.sentTree.applying(merged.missed) == tree)
    }

    private func returning(_ text: String) -> (rest: String, MergeBase.Later.Returning) {
        guard text.hasPrefix("<") else { return (text, .nothing) }
        let digits = text.dropFirst().prefix { $0.isNumber }
        let rest = String(text.dropFirst(1 + digits.count))
        return (rest, Int(digits).map { .removed(after: $0) } ?? .anything)
    }
}
