import Foundation

/// When a certificate ends, as it says itself: for a warning in time. Nothing else of it is read,
/// and nothing is checked: that the TLS library does.
enum CertificateExpiry {
    /// The `notAfter` of the first certificate in a PEM text (RFC 5280); `nil` if there is none.
    static func date(ofPEM text: String) -> Date? {
        guard let begin = text.range(of: "-----BEGIN CERTIFICATE-----"),
            let end = text.range(of: "-----END CERTIFICATE-----"),
            begin.upperBound < end.lowerBound,
            let bytes = Data(
                base64Encoded: String(text[begin.upperBound..<end.lowerBound]),
                options: .ignoreUnknownCharacters)
        else { return nil }
        return date(ofDER: [UInt8](bytes))
    }

    private static func date(ofDER bytes: [UInt8]) -> Date? {
        var outer = Elements(bytes[...])
        guard let certificate = outer.next() else { return nil }
        var parts = Elements(certificate.content)
        guard let signed = parts.next() else { return nil }
        var fields = Elements(signed.content)
        // The version may be left out; then serial number, algorithm, issuer.
        var field = fields.next()
        if field?.tag == 0xa0 { field = fields.next() }
        for _ in 0..<2 { field = fields.next() }
        guard field != nil, let validity = fields.next() else { return nil }
        var times = Elements(validity.content)
        guard times.next() != nil, let last = times.next() else { return nil }
        return date(last)
    }

    /// UTCTime or GeneralizedTime.
    private static func date(_ element: (tag: UInt8, content: ArraySlice<UInt8>)) -> Date? {
        var digits = String(decoding: element.content, as: UTF8.self)
        if element.tag == 0x17 {
            digits = ((Int(digits.prefix(2)) ?? 0) < 50 ? "20" : "19") + digits
        }
        guard digits.count == 15, digits.hasSuffix("Z") else { return nil }
        var numbers: [Int] = []
        var rest = digits.dropLast()[...]
        for count in [4, 2, 2, 2, 2, 2] {
            guard let number = Int(rest.prefix(count)) else { return nil }
            numbers.append(number)
            rest = rest.dropFirst(count)
        }
        let text = numbers.dropFirst().map { ($0 < 10 ? "0" : "") + String($0) }
        return try? Date(
            "\(numbers[0])-\(text[0])-\(text[1])T\(text[2]):\(text[3]):\(text[4])Z",
            strategy: .iso8601)
    }

    /// The elements of a structure (X.690): a tag, a length, and that number of bytes.
    private struct Elements {
        private var rest: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

        mutating func next() -> (tag: UInt8, content: ArraySlice<UInt8>)? {
            guard let tag = rest.popFirst(), let first = rest.popFirst() else { return nil }
            var count = Int(first)
            if first >= 0x80 {
                let size = Int(first & 0x7f)
                guard (1...4).contains(size), rest.count >= size else { return nil }
                count = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(size)
            }
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return (tag, rest.prefix(count))
        }
    }
}
