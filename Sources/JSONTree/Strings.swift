/// A string of up to 14 UTF-8 bytes, kept inside the value.
struct ShortString: Sendable {
    static let bytesMax = 14

    private var low: UInt64 = 0
    private var middle: UInt32 = 0
    private var high: UInt16 = 0
    let count: UInt8

    init(_ bytes: ArraySlice<UInt8>) {
        precondition(bytes.count <= ShortString.bytesMax, "a short string has up to 14 bytes")
        count = UInt8(bytes.count)
        var upper: UInt64 = 0
        for (offset, byte) in bytes.enumerated() {
            if offset < 8 {
                low |= UInt64(byte) << UInt64(8 * offset)
            } else {
                upper |= UInt64(byte) << UInt64(8 * (offset - 8))
            }
        }
        middle = UInt32(truncatingIfNeeded: upper)
        high = UInt16(truncatingIfNeeded: upper >> 32)
    }

    @inline(__always)
    private var upper: UInt64 { UInt64(middle) | UInt64(high) << 32 }

    @inline(__always)
    func byte(at offset: Int) -> UInt8 {
        offset < 8
            ? UInt8(truncatingIfNeeded: low >> UInt64(8 * offset))
            : UInt8(truncatingIfNeeded: upper >> UInt64(8 * (offset - 8)))
    }

    var bytes: [UInt8] {
        (0..<Int(count)).map { byte(at: $0) }
    }

    func hash(_ domain: HashKey.Domain) -> ContentHash {
        HashKey.current.hash(domain, low, upper | UInt64(count) << 56)
    }

    /// The string's length as JSON text, quotes included.
    var quotedCount: Int {
        (0..<Int(count)).reduce(2) { $0 + Quoting.width(of: byte(at: $1)) }
    }
}

/// A string in one piece, with its hash.
final class StringNode: Sendable {
    let bytes: [UInt8]
    let hash: ContentHash
    /// The length as JSON text, quotes included.
    let quotedCount: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        hash = HashKey.current.hash(.string, bytes[...])
        quotedCount = 2 + Quoting.width(of: bytes[...])
    }
}

/// The name of an object's member.
final class MemberName: Sendable {
    let bytes: [UInt8]
    let hash: ContentHash
    let quotedCount: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        hash = MemberName.hash(bytes[...])
        quotedCount = 2 + Quoting.width(of: bytes[...])
    }

    convenience init(_ text: String) {
        self.init(Array(text.utf8))
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    static func hash(_ bytes: ArraySlice<UInt8>) -> ContentHash {
        HashKey.current.hash(.key, bytes)
    }
}

extension MemberName: Comparable, Hashable {
    func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }

    static func == (left: MemberName, right: MemberName) -> Bool {
        left === right || (left.hash == right.hash && left.bytes == right.bytes)
    }

    /// Order by UTF-8 bytes; never Unicode's canonical order, in which different names are equal.
    static func < (left: MemberName, right: MemberName) -> Bool {
        let common = min(left.bytes.count, right.bytes.count)
        for index in 0..<common where left.bytes[index] != right.bytes[index] {
            return left.bytes[index] < right.bytes[index]
        }
        return left.bytes.count < right.bytes.count
    }
}

extension JSON {
    /// The string with these UTF-8 bytes, which the caller has checked.
    static func string(bytes: [UInt8]) -> JSON {
        if bytes.count <= ShortString.bytesMax { return JSON(.short(ShortString(bytes[...]))) }
        if bytes.count < Rope.bytesMin { return JSON(.string(StringNode(bytes))) }
        return JSON(.rope(Rope.build(bytes[...])))
    }

    /// The same, for a part of a larger text.
    static func string(slice: ArraySlice<UInt8>) -> JSON {
        slice.count <= ShortString.bytesMax
            ? JSON(.short(ShortString(slice))) : string(bytes: Array(slice))
    }
}
