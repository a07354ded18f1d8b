/// Why bytes are not JSON text that we take, and where.
public struct JSONParseError: Error, Equatable, Sendable {
    /// What is wrong.
    public enum Reason: String, Sendable {
        case unexpectedEnd, unexpectedByte, trailingBytes
        case invalidUTF8, controlCharacter, invalidEscape, loneSurrogate
        case invalidNumber, numberTooLong
        case duplicateKey
        case tooDeep, tooManyValues
    }

    /// What is wrong at `offset`.
    public let reason: Reason
    /// The offset of the offending byte.
    public let offset: Int
}

extension JSONParseError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        let what =
            switch reason {
            case .unexpectedEnd: "the text ends too early"
            case .unexpectedByte: "a character that cannot stand here"
            case .trailingBytes: "text after the end of the value"
            case .invalidUTF8: "bytes that are not UTF-8"
            case .controlCharacter: "a control character that must be escaped"
            case .invalidEscape: "an escape that JSON does not have"
            case .loneSurrogate: "half of a surrogate pair"
            case .invalidNumber: "a number that JSON does not have"
            case .numberTooLong: "a number with too many digits"
            case .duplicateKey: "a member name that the object already has"
            case .tooDeep: "nesting that is too deep"
            case .tooManyValues: "more values than a document may have"
            }
        return "\(what) (at byte \(offset))"
    }
}
