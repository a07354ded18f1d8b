/// The hash of a sequence that does not depend on how the sequence is cut into nodes.
///
/// Two polynomials modulo 2^61 - 1, with secret bases: the hash of a concatenation follows from the
/// hashes of the two parts and the powers of the bases at the second part's length.
struct Polynomial: Equatable, Sendable {
    private(set) var a: UInt64 = 0
    private(set) var b: UInt64 = 0
    private(set) var powerA: UInt64 = 1
    private(set) var powerB: UInt64 = 1

    static let modulus: UInt64 = (1 << 61) - 1

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
    private static func multiplyAdd(_ x: UInt64, _ y: UInt64, _ z: UInt64) -> UInt64 {
        let product = x.multipliedFullWidth(by: y)
        let folded = (product.low & modulus) &+ (product.low >> 61 | product.high << 3)
        return reduce(reduce(folded) &+ z)
    }

    /// Appends one element, given as two words.
    @inline(__always)
    mutating func append(_ first: UInt64, _ second: UInt64, key: HashKey) {
        a = Polynomial.multiplyAdd(a, key.baseA, Polynomial.reduce(first))
        b = Polynomial.multiplyAdd(b, key.baseB, Polynomial.reduce(second))
        powerA = Polynomial.multiplyAdd(powerA, key.baseA, 0)
        powerB = Polynomial.multiplyAdd(powerB, key.baseB, 0)
    }

    /// Appends a whole sequence.
    @inline(__always)
    mutating func append(_ other: Polynomial) {
        a = Polynomial.multiplyAdd(a, other.powerA, other.a)
        b = Polynomial.multiplyAdd(b, other.powerB, other.b)
        powerA = Polynomial.multiplyAdd(powerA, other.powerA, 0)
        powerB = Polynomial.multiplyAdd(powerB, other.powerB, 0)
    }

    /// A one-way finish, so that the linear sums are never seen.
    func hash(_ domain: HashKey.Domain, count: Int) -> ContentHash {
        HashKey.current.hash(domain, a ^ (UInt64(truncatingIfNeeded: count) << 32), b)
    }
}
