import Glibc

/// The address of a client, as 16 bytes of IPv6; an IPv4 address is mapped into that.
///
/// Words and not a text: each request has it, and hardly any log asks for it.
public struct HTTPAddress: Sendable, Equatable, CustomStringConvertible {
    let high, low: UInt64

    /// The address of these words, in the order of the network.
    init(high: UInt64, low: UInt64) {
        self.high = UInt64(bigEndian: high)
        self.low = UInt64(bigEndian: low)
    }

    /// As people write it: `192.0.2.7`, `2001:db8::7`.
    public var description: String {
        if high == 0, low >> 32 == 0xffff {
            return (0..<4).map { "\(low >> (24 - 8 * $0) & 0xff)" }.joined(separator: ".")
        }
        var words = [high.bigEndian, low.bigEndian]
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let isWritten = unsafe words.withUnsafeMutableBytes { bytes in
            unsafe inet_ntop(AF_INET6, bytes.baseAddress, &text, socklen_t(text.count)) != nil
        }
        let letters = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return isWritten ? String(decoding: letters, as: UTF8.self) : ""
    }
}
