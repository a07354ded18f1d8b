import FoundationEssentials
import JSONTree

/// Reads a model from a JSON value, part by part.
struct ModelDecoder: Decoder {
    let value: JSON
    let codingPath: [any CodingKey]
    let coder: ModelCoder

    init(_ value: JSON, path: [any CodingKey], _ coder: ModelCoder) {
        self.value = value
        codingPath = path
        self.coder = coder
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        switch type {
        case is Date.Type:
            guard let date = coder.dates.decode(value) as? Value else {
                throw mismatch(type, "a date")
            }
            return date
        case is Decimal.Type:
            guard let text = value.numberText, let number = Decimal(string: text) as? Value else {
                throw mismatch(type, "a number")
            }
            return number
        default: return try type.init(from: self)
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard value.kind == .object else { throw mismatch(type, "an object") }
        return KeyedDecodingContainer(ObjectDecoding<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = value.elements else { throw mismatch([JSON].self, "an array") }
        return ArrayDecoding(decoder: self, elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        ScalarDecoding(decoder: self)
    }

    /// An integer, also where it is written with a point or an exponent.
    func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Value {
        guard let text = value.numberText else { throw mismatch(type, "a number") }
        if let number = Value(text) { return number }
        guard let number = Double(text), let exact = Value(exactly: number) else {
            throw mismatch(type, "a number that fits \(type)")
        }
        return exact
    }

    func mismatch(_ type: Any.Type, _ wanted: String) -> DecodingError {
        DecodingError.typeMismatch(
            type,
            .init(
                codingPath: codingPath,
                debugDescription: "Expected \(wanted), and found \(value.kind.rawValue)."))
    }

    /// The decoder of a part.
    func part(_ value: JSON, _ key: any CodingKey) -> ModelDecoder {
        ModelDecoder(value, path: codingPath + [key], coder)
    }
}

private struct ScalarDecoding: SingleValueDecodingContainer {
    let decoder: ModelDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }
    private var value: JSON { decoder.value }

    init(decoder: ModelDecoder) {
        self.decoder = decoder
    }

    func decodeNil() -> Bool { value.kind == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard let found = value.bool else { throw decoder.mismatch(type, "a truth value") }
        return found
    }

    func decode(_ type: String.Type) throws -> String {
        guard let found = value.string else { throw decoder.mismatch(type, "a string") }
        return found
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard let number = value.numberText.flatMap({ Double($0) }) else {
            throw decoder.mismatch(type, "a number")
        }
        return number
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_ type: Int.Type) throws -> Int { try decoder.integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try decoder.integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try decoder.integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try decoder.integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try decoder.integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try decoder.integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.integer(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type) }
}

private struct ArrayDecoding: UnkeyedDecodingContainer {
    let decoder: ModelDecoder
    let elements: [JSON]
    var currentIndex = 0

    init(decoder: ModelDecoder, elements: [JSON]) {
        self.decoder = decoder
        self.elements = elements
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    private mutating func next() throws -> ModelDecoder {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                JSON.self,
                .init(codingPath: codingPath, debugDescription: "The array has no more elements."))
        }
        defer { currentIndex += 1 }
        return decoder.part(elements[currentIndex], IndexKey(currentIndex))
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex].kind == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next().decode(type)
    }

    mutating func nestedContainer<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try next() }
}

private struct ObjectDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ModelDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        (decoder.value.members ?? []).compactMap { Key(stringValue: $0.name) }
    }

    func contains(_ key: Key) -> Bool { decoder.value[key.stringValue] != nil }

    private func member(_ key: any CodingKey) throws -> ModelDecoder {
        guard let value = decoder.value[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "The member is missing."))
        }
        return decoder.part(value, key)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).value.kind == .null }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try member(key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try member(SuperKey()) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}
