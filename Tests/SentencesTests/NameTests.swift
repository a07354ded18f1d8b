import Foundation
import JSONTree
import Testing

@testable import Sentences

/// The table that also tests the web UI: so both use the same names.
@Suite("Fields, elements and values are called as the table says")
struct NameTests {
    private static let table: JSON = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let text = try? String(contentsOf: folder.appending(path: "names.json"), encoding: .utf8)
        return text.flatMap { try? JSON(parsing: $0) } ?? .null
    }()

    private func rows(_ name: String) throws -> [JSON] {
        let rows = try #require(NameTests.table[name]?.elements)
        try #require(rows.count >= 10)
        return rows
    }

    @Test("Names of members are words, or stand in quotation marks")
    func keys() throws {
        for row in try rows("keys") {
            #expect(KeyWords.words(row[0]?.string ?? "") == row[1]?.string)
        }
    }

    @Test("One of many is named in the singular")
    func singulars() throws {
        for row in try rows("singulars") {
            #expect(KeyWords.singular(row[0]?.string ?? "") == row[1]?.string)
        }
    }

    @Test("An element is called by what it holds, by its identity, or by its position")
    func elements() throws {
        for row in try rows("elements") {
            let kind = KeyWords.singular(KeyWords.words(row["array"]?.string ?? ""))
            let name = ElementName(
                of: row["element"], at: row["index"]?.int ?? 0, kind: kind, identity: ["id"])
            #expect(name.text == row["name"]?.string)
        }
    }

    @Test("A value is said in few words")
    func values() throws {
        for row in try rows("values") {
            #expect(row[0]?.inWords == row[1]?.string)
        }
    }
}
