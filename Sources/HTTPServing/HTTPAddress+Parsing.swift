import Glibc

extension HTTPAddress {
    /// The address that a text is, `192.0.2.7` or `2001:db8::7`; `nil` if it is none.
    public init?(_ text: some StringProtocol) {
        var plain = in_addr()
        // An IPv4 address is mapped into IPv6.
        let isPlain = unsafe inet_pton(AF_INET, String(text), &plain) == 1
        let text = isPlain ? "::ffff:\(text)" : String(text)
        var words: [UInt64] = [0, 0]
        let isRead = unsafe words.withUnsafeMutableBytes { bytes in
            unsafe inet_pton(AF_INET6, text, bytes.baseAddress) == 1
        }
        guard isRead else { return nil }
        self.init(high: words[0], low: words[1])
    }

    /// Whether its first bits are those of another one.
    func hasPrefix(of other: HTTPAddress, bits: Int) -> Bool {
        let (first, second) = (min(bits, 64), max(0, bits - 64))
        return (high ^ other.high) & HTTPAddress.mask(first) == 0
            && (low ^ other.low) & HTTPAddress.mask(second) == 0
    }

    private static func mask(_ bits: Int) -> UInt64 { bits == 0 ? 0 : .max << (64 - bits) }
}

/// Machines whose addresses begin alike: `10.0.0.0/8`, `2001:db8::/32`, `192.0.2.7`.
public struct HTTPAddressRange: Sendable, Equatable {
    private let first: HTTPAddress
    private let bits: Int

    /// The range that a text is; `nil` if it is none.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let address = HTTPAddress(parts[0]) else {
            return nil
        }
        let all = parts[0].contains(":") ? 128 : 32
        let bits = parts.count == 1 ? all : Int(parts[1]) ?? -1
        guard (0...all).contains(bits) else { return nil }
        (first, self.bits) = (address, 128 - all + bits)
    }

    /// Whether an address is one of them.
    public func contains(_ address: HTTPAddress) -> Bool {
        address.hasPrefix(of: first, bits: bits)
    }
}
