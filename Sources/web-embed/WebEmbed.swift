import Foundation

/// Writes a Swift file that has the pages, and the client library as one file, as texts.
///
/// As texts, since a compiler takes a minute for as many numbers.
@main struct WebEmbed {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else { throw Failure("web-embed ROOM CLIENT OUTPUT") }
        let room = URL(filePath: arguments[1], directoryHint: .isDirectory)
        let modules = URL(filePath: arguments[2], directoryHint: .isDirectory)
        let pages = room.appending(path: "Pages")
        var files: [String: String] = [:]
        for name in documents { files[name] = try text(of: pages.appending(path: name)) }
        let bundle = Bundle(folder: pages)
        for name in programs { files["\(name).js"] = try bundle.program(name) }
        files["look.js"] = try bundle.program("look", parts: parts)
        for name in parts { files["\(name).js"] = try bundle.part(name, of: "look") }
        for (name, parts) in styles {
            let texts = try parts.map { try text(of: pages.appending(path: "\($0).css")) }
            files["\(name).css"] = texts.joined()
                .replacing(#/(?m)^ *\/\*[\s\S]*?\*\/\n/#, with: "")
                .replacing(#/(?m)^ +/#, with: "").replacing(#/([{};])\n+/#) { "\($0.1)" }
                .replacing(#/: |;(?= ?})/#) { $0.0 == ";" ? "" : ":" }
                .replacing(#/ ?([{},>]) ?/#) { "\($0.1)" }
        }
        files["client.js"] = try Bundle(folder: modules).library("index")
        files["client.d.ts"] = try text(of: modules.appending(path: "client.d.ts"))
        try swift(files).write(toFile: arguments[3], atomically: true, encoding: .utf8)
    }

    private static let documents = ["index.html", "together.html", "icon.svg"]
    /// The worker of the web UI, and the page that edits together.
    private static let programs = ["valuestore", "together"]
    /// Files that the web UI loads on demand.
    private static let parts = ["drafts", "edit", "filing", "keys", "release", "restoring", "runs"]
    private static let styles = [
        "look": ["tokens", "parts", "documents", "history", "compare"],
        "runs": ["runs"],
        "together": ["tokens", "parts", "together"],
    ]

    static func text(of file: URL) throws -> String {
        try String(contentsOf: file, encoding: .utf8)
    }

    private static func swift(_ files: [String: String]) -> String {
        let members = files.sorted { $0.key < $1.key }.map { name, text in
            "        \"\(name)\": \(literal(text)),\n"
        }
        return "extension WebFile {\n"
            + "    /// The files for browsers, by name.\n"
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
