/// The hash of a sequence that does not depend on how the sequence is cut into nodes.
///
/// Two polynomials modulo 2^61 - 1, with secret bases: the hash of a concatenation follows from the
/// hashes of the two parts and the length of the second.
struct Polynomial: Equatable, Sendable {
    private var a: UInt64 = 0
    private var b: UInt64 = 0

    static let modulus: UInt64 = (1 << 61) - 1

    init(_ lanes: Lanes = Lanes()) {
        a = lanes.high
        b = lanes.low
    }

    /// A sequence of one element, given as two words.
    @inline(__always)
    init(_ first: UInt64, _ second: UInt64) {
        a = Polynomial.reduce(first)
        b = Polynomial.reduce(second)
    }

    var lanes: Lanes { Lanes(high: a, low: b) }

    /// A base drawn from `word`: large, and below the modulus.
    static func base(_ word: UInt64) -> UInt64 {
        (word & (modulus >> 1)) | (1 << 59) | 1
    }

    @inline(__always)
    private static func reduce(_ value: UInt64) -> UInt64 {
        let folded = (value & modulus) &+ (value >> 61)
        return folded >= modulus ? folded &- modulus : folded
    }

    @inline(__always)
    static func multiplyAdd(_ x: UInt64, _ y: UInt64, _ z: UInt64) -> UInt64 {
        let product = x.multipliedFullWidth(by: y)
        let folded = (product.low & modulus) &+ (product.low >> 61 | product.high << 3)
        return reduce(reduce(folded) &+ z)
    }

    @inline(__always)
    private static func subtract(_ x: UInt64, _ y: UInt64) -> UInt64 {
        x >= y ? x &- y : x &+ modulus &- y
    }

    /// Appends one element, given as two words.
    @inline(__always)
    mutating func append(_ first: UInt64, _ second: UInt64, _ key: HashKey) {
        a = Polynomial.multiplyAdd(a, key.baseA, Polynomial.reduce(first))
        b = Polynomial.multiplyAdd(b, key.baseB, Polynomial.reduce(second))
    }

    /// Appends a whole sequence of `count` elements.
    mutating func append(_ other: Polynomial, count: Int) {
        let power = Powers.current.power(count)
        a = Polynomial.multiplyAdd(a, power.a, other.a)
        b = Polynomial.multiplyAdd(b, power.b, other.b)
    }

    /// The hash after a part with `following` elements after it was replaced by another one of the
    /// same length.
    func replacing(_ old: Polynomial, by new: Polynomial, following: Int) -> Polynomial {
        let power = Powers.current.power(following)
        return Polynomial(
            Lanes(
                high: Polynomial.multiplyAdd(Polynomial.subtract(new.a, old.a), power.a, a),
                low: Polynomial.multiplyAdd(Polynomial.subtract(new.b, old.b), power.b, b)))
    }

    /// A one-way finish, so that the linear sums are never seen.
    func hash(_ domain: HashKey.Domain, count: Int, _ key: HashKey) -> ContentHash {
        key.hash(domain, a ^ (UInt64(truncatingIfNeeded: count) << 32), b)
    }
}

extension Polynomial {
    /// Appends bytes, each as one element: so the hash does not depend on how a text is cut.
    mutating func append(bytes: Span<UInt8>, _ key: HashKey) {
        let powers = Powers.current
        var index = 0
        // Eight at a time: the products do not wait for each other, and one reduction serves all.
        while index + 8 <= bytes.count {
            var sumA: UInt128 = 0
            var sumB: UInt128 = 0
            for offset in 0..<8 {
                let element = UInt128(bytes[index + offset]) + 1
                sumA &+= element &* UInt128(powers.small[7 - offset].a)
                sumB &+= element &* UInt128(powers.small[7 - offset].b)
            }
            a = Polynomial.multiplyAdd(a, powers.small[8].a, Polynomial.reduce(sumA))
            b = Polynomial.multiplyAdd(b, powers.small[8].b, Polynomial.reduce(sumB))
            index += 8
        }
        while index < bytes.count {
            append(UInt64(bytes[index]) &+ 1, UInt64(bytes[index]) &+ 1, key)
            index += 1
        }
    }

    @inline(__always)
    private static func reduce(_ value: UInt128) -> UInt64 {
        let low = UInt64(truncatingIfNeeded: value) & modulus
        return reduce(low &+ UInt64(truncatingIfNeeded: value >> 61))
    }
}

/// The powers of the two bases, looked up digit by digit of the exponent.
final class Powers: Sendable {
    struct Pair: Sendable {
        var a: UInt64
        var b: UInt64
    }

    private static let digitBits = 5
    private static let digitCount = 1 << digitBits

    static let current = Powers(HashKey.content)

    /// The powers from 0 to 31.
    let small: [Pair]
    /// Behind them the powers whose exponent has one digit only, for every further digit.
    private let table: [Pair]

    private init(_ key: HashKey) {
        var table: [Pair] = []
        var base = Pair(a: key.baseA, b: key.baseB)
        for _ in stride(from: 0, to: Int.bitWidth, by: Powers.digitBits) {
            var power = Pair(a: 1, b: 1)
            for _ in 0..<Powers.digitCount {
                table.append(power)
                power.a = Polynomial.multiplyAdd(power.a, base.a, 0)
                power.b = Polynomial.multiplyAdd(power.b, base.b, 0)
            }
            base = power
        }
        self.table = table
        small = Array(table[..<Powers.digitCount])
    }

    /// Both bases to the power of `exponent`, which is not negative.
    func power(_ exponent: Int) -> Pair {
        var rest = exponent >> Powers.digitBits
        var result = table[exponent & (Powers.digitCount - 1)]
        var start = Powers.digitCount
        while rest > 0 {
            let digit = table[start + (rest & (Powers.digitCount - 1))]
            result.a = Polynomial.multiplyAdd(result.a, digit.a, 0)
            result.b = Polynomial.multiplyAdd(result.b, digit.b, 0)
            rest >>= Powers.digitBits
            start += Powers.digitCount
        }
        return result
    }
}
