/// A JSON value: immutable, compact, and sharing its parts with the values it was made from.
///
/// A value is 16 bytes. Small scalars and strings up to 14 bytes live inside it; everything else is
/// a reference to a node that never changes once it is shared. Copying is O(1). Two values are
/// equal when they are written alike: `1` and `1.0` are different (see `isNumericallyEqual(to:)`),
/// and the order of an object's members never counts.
///
/// ```swift
/// let menu: JSON = ["dish": "soup", "price": 4]
/// let dearer = try menu.replacing(at: "/price", with: 5)
/// ```
public struct JSON: Sendable {
    // @unchecked: a `StringNode` is a buffer, which the compiler does not take for sendable; it
    // never changes.
    enum Storage: @unchecked Sendable {
        case null
        case bool(Bool)
        case integer(Int64)
        /// A number without exponent, exactly: mantissa and digits after the point.
        case decimal(Int64, UInt8)
        /// Any other number, as it was written.
        case number(NumberText)
        case short(ShortString)
        case string(StringNode)
        /// A string too long to copy for each edit; see `Rope.bytesMin`.
        case rope(Rope)
        case array(ArrayNode)
        case object(ObjectNode)
    }

    var storage: Storage

    init(_ storage: Storage) {
        self.storage = storage
    }
}

extension JSON {
    /// The kind of a value, in the terms of RFC 8259.
    public enum Kind: String, Sendable {
        case null, bool, number, string, array, object
    }

    /// The kind of this value.
    public var kind: Kind {
        switch storage {
        case .null: .null
        case .bool: .bool
        case .integer, .decimal, .number: .number
        case .short, .string, .rope: .string
        case .array: .array
        case .object: .object
        }
    }

    /// The value `null`.
    public static let null = JSON(.null)

    /// `true` or `false`.
    public init(_ value: Bool) {
        storage = .bool(value)
    }

    /// An integer.
    public init(_ value: Int) {
        self = JSON.number(lexeme: Array(String(value).utf8)[...])
    }

    /// A string.
    public init(_ value: String) {
        self = JSON.string(bytes: Array(value.utf8))
    }

    /// An array of values. O(n).
    public init(elements: some Sequence<JSON>) {
        var values = ValueStack(elements)
        storage = .array(.build(&values, from: 0))
    }

    /// An object of members; of two members with one name the last one counts. O(n log n).
    public init(members: some Sequence<(String, JSON)>) {
        var (names, values): ([MemberName], [JSON]) = ([], [])
        var places: [MemberName: Int] = [:]
        for (text, value) in members {
            let name = MemberName(text)
            if let place = places[name] {
                values[place] = value
            } else {
                places[name] = names.count
                names.append(name)
                values.append(value)
            }
        }
        var stack = ValueStack(values)
        storage = .object(.build(names, &stack))
    }

    /// The truth value, if this is one.
    public var bool: Bool? {
        if case .bool(let value) = storage { value } else { nil }
    }

    /// The integer, if this is a number written as one that fits in 64 bits.
    public var int: Int? {
        switch storage {
        case .integer(let value): Int(value)
        case .number(let text): Int(String(decoding: text.bytes, as: UTF8.self))
        default: nil
        }
    }

    /// The string, if this is one. O(n).
    public var string: String? {
        utf8.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The string's UTF-8, if this is a string. O(n).
    public var utf8: [UInt8]? {
        switch storage {
        case .short(let short): short.bytes
        case .string(let node): node.bytes
        case .rope(let rope): rope.bytes
        default: nil
        }
    }

    /// Whether this is an array or an object.
    public var isContainer: Bool {
        switch storage {
        case .array, .object: true
        default: false
        }
    }

    /// The number of elements or members; 0 for every other kind. O(1).
    public var count: Int {
        switch storage {
        case .array(let node): node.count
        case .object(let node): node.count
        default: 0
        }
    }

    /// The element at `index`, if this is an array that has one. O(log n).
    public subscript(index: Int) -> JSON? {
        guard case .array(let node) = storage, index >= 0, index < node.count else { return nil }
        return node.element(at: index)
    }

    /// The member named `name`, if this is an object that has one. Names compare as UTF-8 bytes.
    public subscript(name: String) -> JSON? {
        self[MemberName(name)]
    }

    package subscript(name: MemberName) -> JSON? {
        guard case .object(let node) = storage else { return nil }
        return node.value(for: name)
    }

    /// The elements, if this is an array. O(n).
    public var elements: [JSON]? {
        guard case .array(let node) = storage else { return nil }
        var result: [JSON] = []
        result.reserveCapacity(node.count)
        node.forEach { result.append($0) }
        return result
    }

    /// Calls `body` with each member, if this is an object.
    package func forEachMember(_ body: (MemberName, JSON) -> Void) {
        if case .object(let node) = storage { node.forEach(body) }
    }

    /// The members, if this is an object, in the order in which a small object's were written.
    public var members: [(name: String, value: JSON)]? {
        guard case .object(let node) = storage else { return nil }
        var result: [(name: String, value: JSON)] = []
        result.reserveCapacity(node.count)
        node.forEach { key, value in result.append((name: key.text, value: value)) }
        return result
    }
}

extension JSON: Equatable {
    /// Whether both are written alike, member order apart.
    ///
    /// O(1) for values that differ or are one and the same node; O(n) for equal ones that were made
    /// apart: equal hashes alone prove nothing.
    public static func == (left: JSON, right: JSON) -> Bool {
        left.contentHash == right.contentHash && left.hasSameContent(as: right)
    }

    /// Whether both are the same node or the same scalar: true without looking inside.
    func isIdentical(to other: JSON) -> Bool {
        switch (storage, other.storage) {
        case (.array(let left), .array(let right)): left.node === right.node
        case (.object(let left), .object(let right)): left.node === right.node
        case (.rope(let left), .rope(let right)): left === right
        case (.string(let left), .string(let right)): left === right
        default: false
        }
    }
}

extension JSON: Hashable {
    /// Feeds the content hash. O(1).
    public func hash(into hasher: inout Hasher) {
        hasher.combine(contentHash)
    }
}

// Not by `nil`: `isThere ? value : nil` would be `null` where no value is meant.
extension JSON: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self.init(value) }
    /// An integer.
    public init(integerLiteral value: Int) { self.init(value) }
    /// A string.
    public init(stringLiteral value: String) { self.init(value) }
    /// An array.
    public init(arrayLiteral elements: JSON...) { self.init(elements: elements) }
    /// An object; of two members with one name the last one counts.
    public init(dictionaryLiteral members: (String, JSON)...) { self.init(members: members) }
}

extension JSON: CustomStringConvertible {
    /// The value as JSON text.
    public var description: String {
        String(decoding: serialized(), as: UTF8.self)
    }
}
