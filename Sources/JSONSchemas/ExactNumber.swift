import JSONTree

/// A number as it is written, compared without rounding.
struct ExactNumber: Sendable {
    private let isNegative: Bool
    /// Without zeros at either end; empty for zero.
    private let digits: [UInt8]
    /// The power of ten of the last digit.
    private let exponent: Int

    /// `nil` for values that are not numbers, or whose exponent is out of range.
    init?(_ json: JSON) {
        guard let text = json.numberText else { return nil }
        var rest = Substring(text)
        isNegative = rest.first == "-"
        if isNegative { rest.removeFirst() }
        let parts = rest.split(whereSeparator: { $0 == "e" || $0 == "E" })
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        guard let power = parts.count > 1 ? Int(parts[1]) : 0, power.magnitude < 1 << 40 else {
            return nil
        }
        let fraction = mantissa.count > 1 ? mantissa[1] : ""
        let all = Array((mantissa[0] + fraction).utf8).drop { $0 == 0x30 }
        let zeros = all.reversed().prefix { $0 == 0x30 }.count
        digits = all.dropLast(zeros).map { $0 - 0x30 }
        exponent = digits.isEmpty ? 0 : power - fraction.utf8.count + zeros
    }

    /// Whether it has no fraction.
    var isWhole: Bool { exponent >= 0 }

    /// The whole number that it is, if it is small enough to count with.
    var count: Int? {
        guard isWhole, !isNegative, digits.count + exponent <= 18 else { return nil }
        let value = digits.reduce(0) { $0 * 10 + Int($1) }
        return (0..<exponent).reduce(value) { value, _ in value * 10 }
    }

    /// The same number in the one way to write it.
    var plain: JSON {
        if digits.isEmpty { return 0 }
        let text = digits.map { String($0) }.joined()
        let written = "\(isNegative ? "-" : "")\(text)\(exponent == 0 ? "" : "e\(exponent)")"
        return (try? JSON(parsing: Array(written.utf8))) ?? .null
    }

    private var isPositive: Bool { !isNegative && !digits.isEmpty }

    static func < (left: ExactNumber, right: ExactNumber) -> Bool {
        if left.sign != right.sign { return left.sign < right.sign }
        return left.sign < 0 ? right.isSmaller(than: left) : left.isSmaller(than: right)
    }

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

    /// Compares without signs.
    private func isSmaller(than other: ExactNumber) -> Bool {
        let (size, otherSize) = (digits.count + exponent, other.digits.count + other.exponent)
        if size != otherSize { return size < otherSize }
        // Both have no zeros at the end: the longer one of equal beginnings is larger.
        return digits.lexicographicallyPrecedes(other.digits)
    }

    /// Whether it is a whole number of times another one, whose digits fit in 64 bits.
    func isMultiple(of other: ExactNumber) -> Bool {
        if digits.isEmpty { return true }
        // Its last digit is not zero, so no power of ten divides it.
        guard exponent >= other.exponent else { return false }
        let divisor = other.digits.reduce(UInt64(0)) { $0 * 10 + UInt64($1) }
        func times(_ left: UInt64, _ right: UInt64) -> UInt64 {
            divisor.dividingFullWidth(left.multipliedFullWidth(by: right)).remainder
        }
        let ten = 10 % divisor
        var rest = digits.reduce(UInt64(0)) { (times($0, ten) + UInt64($1) % divisor) % divisor }
        var (power, count) = (ten, exponent - other.exponent)
        while count > 0 {
            if count & 1 == 1 { rest = times(rest, power) }
            power = times(power, power)
            count >>= 1
        }
        return rest == 0
    }

    /// Whether others can be divided by it: its digits fit.
    var isDivisor: Bool { isPositive && digits.count <= 18 }
}
