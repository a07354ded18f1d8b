import Foundation

/// The client library as one file: each module becomes a function that returns what it exports, and
/// comes after those that it imports. Comments stay in the modules: they would be a third of what
/// browsers load.
struct ClientBundle {
    private let folder: URL

    private let importing = #/import \{([^}]*)\} from "\.\/(\w+)\.js";\n/#
    private let passingOn = #/export \{([^}]*)\} from "\.\/(\w+)\.js";\n/#
    private let exporting = #/(?m)^export (async function\*?|function\*?|class|const) (\w+)/#
    private let comment = #/(?m)^ *\/\*\*[\s\S]*?\*\/\n|^ *\/\/.*\n/#

    init(folder: URL) {
        self.folder = folder
    }

    /// What stands at `/client.js`.
    func text() throws -> String {
        let index = try read("index")
        let head = index.split(separator: "\nexport", maxSplits: 1)[0]
        let modules = try inOrder("index").dropLast().map { try wrapped($0) }
        let exports = index.matches(of: passingOn).map { match in
            "export const {\(match.1)} = \(match.2)Module;\n"
        }
        return "\(head)\n\(modules.joined(separator: "\n"))\n\(exports.joined())"
    }

    private func read(_ name: String) throws -> String {
        try WebEmbed.text(of: folder.appending(path: "\(name).js"))
    }

    /// The modules, each behind those that it imports.
    private func inOrder(_ name: String) throws -> [String] {
        var order: [String] = []
        func visit(_ name: String, under: [String]) throws {
            if under.contains(name) {
                throw Failure("modules in a circle: \((under + [name]).joined(separator: " → "))")
            }
            if order.contains(name) { return }
            let text = try read(name)
            let others =
                text.matches(of: importing).map(\.2)
                + text.matches(of: passingOn).map(\.2)
            for other in others { try visit(String(other), under: under + [name]) }
            order.append(name)
        }
        try visit(name, under: [])
        return order
    }

    private func wrapped(_ name: String) throws -> String {
        let text = try read(name)
        let exported = text.matches(of: exporting).map { String($0.2) }
        let body =
            text
            .replacing(importing) { "const {\($0.1)} = \($0.2)Module;\n" }
            .replacing(exporting) { "\($0.1) \($0.2)" }
            .replacing(comment, with: "")
            .replacing(#/\n{2,}/#, with: "\n\n")
            .trimmingCharacters(in: .newlines)
        if let line = body.firstMatch(of: #/(?m)^(import|export) .*/#) {
            throw Failure("\(name).js: cannot bundle \(line.0)")
        }
        return """
            // \(name).js
            const \(name)Module = (() => {
            \(body)
            return { \(exported.joined(separator: ", ")) };
            })();

            """
    }
}
