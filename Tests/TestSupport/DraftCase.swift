public import JSONTree

/// A worked case of drafts, and how it is read.
public struct DraftCase: Sendable, CustomStringConvertible {
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

    public enum Action: Sendable, Equatable {
        case edit(isDraft: Bool, JSON)
        case sharedUndo(isDraft: Bool)
        /// Of ada in the draft, of cyd in the origin.
        case ownUndo(isDraft: Bool, change: Int?)
        /// `side` wins in conflicts; `place` is the part that is merged.
        case merge(side: String?, place: String?)
        case update(side: String?)
        case count
    }

    public struct Step: Sendable {
        public let text: String
        public let action: Action
        public var origin: JSON?
        public var draft: JSON?
        /// The places of a conflict, where it is refused; without places just so.
        public var refusal: [String]?
        public var counts: (ahead: Int, behind: Int)?
    }

    public var steps: [Step] {
        get throws { try script.pieces(by: "; ").map(DraftCase.step) }
    }

    private static func step(_ text: String) throws -> Step {
        guard let (words, result) = text.cut(" => ") else {
            return Step(text: text, action: try action(text))
        }
        var step = Step(text: text, action: try action(words))
        if result.hasPrefix("!conflict") {
            let places = String(result.dropFirst("!conflict".count).drop { $0 == " " })
            step.refusal =
                places.isEmpty ? [] : try JSON(parsing: places).elements?.compactMap(\.string)
        } else if result.hasPrefix("n/") {
            let numbers = result.split(separator: "/").compactMap { Int($0) }
            step.counts = (numbers[0], numbers[1])
        } else {
            let values = result.pieces(by: " | ")
            step.origin = try JSON(parsing: values[0])
            if values.count > 1 { step.draft = try JSON(parsing: values[1]) }
        }
        return step
    }

    private static func action(_ text: String) throws -> Action {
        let isDraft = text.hasPrefix("d")
        if let (_, edits) = text.cut(":") {
            let operations = try edits.pieces(by: " + ").flatMap(UndoCase.operations)
            return .edit(isDraft: isDraft, JSON(elements: operations))
        }
        let words = text.split(separator: " ").map(String.init)
        switch words[0] {
        case "merge":
            let word = words.count > 1 ? words[1] : nil
            let isPlace = word?.hasPrefix("/") ?? false
            return .merge(side: isPlace ? nil : word, place: isPlace ? word : nil)
        case "update": return .update(side: words.count > 1 ? words[1] : nil)
        case "n": return .count
        case "mU", "dU": return .sharedUndo(isDraft: isDraft)
        default: return .ownUndo(isDraft: isDraft, change: Int(words[0].dropFirst(2)))
        }
    }
}
