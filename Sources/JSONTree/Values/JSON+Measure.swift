/// The facts that a container needs about a contained value.
struct Measure {
    var hash: ContentHash
    var bytes: Int
    var height: Int
    /// Itself and everything in it.
    var values = 1
}

extension JSON {
    /// Hash, length and height in one look. O(1).
    @inline(__always)
    func measure(_ key: HashKey) -> Measure {
        switch storage {
        case .null: Measure(hash: key.hash(.null, 0, 0), bytes: 4, height: 0)
        case .bool(let value):
            Measure(hash: key.hash(.bool, value ? 1 : 0, 0), bytes: value ? 4 : 5, height: 0)
        case .integer(let value):
            Measure(
                hash: key.hash(.integer, UInt64(bitPattern: value), 0),
                bytes: JSON.integerWidth(value), height: 0)
        case .decimal(let mantissa, let scale):
            Measure(
                hash: key.hash(.decimal, UInt64(bitPattern: mantissa), UInt64(scale)),
                bytes: JSON.decimalWidth(mantissa, scale: Int(scale)), height: 0)
        case .number(let text): Measure(hash: text.hash, bytes: text.bytes.count, height: 0)
        case .short(let short):
            Measure(hash: short.hash(key), bytes: short.quotedCount, height: 0)
        case .string(let node): Measure(hash: node.hash, bytes: node.quotedCount, height: 0)
        case .rope(let rope):
            Measure(hash: rope.hash(key), bytes: rope.summary.quoted + 2, height: 0)
        case .array(let array): array.node.measure(.array, key)
        case .object(let object): object.node.measure(.object, key)
        }
    }

    /// The value's content hash. O(1).
    public var contentHash: ContentHash { measure(HashKey.content).hash }

    /// The length of `serialized()`. O(1).
    public var byteCount: Int { measure(HashKey.content).bytes }

    /// How many values there are: itself and everything in it. O(1).
    public var valueCount: Int { node.map { $0.contentValues + 1 } ?? 1 }

    /// How deeply arrays and objects nest: 0 for a scalar, 1 for `[]`. O(1).
    public var height: Int { node?.height ?? 0 }
}

extension Node {
    @inline(__always)
    fileprivate func measure(_ domain: HashKey.Domain, _ key: HashKey) -> Measure {
        Measure(
            hash: key.hash(domain, lanes.high ^ (UInt64(count) << (isObject ? 0 : 32)), lanes.low),
            bytes: count == 0 ? 2 : contentBytes + 1, height: height, values: contentValues + 1)
    }
}

extension JSON {
    /// The string's length in UTF-16 code units, if this is a string. O(n); of a long one O(1).
    package var utf16Count: Int? {
        if case .rope(let rope) = storage { return rope.summary.utf16 }
        return utf8.map { UTF16Offsets.count($0[...]) }
    }
}
