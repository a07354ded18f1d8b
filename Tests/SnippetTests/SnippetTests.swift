import Foundation
import TestSupport
import Testing

/// Every snippet runs, and prints what it says that it prints.
@Suite struct SnippetTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static let snippets: [String] = {
        let folder = root.appending(path: "Snippets").path
        let names = FileManager.default.enumerator(atPath: folder)?.allObjects ?? []
        return names.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted()
    }()

    @Test func `there are snippets`() {
        #expect(SnippetTests.snippets.count >= 3)
    }

    @Test(arguments: snippets)
    func `a snippet prints what it says`(path: String) throws {
        let file = SnippetTests.root.appending(path: "Snippets/\(path)")
        let text = try String(contentsOf: file, encoding: .utf8)
        let promised = try #require(text.components(separatedBy: "// Prints:\n").dropFirst().first)
        let name = file.deletingPathExtension().lastPathComponent
        let snippet = Process()
        snippet.executableURL = Products.folder.appending(path: name)
        let output = Pipe()
        snippet.standardOutput = output
        try snippet.run()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        snippet.waitUntilExit()
        #expect(snippet.terminationStatus == 0)
        let lines = promised.split(separator: "\n").map { $0.dropFirst(3) }
        #expect(String(decoding: printed, as: UTF8.self) == lines.joined(separator: "\n") + "\n")
    }
}
