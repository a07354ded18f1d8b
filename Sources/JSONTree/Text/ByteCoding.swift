/// Writes the compact binary forms: numbers as varints, everything else with its length before it.
public struct ByteWriter: Sendable {
    /// The bytes written.
    public private(set) var bytes: [UInt8] = []

    /// An empty writer with room for this number of bytes.
    public init(capacity: Int = 0) {
        if capacity > 0 { bytes.reserveCapacity(capacity) }
    }

    /// One byte.
    public mutating func byte(_ value: UInt8) {
        bytes.append(value)
    }

    /// A non-negative number: seven bits a byte, the lowest first.
    public mutating func number(_ value: Int) {
        var rest = UInt64(value)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// A number with a sign, near zero in few bytes.
    public mutating func signed(_ value: Int) {
        number((value << 1) ^ (value >> (Int.bitWidth - 1)))
    }

    /// Eight bytes, the lowest first.
    public mutating func word(_ value: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    /// Bytes, with their number before them.
    public mutating func block(_ value: [UInt8]) {
        number(value.count)
        bytes.append(contentsOf: value)
    }

    /// Bytes as they are.
    public mutating func append(_ value: some Sequence<UInt8>) {
        bytes.append(contentsOf: value)
    }

    /// Text as UTF-8, with its length in bytes before it.
    public mutating func text(_ value: String) {
        number(value.utf8.count)
        bytes.append(contentsOf: value.utf8)
    }

    /// Text, or the note that there is none.
    public mutating func optionalText(_ value: String?) {
        byte(value == nil ? 0 : 1)
        if let value { text(value) }
    }
}

/// Reads what `ByteWriter` wrote. Bytes that were not written by it are an error, never a crash.
public struct ByteReader: Sendable {
    private var left: ArraySlice<UInt8>

    /// A reader at the beginning of `bytes`.
    public init(_ bytes: [UInt8]) {
        left = bytes[...]
    }

    /// The bytes are not what was written.
    public struct Malformed: Error, Sendable {
        /// A writer that has written nothing.
        public init() {}
    }

    /// Whether everything has been read.
    public var isAtEnd: Bool { left.isEmpty }

    /// How many bytes have not been read.
    public var count: Int { left.count }

    /// All that has not been read.
    public var rest: [UInt8] { Array(left) }

    /// One byte.
    public mutating func byte() throws(Malformed) -> UInt8 {
        guard let byte = left.popFirst() else { throw Malformed() }
        return byte
    }

    /// A non-negative number.
    public mutating func number() throws(Malformed) -> Int {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            let byte = try byte()
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return Int(value) }
        }
        throw Malformed()
    }

    /// A number with a sign.
    public mutating func signed() throws(Malformed) -> Int {
        let value = try number()
        return (value >> 1) ^ -(value & 1)
    }

    /// Eight bytes, the lowest first.
    public mutating func word() throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 8) { value |= UInt64(try byte()) << shift }
        return value
    }

    /// Bytes with their number before them.
    public mutating func block() throws(Malformed) -> [UInt8] {
        Array(try slice())
    }

    /// The same, not copied.
    mutating func slice() throws(Malformed) -> ArraySlice<UInt8> {
        let count = try number()
        guard count <= left.count else { throw Malformed() }
        defer { left = left.dropFirst(count) }
        return left.prefix(count)
    }

    /// Text, which must be UTF-8.
    public mutating func text() throws(Malformed) -> String {
        guard let text = String(validating: try slice(), as: UTF8.self) else { throw Malformed() }
        return text
    }

    /// Text, or `nil` where there was none.
    public mutating func optionalText() throws(Malformed) -> String? {
        try byte() == 0 ? nil : try text()
    }
}
