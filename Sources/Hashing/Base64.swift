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
