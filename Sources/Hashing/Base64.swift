import CNettle

extension [UInt8] {
    /// Four letters for three bytes, with padding (RFC 4648 section 4).
    public var base64: String {
        var text = [CChar](repeating: 0, count: (count + 2) / 3 * 4)
        unsafe nettle_base64_encode_raw(&text, count, self)
        return String(decoding: text.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The bytes that letters stand for; `nil` if they are no base64 with its padding.
    public init?(base64 text: some StringProtocol) {
        let letters = text.utf8.map { CChar(bitPattern: $0) }
        // White space would be passed over.
        guard letters.count % 4 == 0, !text.utf8.contains(where: { $0 <= 0x20 }) else { return nil }
        var context = unsafe base64_decode_ctx()
        var bytes = [UInt8](repeating: 0, count: (letters.count + 1) * 6 / 8)
        var count = 0
        unsafe nettle_base64_decode_init(&context)
        guard
            unsafe nettle_base64_decode_update(
                &context, &count, &bytes, letters.count, letters) == 1,
            unsafe nettle_base64_decode_final(&context) == 1
        else { return nil }
        self = Array(bytes[..<count])
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

    /// The bytes that letters stand for in addresses and tokens: `-` and `_` in the place of `+`
    /// and `/`, and no padding (RFC 4648 section 5, RFC 7515); `nil` if they are none.
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
