/// A fingerprint of a value in 128 bits: equal values have equal hashes, whatever their edit
/// history.
///
/// The same in every process, so it can be stored. Different hashes mean different values, but
/// equal hashes prove nothing, since collisions can be made on purpose. So `==` compares the values
/// themselves when their hashes are equal.
public struct ContentHash: Hashable, Sendable {
    /// The first 64 bits.
    public let high: UInt64
    /// The other 64 bits.
    public let low: UInt64

    /// A hash that was stored.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// The constants of a hash.
struct HashKey: Sendable {
    let mixA, mixB, mixC, mixD: UInt64
    let baseA, baseB: UInt64

    init(words: (UInt64, UInt64, UInt64, UInt64)) {
        mixA = words.0 | 1
        mixB = words.1 | 1
        mixC = words.2 | 1
        mixD = words.3 | 1
        baseA = Polynomial.base(words.0 ^ words.2.byteSwapped)
        baseB = Polynomial.base(words.1 ^ words.3.byteSwapped)
    }

    /// The key of content hashes. It never changes: journals store hashes that were made with it.
    static let content = HashKey(
        words: (
            0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb,
            0xd6e8_feb8_6659_fd93
        ))

    /// The key of tables in memory, another one in each process: no client can choose names that
    /// collide in them.
    static let tables = HashKey(
        words: (
            .random(in: 0 ... .max), .random(in: 0 ... .max), .random(in: 0 ... .max),
            .random(in: 0 ... .max)
        ))
}

extension HashKey {
    /// The kind of the hashed item, so that `"1"` and `1` differ.
    enum Domain: UInt64 {
        case null = 0x11
        case bool, integer, decimal, number, short, string, rope, array, object, key
    }

    @inline(__always)
    static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    /// Two words of one domain, hashed.
    @inline(__always)
    func hash(_ domain: Domain, _ first: UInt64, _ second: UInt64) -> ContentHash {
        let left = HashKey.fold(first ^ mixA, second ^ mixB ^ domain.rawValue)
        let right = HashKey.fold(first &+ mixC, (second &+ domain.rawValue) ^ mixD)
        return ContentHash(
            high: HashKey.fold(left ^ mixC, right ^ mixB),
            low: HashKey.fold(left &+ mixD, right ^ mixA) ^ right)
    }

    /// Bytes of one domain, hashed. O(n).
    func hash(_ domain: Domain, _ bytes: Span<UInt8>) -> ContentHash {
        var left = mixA ^ UInt64(truncatingIfNeeded: bytes.count)
        var right = mixB
        var index = 0
        while index + 8 <= bytes.count {
            let word = bytes.word(at: index)
            left = HashKey.fold(left ^ word, mixC)
            right = HashKey.fold(right &+ word, mixD) ^ left
            index += 8
        }
        var tail: UInt64 = 0
        while index < bytes.count {
            tail = tail << 8 | UInt64(bytes[index])
            index += 1
        }
        return hash(domain, left ^ tail, right &+ tail)
    }
}

extension ContentHash {
    /// The contribution of a member, with this name's hash and a value with `value`'s hash, to its
    /// object.
    @inline(__always)
    func member(_ value: ContentHash, _ key: HashKey) -> Lanes {
        Lanes(
            high: HashKey.fold(high ^ key.mixA, value.high ^ key.mixB),
            low: HashKey.fold(low ^ key.mixC, value.low ^ key.mixD))
    }
}
