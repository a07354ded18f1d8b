import JSONTree
import Testing

@testable import DocumentCore
@testable import Documents

/// The chosen places of a draft.
@Suite struct DraftSideTests {
    /// Common state, what the draft did, a path, and the state with what was taken.
    static let parts: [(String, String, String, String)] = [
        // A removal is taken at its place in the common state, and around it.
        ("[[1],[2]]", #"[{"op":"remove","path":"/0"}]"#, "/0", "[[2]]"),
        (#"{"l":[1,2]}"#, #"[{"op":"remove","path":"/l/1"}]"#, "/l", #"{"l":[1]}"#),
        // Inside it only where the draft has no such place.
        (#"{"o":{"a":1},"b":2}"#, #"[{"op":"remove","path":"/o"}]"#, "/o/a", #"{"b":2}"#),
        ("[[1],[2]]", #"[{"op":"remove","path":"/0"}]"#, "/0/0", "[[1],[2]]"),
        (
            "[[1],[2]]",
            #"[{"op":"remove","path":"/0"},{"op":"replace","path":"/0/0","value":3}]"#, "/0/0",
            "[[1],[3]]"
        ),
        // A value that was moved away is not a part of the one at its former index.
        (
            #"{"l":[[1],[2]],"m":[]}"#,
            #"[{"op":"move","from":"/l/0","path":"/m/0"},"#
                + #"{"op":"replace","path":"/l/0/0","value":3}]"#, "/l/0/0",
            #"{"l":[[1],[3]],"m":[]}"#
        ),
    ]

    @Test(arguments: parts)
    func `20: a path names what the draft has, and what it removed where it has nothing`(
        common: String, edits: String, path: String, value: String
    ) throws {
        let common = try JSON(parsing: common)
        let (tree, patch) = try common.applying(JSONPatch(JSON(parsing: edits)))
        let split = try DraftSide(of: patch, leadingTo: tree).split(
            at: [try #require(JSONPointer(parsing: path))], from: common)
        #expect(try common.applying(split.chosen) == (try JSON(parsing: value)))
        #expect(try common.applying(split.chosen).applying(split.rest) == tree)
    }
}
