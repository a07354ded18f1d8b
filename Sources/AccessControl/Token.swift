import Hashing

/// A secret that stands for a grant. Only its hash is kept.
public struct Token: Sendable {
    /// What the client sends.
    public let secret: String

    /// A new secret of 256 random bits.
    public init() {
        // On Linux the kernel's own generator, which is fit for secrets.
        var random = SystemRandomNumberGenerator()
        let bits = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
        secret = "vd_" + Token.text(bits)
    }

    /// The hash of a secret: 64 hexadecimal digits (SHA-256). The secret has 256 random bits, so
    /// nobody can find it by trying, and no slow hash is needed.
    public static func hash(of secret: String) -> String {
        SHA256.hash(Array(secret.utf8)).hexadecimal
    }

    /// Base64 for addresses, without padding (RFC 4648 section 5).
    private static func text(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        var (word, bits) = (0, 0)
        for byte in bytes {
            (word, bits) = (word << 8 | Int(byte), bits + 8)
            while bits >= 6 {
                bits -= 6
                text.append(digits[word >> bits & 63])
            }
        }
        if bits > 0 { text.append(digits[word << (6 - bits) & 63]) }
        return String(decoding: text, as: UTF8.self)
    }
}
