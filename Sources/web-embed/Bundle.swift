import Foundation

/// Modules as one file: each becomes a function that returns its exports, after the modules that it
/// imports. Comments stay in the modules: they would be a third of the file that browsers load.
struct Bundle {
    private let folder: URL

    private let importing = #/import \{([^}]*)\} from "\.\/(\w+)\.js";\n/#
    private let importingAll = #/import \* as (\w+) from "\.\/(\w+)\.js";\n/#
    private let importingOthers = #/(?m)^import .* from "\/.*\n/#
    private let passingOn = #/export \{([^}]*)\} from "\.\/(\w+)\.js";\n/#
    private let exporting = #/(?m)^export (async function\*?|function\*?|class|const) ([\w$]+)/#
    private let comment = #/(?m)^ *\/\*\*[\s\S]*?\*\/\n|^ *\/\/.*\n/#

    init(folder: URL) {
        self.folder = folder
    }

    /// A library: what a module passes on is what the file exports.
    func library(_ name: String) throws -> String {
        let index = try read(name)
        let head = index.split(separator: "\nexport", maxSplits: 1)[0]
        let modules = try inOrder(name).dropLast().map { try wrapped($0) }
        let exports = index.matches(of: passingOn).map { match in
            "export const {\(match.1)} = \(match.2)Module;\n"
        }
        return "\(head)\n\(modules.joined(separator: "\n"))\n\(exports.joined())"
    }

    /// A program: the effects of loading a module, after its imports. It exports the modules that
    /// its parts share with it.
    func program(_ name: String, parts: [String] = []) throws -> String {
        let names = try inOrder(name)
        let used = try Set(parts.flatMap(inOrder))
        let exports = names.filter(used.contains).map { "\($0)Module" }
        let others = try read(name).matches(of: importingOthers).map { String($0.0) }
        return try others.joined() + script(names)
            + (exports.isEmpty ? "" : "export{\(exports.joined(separator: ","))};\n")
    }

    /// A part of a program, which the program loads when it is needed. A module that both import
    /// is the program's: so both see one token, one dialog and one toast.
    func part(_ name: String, of program: String) throws -> String {
        let names = try inOrder(name)
        let known = try Set(inOrder(program))
        let shared = names.filter(known.contains).map { "\($0)Module" }
        let exported = try read(name).matches(of: exporting).map { String($0.2) }
        return try "import{\(shared.joined(separator: ","))}from\"./\(program).js\";\n"
            + script(names.filter { !known.contains($0) })
            + "export const{\(exported.joined(separator: ","))}=\(name)Module;\n"
    }

    private func script(_ names: [String]) throws -> String {
        try Squeeze.script(names.map { try flush(wrapped($0), $0) }.joined(separator: "\n"))
    }

    /// Without indentation, which says nothing to a browser. A text of several lines would change.
    private func flush(_ text: String, _ name: String) throws -> String {
        for line in text.split(separator: "\n") {
            if line.count(where: { $0 == "`" }).isMultiple(of: 2) { continue }
            throw Failure("\(name).js: a text of several lines: \(line)")
        }
        return text.replacing(#/(?m)^ +/#, with: "").replacing(#/\n{2,}/#, with: "\n")
            .replacing(#/(?m)^\/\/.*\n/#, with: "")
            // Where no statement can end, no line has to.
            .replacing(#/([,;{(\[])\n/#) { "\($0.1)" }
            .replacing(#/\n([})\].?:&|])/#) { "\($0.1)" }
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
                text.matches(of: importing).map(\.2) + text.matches(of: importingAll).map(\.2)
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
            .replacing(importingAll) { "const \($0.1) = \($0.2)Module;\n" }
            .replacing(importingOthers, with: "")
            .replacing(exporting) { "\($0.1) \($0.2)" }
            .replacing(comment, with: "")
            .replacing(#/\n{2,}/#, with: "\n\n")
            .trimmingCharacters(in: .newlines)
        let isRenamed = text.firstMatch(of: #/(?m)^import \{.* as .*/#).map { String($0.0) }
        if let line = isRenamed { throw Failure("\(name).js: cannot bundle \(line)") }
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
