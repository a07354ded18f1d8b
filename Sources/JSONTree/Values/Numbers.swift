/// A number that does not fit the compact forms, as it was written.
final class NumberText: Sendable {
    let bytes: [UInt8]
    let hash: ContentHash

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        hash = HashKey.content.hash(.number, bytes.span)
    }
}

extension JSON {
    /// The number written as `lexeme`, which follows RFC 8259 section 6.
    ///
    /// Each lexeme has one form, so equal texts have equal hashes.
    static func number(lexeme: ArraySlice<UInt8>) -> JSON {
        var mantissa: Int64 = 0
        var digits = 0
        var scale: UInt8?
        let isNegative = lexeme.first == UInt8(ascii: "-")
        for byte in isNegative ? lexeme.dropFirst() : lexeme {
            switch byte {
            case UInt8(ascii: "."): scale = 0
            case 0x30...0x39 where digits < 18:
                mantissa = mantissa * 10 + Int64(byte - 0x30)
                digits += 1
                scale = scale.map { $0 + 1 }
            default: return JSON(.number(NumberText(Array(lexeme))))
            }
        }
        if isNegative && mantissa == 0 { return JSON(.number(NumberText(Array(lexeme)))) }
        let signed = isNegative ? -mantissa : mantissa
        return JSON(scale.map { .decimal(signed, $0) } ?? .integer(signed))
    }

    /// The number that is written with such digits alone; `nil` for any other text.
    init?(digits: ArraySlice<UInt8>) {
        guard let first = digits.first, digits.count <= 18, first != 0x30 || digits.count == 1
        else { return nil }
        guard digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        self = JSON.number(lexeme: digits)
    }

    /// The number as it was written, if this is one.
    public var numberText: String? {
        numberBytes.map { String(decoding: $0, as: UTF8.self) }
    }

    var numberBytes: [UInt8]? {
        switch storage {
        case .integer(let value): Array(String(value).utf8)
        case .decimal(let mantissa, let scale): JSON.decimalText(mantissa, scale: Int(scale))
        case .number(let text): text.bytes
        default: nil
        }
    }

    static func decimalText(_ mantissa: Int64, scale: Int) -> [UInt8] {
        var digits = Array(String(mantissa.magnitude).utf8)
        if digits.count <= scale {
            digits.insert(
                contentsOf: repeatElement(0x30, count: scale + 1 - digits.count), at: 0)
        }
        digits.insert(UInt8(ascii: "."), at: digits.count - scale)
        return mantissa < 0 ? [UInt8(ascii: "-")] + digits : digits
    }

    /// The length of a decimal as text, without making it.
    static func decimalWidth(_ mantissa: Int64, scale: Int) -> Int {
        max(decimalDigits(mantissa.magnitude), scale + 1) + 1 + (mantissa < 0 ? 1 : 0)
    }

    static func integerWidth(_ value: Int64) -> Int {
        decimalDigits(value.magnitude) + (value < 0 ? 1 : 0)
    }

    @inline(__always)
    private static func decimalDigits(_ magnitude: UInt64) -> Int {
        var count = 1
        var rest = magnitude
        while rest >= 10_000 {
            rest /= 10_000
            count += 4
        }
        return rest < 100 ? (rest < 10 ? count : count + 1) : (rest < 1000 ? count + 2 : count + 3)
    }
}

/// A number's value, whatever its notation: sign, digits without zeros at either end, exponent.
struct NumericValue: Equatable {
    private var isNegative = false
    private var digits: ArraySlice<UInt8> = []
    /// The power of ten of the last digit; `nil` where it does not fit, then `exponentText`
    /// decides.
    private var exponent: Int? = 0
    private var exponentText: ArraySlice<UInt8> = []

    init(_ text: [UInt8]) {
        var rest = text[...]
        if rest.first == UInt8(ascii: "-") {
            isNegative = true
            rest = rest.dropFirst()
        }
        let mark = rest.firstIndex { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }
        let written = mark.map { rest[rest.index(after: $0)...] } ?? []
        var mantissa = rest[..<(mark ?? rest.endIndex)]
        var shift = 0
        if let point = mantissa.firstIndex(of: UInt8(ascii: ".")) {
            shift = mantissa.endIndex - point - 1
            mantissa.remove(at: point)
        }
        trim(mantissa, shift: shift, written: written)
    }

    private mutating func trim(
        _ mantissa: ArraySlice<UInt8>, shift: Int, written: ArraySlice<UInt8>
    ) {
        let leading = mantissa.drop { $0 == 0x30 }
        let trailing = leading.reversed().prefix { $0 == 0x30 }.count
        digits = ArraySlice(Array(leading.dropLast(trailing)))
        guard !digits.isEmpty else {
            isNegative = false
            return
        }
        let sign = written.first == UInt8(ascii: "-") ? -1 : 1
        let size = written.drop { $0 == 0x2b || $0 == 0x2d }.drop { $0 == 0x30 }
        if size.count <= 15 {
            exponent = sign * (Int(String(decoding: size, as: UTF8.self)) ?? 0) - shift + trailing
        } else {
            // Too large to add to: equal only if written with the same exponent and point.
            exponent = nil
            exponentText = (sign < 0 ? [0x2d] : []) + size + Array("|\(trailing - shift)".utf8)
        }
    }
}

extension JSON {
    /// Whether both are equal in the sense of RFC 6902 section 4.6: numbers by value, member order
    /// apart, everything else as written.
    ///
    /// O(1) for values that are written alike, otherwise O(size); never recurses.
    public func isNumericallyEqual(to other: JSON) -> Bool {
        var pending = [(self, other)]
        while let (left, right) = pending.popLast() {
            if left == right { continue }
            guard left.kind == right.kind, left.count == right.count else { return false }
            switch (left.storage, right.storage) {
            case (.array(let before), .array(let after)):
                for index in 0..<before.count {
                    pending.append((before.element(at: index), after.element(at: index)))
                }
            case (.object(let before), .object(let after)):
                var isComplete = true
                before.forEach { name, value in
                    if let match = after.value(for: name) {
                        pending.append((value, match))
                    } else {
                        isComplete = false
                    }
                }
                guard isComplete else { return false }
            default:
                guard let first = left.numberBytes, let second = right.numberBytes,
                    NumericValue(first) == NumericValue(second)
                else { return false }
            }
        }
        return true
    }
}
