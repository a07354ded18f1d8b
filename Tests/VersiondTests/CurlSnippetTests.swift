import Foundation
import TestSupport
import Testing

/// The scripts in `Snippets/curl` print what they say they print.
@Suite struct CurlSnippetTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Snippets/curl")

    static let scripts: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (names ?? []).filter { $0.hasSuffix(".sh") }.sorted()
    }()

    @Test func `there are scripts`() {
        #expect(CurlSnippetTests.scripts.count >= 7)
    }

    @Test(arguments: scripts)
    func `a script does what it says`(name: String) throws {
        let script = CurlSnippetTests.folder.appending(path: name)
        let text = try String(contentsOf: script, encoding: .utf8)
        let expected = text.split(separator: "\n").filter { $0.hasPrefix("#> ") }.map {
            $0.dropFirst(3) + "\n"
        }
        #expect(!expected.isEmpty)
        let directory = try TemporaryDirectory()
        let daemon = try DaemonProcess(directory: directory.path)
        let result = try DaemonProcess.bash(
            "VERSIOND=http://127.0.0.1:\(daemon.port) \(script.path)")
        #expect(result.output == expected.joined())
        #expect(result.status == 0 && daemon.terminate() == 0)
    }
}
