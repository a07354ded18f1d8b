import Foundation
import JSONTree
import Testing

/// Two edits of one value, and what published libraries make of them: see `Tests/MergeTables`.
@Suite struct MergeTableTests {
    /// One row of a table.
    struct Row: Sendable {
        let base: JSON
        let mine: JSON
        let theirs: JSON
        let value: JSON
        /// The policies with which the value comes out.
        let policies: [ConflictPolicy]

        init(_ json: JSON) throws {
            base = try #require(json["base"])
            mine = try #require(json["mine"])
            theirs = try #require(json["theirs"])
            value = try #require(json["value"])
            policies =
                switch json["wins"]?.string {
                case "mine": [.mine]
                case "theirs": [.theirs]
                default: [.mine, .theirs]
                }
        }
    }

    static func rows(_ name: String) throws -> [Row] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "MergeTables/\(name).json")
        let table = try JSON(parsing: String(contentsOf: file, encoding: .utf8))
        return try #require(table.elements).map { try Row($0) }
    }

    @Test(arguments: [("json0", 106), ("text", 22)])
    func `two edits come out as published`(table: String, count: Int) throws {
        let rows = try MergeTableTests.rows(table)
        #expect(rows.count == count)
        for (index, row) in rows.enumerated() {
            let theirs = try row.base.recording(JSONPatch(row.theirs)).recorded.patch
            let mine = try row.base.recording(JSONPatch(row.mine)).recorded
            let base = try MergeBase(
                before: [.init(theirs, revision: 1)], head: row.base.applying(theirs),
                pairsMax: 100)
            for policy in row.policies {
                let merged = try base.merge(mine, policy: policy)
                #expect(
                    try base.head.applying(merged.patch) == row.value,
                    "row \(index + 1), conflict=\(policy)")
                #expect(merged.conflicts.isEmpty == (row.policies.count == 2), "row \(index + 1)")
            }
        }
    }
}
