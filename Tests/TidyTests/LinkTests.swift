import Foundation
import Testing

/// Links from page to page. Links to other hosts are not followed.
@Suite struct LinkTests {
    /// The anchor that GitHub gives to a heading.
    static func anchor(_ heading: some StringProtocol) -> String {
        let words = String(heading).replacing(#/\[([^\]]*)\]\([^)]*\)/#, with: \.output.1)
            .lowercased()
        return String(
            words.compactMap { character in
                if character == " " { return "-" }
                let isKept = character.isLetter || character.isNumber || "-_".contains(character)
                return isKept ? character : nil
            })
    }

    /// The lines outside code blocks.
    static func text(_ page: TidyTests.Source) -> [String] {
        var isCode = false
        return page.lines.filter { line in
            if line.hasPrefix("```") { isCode.toggle() }
            return !isCode
        }
    }

    static func anchors(_ page: TidyTests.Source) -> Set<String> {
        Set(
            text(page).filter { $0.hasPrefix("#") }.map { line in
                anchor(line.drop { $0 == "#" }.dropFirst())
            })
    }

    @Test(arguments: TidyTests.pages)
    func `links lead to files and headings that exist`(page: TidyTests.Source) throws {
        let folder = URL(filePath: "\(TidyTests.root)/\(page.path)").deletingLastPathComponent()
        let links =
            #/(?:\]\(|(?:src|srcset|href)=")(?<path>[^)\s"#:]*)(?:#(?<anchor>[^)\s"]*))?[)"]/#
        for match in LinkTests.text(page).joined(separator: "\n").matches(of: links) {
            let file = folder.appending(path: String(match.path)).standardizedFileURL.path
            let exists = match.path.isEmpty || FileManager.default.fileExists(atPath: file)
            #expect(exists, "\(page.path): \(match.0)")
            guard let anchor = match.anchor, !anchor.isEmpty else { continue }
            let target =
                match.path.isEmpty
                ? page : TidyTests.pages.first { "\(TidyTests.root)/\($0.path)" == file }
            let anchors = target.map(LinkTests.anchors) ?? []
            #expect(anchors.contains(String(anchor)), "\(page.path): \(match.0)")
        }
    }

    @Test func `the index names every page of the documentation`() throws {
        let index = try #require(TidyTests.pages.first { $0.path == "Documentation/README.md" })
        let text = index.lines.joined(separator: "\n")
        for page in TidyTests.pages where page.path.hasPrefix("Documentation/") {
            let path = page.path.dropFirst("Documentation/".count)
            if path.hasPrefix("Project/Decisions/") || path == "README.md" { continue }
            if path.hasPrefix("Guide/Quickstarts/") && !path.hasSuffix("README.md") { continue }
            #expect(text.contains("](\(path))"), "\(path)")
        }
    }

    @Test func `anchors are those of GitHub`() {
        #expect(LinkTests.anchor("An edit of an old state") == "an-edit-of-an-old-state")
        #expect(LinkTests.anchor("One word, `one` [meaning](a.md)") == "one-word-one-meaning")
    }
}
