/// Why a patch was not applied. Nothing has changed.
public struct JSONPatchError: Error, Equatable, Sendable {
    /// The kind of fault.
    public enum Reason: Equatable, Sendable {
        /// It is not a patch; the sentence says what is missing.
        case malformed(String)
        /// It has too many operations.
        case tooManyOperations(max: Int)
        /// The pointer has no value.
        case missing
        /// The pointer leads through something that is neither array nor object.
        case noContainer
        /// The array has no such index.
        case indexOutOfRange
        /// A value cannot be moved into itself, and the root cannot be removed.
        case impossible(String)
        /// A `test` said no; what is there instead.
        case testFailed(found: JSON?)
        /// A text operation needs a string.
        case notAString
        /// The position is outside the string or between the halves of a surrogate pair.
        case textOutOfRange
        /// The text to replace does not occur in the string.
        case textNotFound
        /// It occurs more than once; the first positions, in UTF-16 code units.
        case textNotUnique(count: Int, positions: [Int])
        /// The patch searches too much text.
        case tooMuchToSearch(max: Int)
        /// The value would nest too deeply.
        case tooDeep(max: Int)
        /// The document would become too large.
        case tooLarge(max: Int)
        /// The document would have more values than it may.
        case tooManyValues(max: Int)
    }

    /// The fault of the operation.
    public let reason: Reason
    /// The index of the operation, if one operation is to blame.
    public let operation: Int?
    /// Where it wanted to work.
    public let pointer: JSONPointer?

    package init(_ reason: Reason, operation: Int? = nil, pointer: JSONPointer? = nil) {
        self.reason = reason
        self.operation = operation
        self.pointer = pointer
    }
}

extension JSONPatchError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        let what =
            switch reason {
            case .malformed(let reason): reason
            case .tooManyOperations(let max): "the patch has more than \(max) operations"
            case .missing: "the value does not exist"
            case .noContainer: "the path leads through a value that is not an array or object"
            case .indexOutOfRange: "the index is outside the array"
            case .impossible(let reason): reason
            case .testFailed: "the value differs from the tested value"
            case .notAString: "a text operation requires a string"
            case .textOutOfRange: "the position is outside the text or splits a surrogate pair"
            case .textNotFound: "the text to replace does not occur"
            case .textNotUnique(let count, _): "the text to replace occurs \(count) times"
            case .tooMuchToSearch(let max):
                "the patch searches more than \(max) bytes of text with str_replace"
            case .tooDeep(let max): "the document would nest deeper than \(max)"
            case .tooLarge(let max): "the document would become larger than \(max) bytes"
            case .tooManyValues(let max): "the document would have more than \(max) values"
            }
        let place = pointer.map { $0 == .root ? " at the root" : " at \($0)" } ?? ""
        return what + place + (operation.map { " (operation \($0))" } ?? "")
    }
}
