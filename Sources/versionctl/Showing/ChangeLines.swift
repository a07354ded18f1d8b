import JSONTree

/// A patch as lines that people read: what was, and what is.
struct ChangeLines {
    private let screen: Screen
    private static let lengthMax = 60

    init(_ screen: Screen) {
        self.screen = screen
    }

    /// `~ /price  5 → 6`, `+ /side  "bread"`, `- /dish  "soup"`; `base` is what the patch is made
    /// on.
    func lines(_ patch: JSON, on base: JSON?) -> [String] {
        var tree = base
        var rows: [(mark: String, path: String, text: String)] = []
        for element in patch.elements ?? [] {
            let (path, old) = (element["path"]?.string ?? "", ChangeLines.value(element, in: tree))
            let new = element["value"]
            rows.append(row(element, path, old, new))
            tree = tree.flatMap { tree in
                guard let patch = try? JSONPatch(JSON(elements: [element])) else { return nil }
                return try? tree.applying(patch).tree
            }
        }
        let width = min(24, rows.map(\.path.count).max() ?? 0)
        return rows.map { mark, path, text in
            let padding = String(repeating: " ", count: max(0, width - path.count))
            return "\(painted(mark)) \(path)\(padding)  \(text)"
        }
    }

    private func row(
        _ element: JSON, _ path: String, _ old: JSON?, _ new: JSON?
    ) -> (mark: String, path: String, text: String) {
        let place = path.isEmpty ? "(all)" : path.visible
        switch element["op"]?.string ?? "" {
        case "add" where old == nil: return ("+", place, short(new))
        case "remove": return ("-", place, old.map(short) ?? "")
        case "move": return (">", place, "from \(element["from"]?.string?.visible ?? "")")
        case "copy": return ("+", place, "as \(element["from"]?.string?.visible ?? "")")
        case "str_ins": return ("~", place, "+ \(short(element["str"]))")
        case "str_del":
            let text = element["str"] ?? element["len"]
            return ("~", place, "- \(short(text))")
        default: return ("~", place, (old.map { short($0) + " → " } ?? "") + short(new))
        }
    }

    private static func value(_ element: JSON, in tree: JSON?) -> JSON? {
        guard let tree, let pointer = JSONPointer(parsing: element["path"]?.string ?? "") else {
            return nil
        }
        // An inserted element replaces no other element.
        let isNew = element["op"]?.string == "add"
        return isNew && ChangeLines.isElement(pointer, in: tree) ? nil : tree[pointer]
    }

    private static func isElement(_ pointer: JSONPointer, in tree: JSON) -> Bool {
        let text = pointer.description
        guard let slash = text.lastIndex(of: "/"),
            let parent = JSONPointer(parsing: String(text[..<slash]))
        else { return false }
        return tree[parent]?.elements != nil
    }

    /// A value in few letters.
    func short(_ value: JSON?) -> String {
        guard let value else { return "" }
        let text = String(decoding: value.serialized(), as: UTF8.self).visible
        return text.count <= ChangeLines.lengthMax
            ? text : text.prefix(ChangeLines.lengthMax - 1) + "…"
    }

    private func painted(_ mark: String) -> String {
        switch mark {
        case "+": screen.painted(mark, .green)
        case "-": screen.painted(mark, .red)
        default: screen.painted(mark, .yellow)
        }
    }
}
