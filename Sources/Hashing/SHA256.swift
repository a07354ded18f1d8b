import COpenSSL

/// The hash SHA-256 (FIPS 180-4), by libcrypto, which libpq has loaded anyway.
public struct SHA256: Sendable {
    private var state = versiond_sha256()

    /// A hash of nothing yet.
    public init() {
        unsafe versiond_sha256_begin(&state)
    }

    /// Adds bytes behind those before. O(n); about 1 GB a second with the processor's instructions
    /// for it.
    public mutating func update(_ bytes: [UInt8]) {
        unsafe versiond_sha256_add(&state, bytes, bytes.count)
    }

    /// Adds the eight bytes of a number, the lowest first.
    public mutating func update(_ number: UInt64) {
        updateRaw(number.littleEndian)
    }

    /// Adds the bytes of a hash.
    public mutating func update(_ digest: Digest) {
        updateRaw(digest)
    }

    /// Adds the bytes of a value that has nothing but words.
    private mutating func updateRaw(_ value: some BitwiseCopyable) {
        unsafe withUnsafeBytes(of: value) { bytes in
            unsafe versiond_sha256_add(&state, bytes.baseAddress, bytes.count)
        }
    }

    /// The hash of all bytes.
    public consuming func finalize() -> Digest {
        var digest = Digest()
        unsafe withUnsafeMutableBytes(of: &digest) { bytes in
            unsafe versiond_sha256_end(&state, bytes.baseAddress)
        }
        return digest
    }

    /// The hash of bytes.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finalize().bytes
    }
}
