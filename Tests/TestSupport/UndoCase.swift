public import Naming
public import JSONTree

/// A worked case of own undo, and how it is read.
public struct UndoCase: Sendable, CustomStringConvertible {
    public let number: Int
    public let title: String
    public let start: String
    public let script: String

    init(_ number: Int, _ title: String, _ start: String, _ script: String) {
        self.number = number
        self.title = title
        self.start = start
        self.script = script
    }

    public var description: String { "\(number). \(title)" }

    public enum Action: Sendable {
        /// `joins`: in the actor's last own version. `base`: made on that state, and it wins.
        case edit(Name, joins: Bool, base: Int?, JSON)
        case put(Name, JSON)
        case own(Name, isRedo: Bool, option: String?)
        case change(Int, isRedo: Bool)
        case shared(isRedo: Bool)
        case goTo(Int)
        case discard(Name, [Int])
    }

    public struct Step: Sendable {
        public let text: String
        public let action: Action
        public var value: JSON?
        /// A refusal: its code, places and revisions.
        public var refusal: (code: String, places: [String], with: [Int])?
        public var passed: [Int]?
    }

    private static let actors: [String: Name] = ["a": "ada", "b": "bob", "c": "cyd", "e": "eve"]

    public var steps: [Step] {
        get throws { try script.pieces(by: " ; ").map(UndoCase.step) }
    }

    private static func step(_ text: String) throws -> Step {
        var rest = text
        var passed: [Int]?
        if let (before, after) = rest.cut(" ~[") {
            passed = after.dropLast().split(separator: ",").compactMap { Int($0) }
            rest = before
        }
        var value: JSON?
        if let (before, after) = rest.cut(" => ") {
            value = try JSON(parsing: after)
            rest = before
        }
        var refusal: (code: String, places: [String], with: [Int])?
        if let (before, after) = rest.cut(" !") {
            let words = after.split(separator: " ", maxSplits: 2).map(String.init)
            let places = try words.count > 1 ? JSON(parsing: words[1]).elements ?? [] : []
            let with = try words.count > 2 ? JSON(parsing: words[2]).elements ?? [] : []
            refusal = (words[0], places.compactMap(\.string), with.compactMap(\.int))
            rest = before
        }
        return Step(
            text: text, action: try action(rest), value: value, refusal: refusal, passed: passed)
    }

    private static func action(_ text: String) throws -> Action {
        let words = text.split(separator: " ").map(String.init)
        switch words[0] {
        case "U", "R": return .shared(isRedo: words[0] == "R")
        case "D":
            return .discard(
                actors[words[1]] ?? "", words[2].split(separator: ",").compactMap { Int($0) })
        case "u" where words.count > 1, "r" where words.count > 1:
            let isRedo = words[0] == "r"
            if words[1].hasPrefix("#") {
                return .change(Int(words[1].dropFirst()) ?? 0, isRedo: isRedo)
            }
            return .own(
                actors[words[1]] ?? "", isRedo: isRedo, option: words.count > 2 ? words[2] : nil)
        default: break
        }
        if text.hasPrefix("G") { return .goTo(Int(text.dropFirst()) ?? 0) }
        let actor = actors[String(text.prefix(1))] ?? ""
        let joins = text.dropFirst().first == "&"
        let base = text.dropFirst().first == "<" ? text.dropFirst(2).prefix { $0.isNumber } : ""
        let body = String(text.dropFirst(base.isEmpty ? 2 : 3 + base.count))
        if body.hasPrefix("PUT ") {
            return .put(actor, try JSON(parsing: String(body.dropFirst(4))))
        }
        let edits = try body.pieces(by: " + ").flatMap(operations)
        return .edit(actor, joins: joins, base: Int(base), JSON(elements: edits))
    }

    public static func operations(_ text: String) throws -> [JSON] {
        if text.hasPrefix("+"), let (path, value) = String(text.dropFirst()).cut("=") {
            return [["op": "add", "path": JSON(path), "value": try JSON(parsing: value)]]
        }
        if text.hasPrefix("-") {
            return [["op": "remove", "path": JSON(String(text.dropFirst()))]]
        }
        if let (path, value) = text.cut("=") {
            return [["op": "replace", "path": JSON(path), "value": try JSON(parsing: value)]]
        }
        if let (from, path) = text.cut(">") {
            return [["op": "move", "from": JSON(from), "path": JSON(path)]]
        }
        guard let (path, edit) = text.cut("@") else { return [] }
        if let (position, count) = edit.cut("-"), let at = Int(position), let length = Int(count) {
            return [["op": "str_del", "path": JSON(path), "pos": JSON(at), "len": JSON(length)]]
        }
        let position = edit.prefix { $0.isNumber }
        let text = try JSON(parsing: String(edit.dropFirst(position.count)))
        return [
            ["op": "str_ins", "path": JSON(path), "pos": JSON(Int(position) ?? 0), "str": text]
        ]
    }
}

extension String {
    public func cut(_ separator: String) -> (String, String)? {
        let bytes = Array(utf8)
        let wanted = Array(separator.utf8)
        guard bytes.count >= wanted.count else { return nil }
        for start in 0...(bytes.count - wanted.count)
        where Array(bytes[start..<(start + wanted.count)]) == wanted {
            return (
                String(decoding: bytes[..<start], as: UTF8.self),
                String(decoding: bytes[(start + wanted.count)...], as: UTF8.self)
            )
        }
        return nil
    }

    public func pieces(by separator: String) -> [String] {
        var pieces: [String] = []
        var rest = self
        while let (before, after) = rest.cut(separator) {
            pieces.append(before)
            rest = after
        }
        return pieces + [rest]
    }
}
