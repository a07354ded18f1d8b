import Hashing

/// A secret that identifies a grant. Only its hash is stored.
public struct Token: Sendable {
    /// The secret that the client sends.
    public let secret: String

    /// A new secret of 256 random bits.
    public init() {
        // On Linux the kernel's own generator, which is fit for secrets.
        var random = SystemRandomNumberGenerator()
        let bits = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
        secret = "vd_" + bits.base64url
    }

    /// The hash of a secret: 64 hexadecimal digits (SHA-256). The secret has 256 random bits, so
    /// guessing is not possible, and a slow hash is not needed.
    public static func hash(of secret: String) -> String {
        SHA256.hash(Array(secret.utf8)).hexadecimal
    }
}
