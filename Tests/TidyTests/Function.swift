/// A function, initializer, subscript or deinitializer with a body, as lines of a file.
struct Function {
    /// The index of the line that declares it.
    let start: Int
    /// From the declaration to the closing brace.
    let lines: Int

    /// The functions of a file that is formatted: a body ends with a brace that is indented as the
    /// declaration is.
    static func all(in lines: [String]) -> [Function] {
        lines.indices.compactMap { start in
            guard isDeclaration(lines[start]), let open = bodyStart(of: start, in: lines) else {
                return nil
            }
            if lines[open].hasSuffix("}") { return Function(start: start, lines: open - start + 1) }
            let closing = lines[start].prefix { $0 == " " } + "}"
            let end = lines[open...].firstIndex { $0 == closing } ?? lines.count - 1
            return Function(start: start, lines: end - start + 1)
        }
    }

    /// The blocks of a script, but for classes: functions, and what is as long.
    static func blocks(in lines: [String]) -> [Function] {
        lines.indices.compactMap { start in
            let line = lines[start]
            let isClass = line.contains("class ") || line.contains("interface ")
            guard line.hasSuffix("{"), !isClass else { return nil }
            let closing = line.prefix { $0 == " " } + "}"
            let end = lines[(start + 1)...].firstIndex { $0.hasPrefix(closing) }
            return Function(start: start, lines: (end ?? lines.count - 1) - start + 1)
        }
    }

    private static let modifiers: Set<Substring> = [
        "public", "package", "private", "fileprivate", "internal", "static", "final", "override",
        "mutating", "nonmutating", "convenience", "required", "indirect", "nonisolated",
        "consuming",
        "borrowing", "class",
    ]

    private static func isDeclaration(_ line: String) -> Bool {
        let words = line.split(separator: " ").drop { modifiers.contains($0) || $0.hasPrefix("@") }
        guard let first = words.first else { return false }
        return first == "func" || first == "deinit" || first == "init"
            || ["init(", "init?(", "init<", "subscript(", "subscript<"].contains {
                first.hasPrefix($0)
            }
    }

    /// The line with the opening brace of a body; `nil` for a requirement without one.
    private static func bodyStart(of start: Int, in lines: [String]) -> Int? {
        var depth = 0
        for index in start..<min(lines.count, start + 30) {
            let line = lines[index]
            depth += line.count { $0 == "(" } - line.count { $0 == ")" }
            guard depth <= 0 else { continue }
            if line.hasSuffix("{") || line.contains(" {") { return index }
            let next = index + 1 < lines.count ? lines[index + 1].drop { $0 == " " } : ""
            let goesOn = ["->", "throws", "where", "async", ")", "{"].contains {
                next.hasPrefix($0)
            }
            if !goesOn { return nil }
        }
        return nil
    }
}
