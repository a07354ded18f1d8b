/// An entry's body taken apart: each part with the column that it belongs to.
///
/// Parts of one column resemble each other, and compress well together. The parts in their order
/// are the body, byte by byte: the code that joins them needs no knowledge of their meaning.
///
/// Reading and taking apart are one: each call notes the next part, and returns what it says.
public struct BodyTokens: Sendable {
    /// How a part is written.
    public enum Form: UInt8, Sendable {
        case byte = 0
        /// A number of seven bits a byte, as it is.
        case number
        /// The same, as the difference to the last one of its column.
        case difference
        /// A number of bytes, and these.
        case text
        /// Eight bytes.
        case word
        /// All that is left.
        case rest
        /// A text that is recalled, see `TextMemory`. In segments alone.
        case recalled
    }

    /// One part.
    struct Token: Sendable {
        let column: UInt8
        var form: Form
        let range: Range<Int>
        /// Of a number its value, of a text how many bytes it has.
        var value = 0

        /// Where a text is, without its number before it.
        var textRange: Range<Int> { (range.upperBound - value)..<range.upperBound }
    }

    /// The body is not what its reader takes it for.
    public struct Malformed: Error, Sendable {
        public init() {}
    }

    let body: [UInt8]
    fileprivate(set) var tokens: [Token] = []
    private var position = 0

    /// A body of which nothing has been read.
    public init(_ body: [UInt8]) {
        self.body = body
    }

    /// Whether everything has been read.
    public var isAtEnd: Bool { position == body.count }

    /// The next byte.
    public mutating func byte(_ column: UInt8) throws(Malformed) -> UInt8 {
        guard position < body.count else { throw Malformed() }
        note(column, .byte, 1)
        return body[position - 1]
    }

    /// The next number.
    @discardableResult
    public mutating func number(
        _ column: UInt8, _ form: Form = .number
    ) throws(Malformed) -> Int {
        let (value, size) = try number()
        note(column, form, size, value)
        return value
    }

    /// The next bytes, with their number before them.
    public mutating func text(_ column: UInt8) throws(Malformed) {
        let (count, size) = try number()
        guard count <= body.count - position - size else { throw Malformed() }
        note(column, .text, size + count, count)
    }

    /// The next eight bytes.
    public mutating func word(_ column: UInt8) throws(Malformed) {
        guard body.count - position >= 8 else { throw Malformed() }
        note(column, .word, 8)
    }

    /// All that is left.
    public mutating func rest(_ column: UInt8) {
        note(column, .rest, body.count - position)
    }

    private mutating func note(_ column: UInt8, _ form: Form, _ count: Int, _ value: Int = 0) {
        tokens.append(
            Token(
                column: column, form: form, range: position..<(position + count), value: value))
        position += count
    }

    /// The number at the position, and how many bytes it takes. One that was not written in the
    /// shortest way would come back as another one.
    private func number() throws(Malformed) -> (value: Int, size: Int) {
        var value: UInt64 = 0
        var size = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard position + size < body.count else { throw Malformed() }
            let byte = body[position + size]
            size += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 {
                guard byte > 0 || size == 1 else { throw Malformed() }
                return (Int(value), size)
            }
        }
        throw Malformed()
    }
}

/// Splits bodies into columns; implemented by the code that writes bodies.
public protocol BodyColumns: Sendable {
    /// The parts of a body.
    func tokens(of body: [UInt8]) throws(BodyTokens.Malformed) -> BodyTokens

    /// The columns of texts that may be recalled, each with its neighbour columns.
    var recalled: Set<UInt8> { get }
}

extension BodyColumns {
    /// None.
    public var recalled: Set<UInt8> { [] }

    /// The parts of a body; the whole as one part if it cannot be read.
    func anyTokens(of body: [UInt8]) -> BodyTokens {
        if let tokens = try? tokens(of: body), tokens.isAtEnd { return tokens }
        var whole = BodyTokens(body)
        whole.rest(0)
        return whole
    }
}

/// Bodies of which nothing is known: each is one part.
public struct WholeBodies: BodyColumns {
    public init() {}

    public func tokens(of body: [UInt8]) -> BodyTokens {
        var tokens = BodyTokens(body)
        tokens.rest(0)
        return tokens
    }
}

extension BodyTokens {
    /// The same, where texts are recalled that a memory has. It notes those that are here.
    func recalling(_ memory: inout TextMemory) -> BodyTokens {
        guard memory.isUsed else { return self }
        var result = self
        for (index, token) in tokens.enumerated()
        where token.form == .text && memory.isAbout(token.column) {
            let text = body[token.textRange]
            if memory.text(for: token.column)?[...] == text {
                result.tokens[index].form = .recalled
            }
            memory.note(text, in: token.column)
        }
        return result
    }

    /// The form and the column of each part: two bodies of the same shape differ in values alone.
    var shape: [UInt8] {
        var shape: [UInt8] = []
        shape.reserveCapacity(2 * tokens.count)
        for token in tokens {
            shape.append(token.form.rawValue)
            shape.append(token.column)
        }
        return shape
    }
}
