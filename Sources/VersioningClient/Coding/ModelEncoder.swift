import FoundationEssentials
import JSONTree

/// A place of a value that is being made.
final class EncodingNode {
    private enum Kind {
        case scalar(JSON), array, object
    }

    let path: [any CodingKey]
    /// An object without members, if nothing is encoded.
    private var kind = Kind.object
    private var nodes: [EncodingNode] = []
    private var names: [String] = []
    /// The members by their names' bytes: names that look alike are different ones.
    private var places: [MemberName: Int] = [:]

    init(path: [any CodingKey]) {
        self.path = path
    }

    /// The value that was encoded.
    var value: JSON {
        switch kind {
        case .scalar(let value): value
        case .array: JSON(elements: nodes.lazy.map(\.value))
        case .object: JSON(members: zip(names, nodes).lazy.map { ($0, $1.value) })
        }
    }

    var count: Int { nodes.count }

    func set(_ value: JSON) {
        kind = .scalar(value)
    }

    func beginArray() {
        kind = .array
    }

    func beginObject() {
        kind = .object
    }

    /// A new element at the end.
    func element() -> EncodingNode {
        let node = EncodingNode(path: path + [IndexKey(nodes.count)])
        nodes.append(node)
        return node
    }

    /// The member of a name.
    func member(_ key: any CodingKey) -> EncodingNode {
        let name = MemberName(key.stringValue)
        if let place = places[name] { return nodes[place] }
        let node = EncodingNode(path: path + [key])
        places[name] = nodes.count
        names.append(key.stringValue)
        nodes.append(node)
        return node
    }
}

/// The index of an element, as a key.
struct IndexKey: CodingKey {
    let index: Int

    init(_ index: Int) {
        self.index = index
    }

    init?(stringValue: String) { nil }
    init?(intValue: Int) { self.init(intValue) }
    var stringValue: String { String(index) }
    var intValue: Int? { index }
}

/// The name of the part that belongs to a superclass.
struct SuperKey: CodingKey {
    init() {}
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
    var stringValue: String { "super" }
    var intValue: Int? { nil }
}

/// Makes the JSON value of a model, part by part.
struct ModelEncoder: Encoder {
    let node: EncodingNode
    let coder: ModelCoder

    init(_ node: EncodingNode, _ coder: ModelCoder) {
        self.node = node
        self.coder = coder
    }

    var codingPath: [any CodingKey] { node.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.beginObject()
        return KeyedEncodingContainer(ObjectEncoding<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.beginArray()
        return ArrayEncoding(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        ScalarEncoding(encoder: self)
    }

    func encode(_ value: some Encodable) throws {
        switch value {
        case let date as Date: node.set(try coder.dates.encode(date, self))
        case let decimal as Decimal: node.set(try number(text: decimal.description))
        default: try value.encode(to: self)
        }
    }

    func number(_ value: some BinaryInteger) throws -> JSON { try number(text: "\(value)") }

    /// A number as short as possible. One that JSON does not have is an error.
    func number(_ value: some BinaryFloatingPoint & LosslessStringConvertible) throws -> JSON {
        let text = value.description
        return try number(text: text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }

    private func number(text: String) throws -> JSON {
        guard let number = try? JSON(parsing: text), number.kind == .number else {
            throw EncodingError.invalidValue(
                text, .init(codingPath: codingPath, debugDescription: "JSON has no \(text)."))
        }
        return number
    }
}

private struct ScalarEncoding: SingleValueEncodingContainer {
    let encoder: ModelEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() { encoder.node.set(.null) }
    func encode(_ value: Bool) { encoder.node.set(JSON(value)) }
    func encode(_ value: String) { encoder.node.set(JSON(value)) }
    func encode(_ value: Double) throws { encoder.node.set(try encoder.number(value)) }
    func encode(_ value: Float) throws { encoder.node.set(try encoder.number(value)) }
    func encode(_ value: Int) throws { encoder.node.set(try encoder.number(value)) }
    func encode(_ value: Int8) throws { encoder.node.set(try encoder.number(value)) }
    func encode(_ value: Int16) throws { encoder.node.set(try encoder.number(value)) }
    func encode(_ value: Int32) throws { encoder.node.set(try encoder.number(value)) }
    func encode(_ value: Int64) throws { encoder.node.set(try encoder.number(value)) }
    func encode(_ value: UInt) throws { encoder.node.set(try encoder.number(value)) }
    func encode(_ value: UInt8) throws { encoder.node.set(try encoder.number(value)) }
    func encode(_ value: UInt16) throws { encoder.node.set(try encoder.number(value)) }
    func encode(_ value: UInt32) throws { encoder.node.set(try encoder.number(value)) }
    func encode(_ value: UInt64) throws { encoder.node.set(try encoder.number(value)) }
    func encode<Value: Encodable>(_ value: Value) throws { try encoder.encode(value) }
}

private struct ArrayEncoding: UnkeyedEncodingContainer {
    let encoder: ModelEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.count }

    private func next() -> ModelEncoder { ModelEncoder(encoder.node.element(), encoder.coder) }

    func encodeNil() { next().node.set(.null) }
    func encode<Value: Encodable>(_ value: Value) throws { try next().encode(value) }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        next().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
    func superEncoder() -> any Encoder { next() }
}

private struct ObjectEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ModelEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    private func member(_ key: any CodingKey) -> ModelEncoder {
        ModelEncoder(encoder.node.member(key), encoder.coder)
    }

    func encodeNil(forKey key: Key) { member(key).node.set(.null) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try member(key).encode(value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        member(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { member(SuperKey()) }
    func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}
