import JSONTree
import SelectiveUndo
import Testing

/// The net effect of a line, as one edit: drafts store it, and read it again.
@Suite struct NetEditTests {
    /// The net effect of edits of a value.
    private func net(_ start: JSON, _ edits: [ReversiblePatch]) throws -> ReversiblePatch {
        var history = EffectHistory(start, first: 1, isWhole: true)
        var tree = start
        for (index, edit) in edits.enumerated() {
            try history.append(index + 1, by: "ada", group: nil, edit)
            try tree.apply(edit)
        }
        return try history.net(on: tree).chosen
    }

    @Test(arguments: [
        (
            #"{"t":1,"l":[]}"#,
            #"[{"op":"move","from":"/t","path":"/l/0"},{"op":"replace","path":"/l/0","value":2}]"#
        ),
        (
            #"{"l":[1]}"#,
            #"[{"op":"replace","path":"/l/0","value":2},{"op":"move","from":"/l/0","path":"/t"}]"#
        ),
    ])
    func `an element with another value that is a member elsewhere is read as moved`(
        start: String, edits: String
    ) throws {
        let start = try JSON(parsing: start)
        let (_, patch) = try start.applying(JSONPatch(JSON(parsing: edits)))
        let once = try net(start, [patch])
        #expect(once == patch)
        #expect(try net(start, [once]) == once)
    }
}
