/// A change as a sentence: “changed the price of Soup from 5 to 6”.
///
/// It has no subject: the actor is shown next to it. Its parts mark the important words; a program
/// that writes plain text takes ``text``.
public struct Sentence: Sendable, Equatable {
    /// A piece of a sentence.
    public enum Part: Sendable, Equatable {
        case words(String)
        /// The changed object.
        case object(String)
        /// The old value.
        case old(String)
        /// The new value.
        case new(String)
        /// Words that an actor wrote or deleted, in quotation marks.
        case quote(String)
        /// An actor's name.
        case person(String)

        /// The piece as plain text.
        public var text: String {
            switch self {
            case .words(let text), .object(let text), .old(let text), .new(let text),
                .quote(let text), .person(let text):
                text
            }
        }

        fileprivate var plain: Part {
            switch self {
            case .words(let text): .words(text.plain)
            case .object(let text): .object(text.plain)
            case .old(let text): .old(text.plain)
            case .new(let text): .new(text.plain)
            case .quote(let text): .quote(text.plain)
            case .person(let text): .person(text.plain)
            }
        }
    }

    /// Its pieces, in their order.
    public private(set) var parts: [Part] = []

    /// A sentence of these pieces.
    public init(_ parts: Part...) {
        for part in parts { append(part) }
    }

    /// The sentence as plain text.
    public var text: String { parts.map(\.text).joined() }

    /// A sentence contains plain text only, whatever its parts are made of.
    mutating func append(_ part: Part) {
        let part = part.plain
        if case .words(let new) = part, case .words(let last)? = parts.last {
            parts[parts.count - 1] = .words(last + new)
        } else if !part.text.isEmpty {
            parts.append(part)
        }
    }

    /// One sentence behind the other.
    public static func + (left: Sentence, right: Sentence) -> Sentence {
        var all = left
        for part in right.parts { all.append(part) }
        return all
    }

    /// Pieces as people list them: “a, b and c”, and of many the first `most`.
    static func list(_ items: [Part], most: Int = 3) -> Sentence {
        let shown = items.prefix(items.count > most ? most - 1 : most)
        let more = items.count - shown.count
        var all = Sentence()
        for (index, item) in shown.enumerated() {
            let isLast = index == shown.count - 1 && more == 0
            if index > 0 { all.append(.words(isLast ? " and " : ", ")) }
            all.append(item)
        }
        if more > 0 { all.append(.words(" and \(more) more")) }
        return all
    }
}

extension Sentence: ExpressibleByStringLiteral {
    /// Plain words.
    public init(stringLiteral value: String) {
        self.init(.words(value))
    }
}
