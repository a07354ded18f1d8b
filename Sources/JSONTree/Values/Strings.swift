/// A string of up to 14 UTF-8 bytes, kept inside the value.
struct ShortString: Sendable, Equatable {
    static let bytesMax = 14

    private let low: UInt64
    private let middle: UInt32
    private let high: UInt16
    let count: UInt8

    /// The text as two words, the first byte lowest; zero behind the end.
    @inline(__always)
    init(low: UInt64, upper: UInt64, count: Int) {
        self.low = low
        middle = UInt32(truncatingIfNeeded: upper)
        high = UInt16(truncatingIfNeeded: upper >> 32)
        self.count = UInt8(truncatingIfNeeded: count)
    }

    init(_ bytes: Span<UInt8>) {
        precondition(bytes.count <= ShortString.bytesMax, "a short string has up to 14 bytes")
        var (low, upper): (UInt64, UInt64) = (0, 0)
        for offset in bytes.indices {
            if offset < 8 {
                low |= UInt64(bytes[offset]) << UInt64(8 * offset)
            } else {
                upper |= UInt64(bytes[offset]) << UInt64(8 * (offset - 8))
            }
        }
        self.init(low: low, upper: upper, count: bytes.count)
    }

    /// A text of up to 14 bytes.
    init(_ text: String) {
        self.init(Array(text.utf8).span)
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

    @inline(__always)
    func hash(_ key: HashKey) -> ContentHash {
        key.hash(.short, low, upper | UInt64(count) << 56)
    }

    /// The string's length as JSON text, quotes included.
    @inline(__always)
    var quotedCount: Int {
        let count = Int(count)
        if isPlain { return count + 2 }
        return (0..<count).reduce(2) { $0 + Quoting.width(of: byte(at: $1)) }
    }

    /// Whether no byte has to be escaped.
    @inline(__always)
    var isPlain: Bool {
        // Spaces behind the end, which are plain.
        let count = UInt64(count)
        let lowFill = count >= 8 ? 0 : Quoting.spaces << (8 * count)
        let upperFill = count <= 8 ? Quoting.spaces : Quoting.spaces << (8 * (count - 8))
        return Quoting.specials(low | lowFill) | Quoting.specials(upper | upperFill) == 0
    }
}

/// The name of an object's member, with its hash.
///
/// Names share memory: those of one object or one pointer are parts of the same block.
package struct MemberName: Sendable {
    private let block: [UInt8]
    private let start: Int32
    private let count: Int32
    let hash: ContentHash

    package init(_ bytes: [UInt8]) {
        self.init(in: bytes, 0..<bytes.count)
    }

    package init(_ text: String) {
        self.init(Array(text.utf8))
    }

    /// The bytes of `range` in `block`.
    init(in block: [UInt8], _ range: Range<Int>) {
        let hash = MemberName.hash(block.span.extracting(range))
        self.init(in: block, range, hash: hash)
    }

    /// The same, with a hash that is known.
    init(in block: [UInt8], _ range: Range<Int>, hash: ContentHash) {
        self.block = block
        self.hash = hash
        start = Int32(range.lowerBound)
        count = Int32(range.count)
    }

    private var range: Range<Int> { Int(start)..<Int(start) + Int(count) }

    /// The name in UTF-8.
    package var bytes: [UInt8] { count == block.count ? block : Array(block[range]) }

    /// The number of bytes.
    package var byteCount: Int { Int(count) }

    package var text: String { String(decoding: block[range], as: UTF8.self) }

    func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        body(block.span.extracting(range))
    }

    static func hash(_ bytes: Span<UInt8>) -> ContentHash {
        HashKey.content.hash(.key, bytes)
    }
}

extension MemberName: Comparable, Hashable {
    package func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }

    package static func == (left: MemberName, right: MemberName) -> Bool {
        left.hash == right.hash
            && left.withBytes { left in right.withBytes { left.hasSameBytes(as: $0) } }
    }

    /// Order by UTF-8 bytes; never Unicode's canonical order, in which different names are equal.
    package static func < (left: MemberName, right: MemberName) -> Bool {
        left.withBytes { left in
            right.withBytes { right in
                let common = min(left.count, right.count)
                for index in 0..<common where left[index] != right[index] {
                    return left[index] < right[index]
                }
                return left.count < right.count
            }
        }
    }
}

extension JSON {
    /// The string with these UTF-8 bytes, which the caller has checked.
    static func string(_ bytes: Span<UInt8>) -> JSON {
        if bytes.count <= ShortString.bytesMax { return JSON(.short(ShortString(bytes))) }
        if bytes.count < Rope.bytesMin { return JSON(.string(.make(bytes))) }
        return JSON(.rope(Rope.build(bytes)))
    }

    package static func string(bytes: [UInt8]) -> JSON { string(bytes.span) }
}
