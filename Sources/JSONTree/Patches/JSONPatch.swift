/// A list of RFC 6902 operations, as a client writes them.
///
/// Besides the six standard operations it may hold the two text operations of json-joy's JSON Patch
/// Extended, `str_ins` and `str_del`, whose positions count UTF-16 code units, and `str_replace`.
public struct JSONPatch: Sendable, Equatable {
    /// The operations, applied in order, all or none.
    public var operations: [JSONOperation]

    /// A patch of these operations.
    public init(_ operations: [JSONOperation]) {
        self.operations = operations
    }
}

/// One element of a patch.
public enum JSONOperation: Sendable, Equatable {
    case add(JSONPointer, JSON)
    case remove(JSONPointer)
    case replace(JSONPointer, JSON)
    case move(from: JSONPointer, to: JSONPointer)
    case copy(from: JSONPointer, to: JSONPointer)
    case test(JSONPointer, JSON)
    /// `str_ins`: inserts text into a string.
    case insertText(JSONPointer, at: Int, String)
    /// `str_del`: deletes a number of UTF-16 code units from a string.
    case deleteText(JSONPointer, at: Int, count: Int)
    /// `str_replace`: puts another text in the place of one that occurs exactly once in a string.
    case replaceText(JSONPointer, find: String, with: String)

    /// Where it works.
    public var pointer: JSONPointer {
        switch self {
        case .add(let pointer, _), .remove(let pointer), .replace(let pointer, _),
            .move(_, let pointer), .copy(_, let pointer), .test(let pointer, _),
            .insertText(let pointer, _, _), .deleteText(let pointer, _, _),
            .replaceText(let pointer, _, _):
            pointer
        }
    }

    var isTextual: Bool {
        switch self {
        case .insertText, .deleteText, .replaceText: true
        default: false
        }
    }
}

extension JSONPatch {
    /// The depth of values in the JSON form of a patch: in an operation in an array.
    public static let levels = 2

    /// Whether it holds operations that RFC 6902 does not know.
    public var hasTextOperations: Bool { operations.contains(where: \.isTextual) }

    /// Reads a patch from its JSON form. Members that RFC 6902 does not define are ignored.
    public init(
        _ json: JSON, limits: JSONLimits = .standard
    ) throws(JSONPatchError) {
        guard case .array(let elements) = json.storage else {
            throw JSONPatchError(.malformed("a patch is an array of operations"))
        }
        guard elements.count <= limits.operationsMax else {
            throw JSONPatchError(.tooManyOperations(max: limits.operationsMax))
        }
        operations = []
        operations.reserveCapacity(elements.count)
        for index in 0..<elements.count {
            operations.append(try JSONPatch.operation(elements.element(at: index), index, limits))
        }
    }

    private static func operation(
        _ json: JSON, _ index: Int, _ limits: JSONLimits
    ) throws(JSONPatchError) -> JSONOperation {
        let reader = OperationReader(json: json, index: index, limits: limits)
        let name: ShortString? =
            if case .short(let name)? = json[Names.operation]?.storage { name } else { nil }
        switch name {
        case Operations.add?: return .add(try reader.pointer(Names.path), try reader.value())
        case Operations.remove?: return .remove(try reader.pointer(Names.path))
        case Operations.replace?:
            return .replace(try reader.pointer(Names.path), try reader.value())
        case Operations.move?:
            return .move(from: try reader.pointer(Names.from), to: try reader.pointer(Names.path))
        case Operations.copy?:
            return .copy(from: try reader.pointer(Names.from), to: try reader.pointer(Names.path))
        case Operations.test?: return .test(try reader.pointer(Names.path), try reader.value())
        case Operations.insertText?:
            return .insertText(
                try reader.pointer(Names.path), at: try reader.position(Names.pos),
                try reader.text())
        case Operations.deleteText?:
            return .deleteText(
                try reader.pointer(Names.path), at: try reader.position(Names.pos),
                count: try reader.deletedCount())
        case Operations.replaceText?:
            return .replaceText(
                try reader.pointer(Names.path), find: try reader.found(), with: try reader.text())
        default: throw reader.malformed("an operation needs an \"op\" that RFC 6902 knows")
        }
    }
}

/// The words for operations, as values of "op".
private enum Operations {
    static let add = ShortString("add")
    static let remove = ShortString("remove")
    static let replace = ShortString("replace")
    static let move = ShortString("move")
    static let copy = ShortString("copy")
    static let test = ShortString("test")
    static let insertText = ShortString("str_ins")
    static let deleteText = ShortString("str_del")
    static let replaceText = ShortString("str_replace")
}

/// The names of an operation's members.
private enum Names {
    static let operation = MemberName("op")
    static let path = MemberName("path")
    static let from = MemberName("from")
    static let value = MemberName("value")
    static let pos = MemberName("pos")
    static let len = MemberName("len")
    static let str = MemberName("str")
    static let find = MemberName("find")
}

/// Reads the members of one operation.
private struct OperationReader {
    let json: JSON
    let index: Int
    let limits: JSONLimits

    func malformed(_ reason: String) -> JSONPatchError {
        JSONPatchError(.malformed(reason), operation: index)
    }

    func pointer(_ name: MemberName) throws(JSONPatchError) -> JSONPointer {
        guard let text = json[name]?.utf8 else {
            throw malformed("the operation needs \"\(name.text)\"")
        }
        // Before they are made: a token takes more memory than its text.
        guard JSONPointer.tokenCount(in: text) <= limits.tokensMax else {
            throw malformed("\"\(name.text)\" has more than \(limits.tokensMax) tokens")
        }
        guard let pointer = JSONPointer(parsing: text) else {
            throw malformed(
                "\"\(name.text)\" is not a JSON Pointer: it is empty or begins with \"/\"")
        }
        return pointer
    }

    func value() throws(JSONPatchError) -> JSON {
        guard let value = json[Names.value] else {
            throw malformed("the operation needs \"value\"")
        }
        return value
    }

    func position(_ name: MemberName) throws(JSONPatchError) -> Int {
        guard let position = json[name]?.int, position >= 0 else {
            throw malformed("the operation needs \"\(name.text)\", a count of UTF-16 code units")
        }
        return position
    }

    func text() throws(JSONPatchError) -> String {
        guard let text = json[Names.str]?.string else {
            throw malformed("the operation needs \"str\"")
        }
        return text
    }

    func found() throws(JSONPatchError) -> String {
        guard let text = json[Names.find]?.string, !text.isEmpty else {
            throw malformed("the operation needs \"find\", a text that is not empty")
        }
        return text
    }

    func deletedCount() throws(JSONPatchError) -> Int {
        if let text = json[Names.str]?.string { return text.utf16.count }
        return try position(Names.len)
    }
}

extension JSONPatch {
    /// Appends the patch's JSON text to `text`.
    public func append(to text: inout [UInt8]) {
        text.append(UInt8(ascii: "["))
        for (index, operation) in operations.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            operation.append(to: &text)
        }
        text.append(UInt8(ascii: "]"))
    }

    /// The patch as JSON text.
    public func serialized() -> [UInt8] {
        var text: [UInt8] = []
        // The size of an operation with a short path and value.
        text.reserveCapacity(128 * operations.count)
        append(to: &text)
        return text
    }
}

extension JSONOperation {
    /// Appends the operation's JSON text to `text`.
    func append(to text: inout [UInt8]) {
        func begin(_ name: String, from: JSONPointer? = nil) {
            text.append(contentsOf: "{\"op\":\"".utf8)
            text.append(contentsOf: name.utf8)
            text.append(0x22)
            if let from { member("from", from) }
            member("path", pointer)
        }
        func begin(member name: String) {
            text.append(contentsOf: ",\"".utf8)
            text.append(contentsOf: name.utf8)
            text.append(contentsOf: "\":".utf8)
        }
        func member(_ name: String, _ pointer: JSONPointer) {
            begin(member: name)
            pointer.appendQuoted(to: &text)
        }
        func member(_ name: String, _ value: JSON) {
            begin(member: name)
            value.append(to: &text)
        }
        switch self {
        case .add(_, let value):
            begin("add")
            member("value", value)
        case .remove: begin("remove")
        case .replace(_, let value):
            begin("replace")
            member("value", value)
        case .move(let from, _): begin("move", from: from)
        case .copy(let from, _): begin("copy", from: from)
        case .test(_, let value):
            begin("test")
            member("value", value)
        case .insertText(_, let position, let inserted):
            begin("str_ins")
            member("pos", JSON(position))
            member("str", JSON(inserted))
        case .deleteText(_, let position, let count):
            begin("str_del")
            member("pos", JSON(position))
            member("len", JSON(count))
        case .replaceText(_, let found, let inserted):
            begin("str_replace")
            member("find", JSON(found))
            member("str", JSON(inserted))
        }
        text.append(UInt8(ascii: "}"))
    }
}

extension JSONPatch: CustomStringConvertible {
    /// The patch as JSON text.
    public var description: String {
        String(decoding: serialized(), as: UTF8.self)
    }
}
