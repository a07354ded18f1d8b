import COpenSSL

extension [UInt8] {
    /// Whether both are the same; takes as long wherever they differ.
    public func isSameSeal(as other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        return zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension SHA256 {
    /// Whether who sends bytes knows a secret: HMAC with SHA-256 (RFC 2104), 32 bytes. O(n).
    public static func authentication(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Digest.byteCount)
        unsafe HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &digest, nil)
        return digest
    }
}
