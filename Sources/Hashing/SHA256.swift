import CNettle

/// The hash SHA-256 (FIPS 180-4), by libnettle, which libmicrohttpd has loaded anyway.
public struct SHA256: Sendable {
    /// Bytes of a hash.
    public static let byteCount = 32

    private var state = unsafe sha256_ctx()

    /// A hash of nothing yet.
    public init() {
        unsafe nettle_sha256_init(&state)
    }

    /// Adds bytes behind those before. O(n); about 1 GB a second with the processor's instructions
    /// for it.
    public mutating func update(_ bytes: [UInt8]) {
        unsafe nettle_sha256_update(&state, bytes.count, bytes)
    }

    /// The hash of all bytes.
    public consuming func finalize() -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { digest, count in
            unsafe nettle_sha256_digest(&state, SHA256.byteCount, digest.baseAddress)
            count = SHA256.byteCount
        }
    }

    /// The hash of bytes.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finalize()
    }
}
