/// Requests that libmicrohttpd 0.9.75 accepts although RFC 9112 forbids them: those in whose bytes
/// a proxy and this server could see two different requests.
package struct FieldChecks {
    /// More fields than any client sends.
    static let countMax = 64

    /// Fields that must not be repeated.
    private static let singular = [
        "host", "content-length", "transfer-encoding", "content-type", "authorization",
        "idempotency-key", "expect", "versiond-actor", "versiond-prompt-by",
    ]

    package private(set) var fields = HTTPFields()
    package private(set) var fault: HTTPFault?

    package init() {}

    package mutating func add(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard fault == nil else { return }
        let text = unsafe FieldChecks.lowercased(name)
        let isSingular = FieldChecks.singular.contains(text)
        if unsafe name.isEmpty || !name.allSatisfy(FieldChecks.isTokenCharacter) {
            fault = .badField("a field name has an invalid character")
        } else if unsafe !value.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7f) }) {
            fault = .badField("the value of \(text) has a control character")
        } else if isSingular && fields[text] != nil {
            let isFraming = text == "content-length" || text == "transfer-encoding"
            fault =
                isFraming
                ? .ambiguousFraming("\(text) is repeated") : .badField("\(text) is repeated")
        } else if unsafe value.isEmpty, let folded = FieldChecks.foldedName(text) {
            fault = .ambiguousFraming("\(folded) is folded over two lines")
        } else if fields.all.count >= FieldChecks.countMax {
            fault = .tooManyFields(max: FieldChecks.countMax)
        } else {
            unsafe fields.append(text, String(decoding: value, as: UTF8.self))
        }
    }

    private static func lowercased(_ name: UnsafeRawBufferPointer) -> String {
        unsafe String(unsafeUninitializedCapacity: name.count) { text in
            for index in name.indices {
                let byte = unsafe name[index]
                unsafe text[index] = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
            }
            return name.count
        }
    }

    /// libmicrohttpd 0.9.75 glues the second line of a folded field to its name and leaves the
    /// value empty: the field that a proxy sees, and that we must not miss.
    private static func foldedName(_ name: String) -> String? {
        let known = singular + ["if-match", "if-none-match"]
        return known.first { name.count > $0.count && name.hasPrefix($0) }
    }

    /// The checks that need all fields.
    package func framingFault(isHTTP10: Bool) -> HTTPFault? {
        if let fault { return fault }
        if let expected = fields["expect"], expected.lowercased() != "100-continue" {
            return .badField("expect must be 100-continue")
        }
        if let length = fields["content-length"] {
            if fields["transfer-encoding"] != nil {
                return .ambiguousFraming("content-length and transfer-encoding exclude each other")
            }
            if length.isEmpty || !length.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
                return .ambiguousFraming("content-length is not a number")
            }
        }
        guard let coding = fields["transfer-encoding"] else { return nil }
        if isHTTP10 { return .ambiguousFraming("HTTP/1.0 does not support transfer-encoding") }
        return coding.lowercased() == "chunked"
            ? nil : .ambiguousFraming("transfer-encoding must be chunked")
    }

    /// RFC 9110 section 5.6.2.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"): true
        default: "!#$%&'*+.^_`|~".utf8.contains(byte)
        }
    }
}
