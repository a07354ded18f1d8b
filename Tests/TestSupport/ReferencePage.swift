import Foundation
import JSONTree

/// A page with parts that are made from tables in the code, each between two comments:
/// `<!-- generated: NAME -->` and `<!-- end -->`.
///
/// `Scripts/reference` sets `REFERENCE_WRITE`, so that the tests write what they compare otherwise.
public enum ReferencePage {
    private static let lock = TestLock(())
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Whether a part of a page of `Documentation/Reference` has this text.
    public static func isCurrent(_ page: String, _ part: String, _ text: String) throws -> Bool {
        try isCurrent("Documentation/Reference/\(page)") { committed in
            let begin = "<!-- generated: \(part) -->\n"
            guard let start = committed.range(of: begin)?.upperBound,
                let end = committed.range(of: "<!-- end -->", range: start..<committed.endIndex)
            else { return "" }
            return committed[..<start] + "\n" + text + "\n" + committed[end.lowerBound...]
        }
    }

    /// Whether a file of the repository is `expected` of its text.
    public static func isCurrent(_ path: String, _ expected: (String) -> String) throws -> Bool {
        try lock.withLock { _ in
            let file = root.appending(path: path)
            let committed = try String(contentsOf: file, encoding: .utf8)
            let text = expected(committed)
            if text == committed { return true }
            guard ProcessInfo.processInfo.environment["REFERENCE_WRITE"] != nil, !text.isEmpty
            else { return false }
            try text.write(to: file, atomically: true, encoding: .utf8)
            return true
        }
    }

    /// A table, or nothing without rows.
    public static func table(_ head: [String], _ rows: [[String]]) -> String {
        if rows.isEmpty { return "" }
        let lines = [head, head.map { _ in "---" }] + rows
        return lines.map { cells in
            "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
        }.joined()
    }

    /// JSON for people: what fits into a line is not divided.
    public static func layout(_ value: JSON, indent: String = "", after: Int = 0) -> String {
        let width = 96 - indent.utf8.count - after
        let compact = value.description
        if compact.utf8.count <= width { return compact }
        let inner = indent + "  "
        var lines: [String]
        if let members = value.members, !members.isEmpty {
            lines = members.map { member in
                let name = JSON(member.name).description + ": "
                return name + layout(member.value, indent: inner, after: name.utf8.count)
            }
        } else if let elements = value.elements, !elements.isEmpty {
            lines = elements.map { layout($0, indent: inner) }
        } else {
            return compact
        }
        lines = lines.map { inner + $0 }
        let (open, close) = value.members == nil ? ("[", "]") : ("{", "}")
        return "\(open)\n\(lines.joined(separator: ",\n"))\n\(indent)\(close)"
    }
}
