/// Why bytes are not JSON text that we take, and where.
public struct JSONParseError: Error, Equatable, Sendable {
    /// The kind of fault.
    public enum Reason: String, Sendable {
        case unexpectedEnd, unexpectedByte, trailingBytes
        case invalidUTF8, controlCharacter, invalidEscape, loneSurrogate
        case invalidNumber, numberTooLong
        case duplicateKey
        case tooDeep, tooManyValues
    }

    /// The fault at `offset`.
    public let reason: Reason
    /// The offset of the offending byte.
    public let offset: Int
}

extension JSONParseError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        let what =
            switch reason {
            case .unexpectedEnd: "an unexpected end"
            case .unexpectedByte: "an unexpected character"
            case .trailingBytes: "text after the end of the value"
            case .invalidUTF8: "bytes that are not UTF-8"
            case .controlCharacter: "a control character that must be escaped"
            case .invalidEscape: "an invalid escape sequence"
            case .loneSurrogate: "half of a surrogate pair"
            case .invalidNumber: "an invalid number"
            case .numberTooLong: "a number with too many digits"
            case .duplicateKey: "a repeated member name"
            case .tooDeep: "too deep nesting"
            case .tooManyValues: "too many values"
            }
        return "\(what) (at byte \(offset))"
    }
}
