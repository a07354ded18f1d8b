import Foundation

/// Writes a Swift file that has the pages, and the client library as one file, as texts.
///
/// As texts, since a compiler takes a minute for as many numbers.
@main struct WebEmbed {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { throw Failure("web-embed ROOM OUTPUT") }
        let room = URL(filePath: arguments[1], directoryHint: .isDirectory)
        let client = ClientBundle(folder: room.appending(path: "Client"))
        var files = try texts(in: room.appending(path: "Pages"))
        files["client.js"] = try client.text()
        files["client.d.ts"] = try text(of: room.appending(path: "Client/client.d.ts"))
        try swift(files).write(toFile: arguments[2], atomically: true, encoding: .utf8)
    }

    private static func texts(in folder: URL) throws -> [String: String] {
        var texts: [String: String] = [:]
        for file in try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        {
            texts[file.lastPathComponent] = try text(of: file)
        }
        return texts
    }

    static func text(of file: URL) throws -> String {
        try String(contentsOf: file, encoding: .utf8)
    }

    private static func swift(_ files: [String: String]) -> String {
        let members = files.sorted { $0.key < $1.key }.map { name, text in
            "        \"\(name)\": \(literal(text)),\n"
        }
        return "extension WebFile {\n"
            + "    /// What browsers get, by its name.\n"
            + "    static let texts: [String: StaticString] = [\n" + members.joined() + "    ]\n}\n"
    }

    /// A raw literal; nothing in it is special.
    private static func literal(_ text: String) -> String {
        var marks = "#"
        while text.contains("\"" + marks) || text.contains("\\" + marks) { marks += "#" }
        return "\(marks)\"\"\"\n\(text)\n\"\"\"\(marks)"
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
