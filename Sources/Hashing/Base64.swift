import COpenSSL

extension [UInt8] {
    /// Four letters for three bytes, with padding (RFC 4648 section 4).
    public var base64: String {
        var text = [UInt8](repeating: 0, count: (count + 2) / 3 * 4 + 1)
        unsafe EVP_EncodeBlock(&text, self, Int32(count))
        return String(decoding: text.dropLast(), as: UTF8.self)
    }

    /// The bytes of a base64 text; `nil` if it is malformed or has no padding.
    public init?(base64 text: some StringProtocol) {
        let letters = Array(text.utf8)
        var bytes = [UInt8](repeating: 0, count: letters.count / 4 * 3)
        guard letters.count % 4 == 0,
            unsafe EVP_DecodeBlock(&bytes, letters, Int32(letters.count)) == bytes.count
        else { return nil }
        let padding = letters.suffix(2).count { $0 == UInt8(ascii: "=") }
        bytes.removeLast(Swift.min(padding, bytes.count))
        // libcrypto skips white space, and does not see that bits behind the last byte are set.
        guard bytes.base64.utf8.elementsEqual(letters) else { return nil }
        self = bytes
    }
}

extension [UInt8] {
    /// Letters for addresses and tokens: `-` and `_` in the place of `+` and `/`, and no padding
    /// (RFC 4648 section 5).
    public var base64url: String {
        let letters = base64.utf8.prefix { $0 != UInt8(ascii: "=") }.map { letter in
            switch letter {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: letter
            }
        }
        return String(decoding: letters, as: UTF8.self)
    }

    /// The bytes of a text in the alphabet for addresses and tokens: `-` and `_` in the place of
    /// `+` and `/`, and no padding (RFC 4648 section 5, RFC 7515); `nil` if it is malformed.
    public init?(base64url text: some StringProtocol) {
        var letters: [UInt8] = []
        for letter in text.utf8 {
            switch letter {
            case UInt8(ascii: "-"): letters.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): letters.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: letters.append(letter)
            }
        }
        if letters.count % 4 == 1 { return nil }
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - letters.count % 4) % 4)
        self.init(base64: String(decoding: letters + padding, as: UTF8.self))
    }
}
