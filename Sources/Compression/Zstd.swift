import CZstd

/// The Zstandard coding (RFC 8878), for what is written once and read for years.
public enum Zstd {
    /// The bytes are not what was written.
    public struct Malformed: Error, Equatable, Sendable {}

    /// What is more important.
    public enum Effort: Int32, Sendable {
        /// About 200 MB a second.
        case fast = 3
        /// About 30 MB a second.
        case small = 12
    }

    /// The compressed bytes. O(n).
    public static func encode(_ bytes: [UInt8], _ effort: Effort) -> [UInt8] {
        let most = unsafe ZSTD_compressBound(bytes.count)
        return unsafe [UInt8](unsafeUninitializedCapacity: most) { result, count in
            let written = unsafe ZSTD_compress(
                result.baseAddress, result.count, bytes, bytes.count, effort.rawValue)
            precondition(unsafe ZSTD_isError(written) == 0, "there is room for it")
            count = written
        }
    }

    /// What was compressed, which must be `count` bytes. O(count).
    public static func decode(_ bytes: [UInt8], count: Int) throws(Malformed) -> [UInt8] {
        // The frame says its size; so a wrong count cannot make us take memory for nothing.
        let told = unsafe ZSTD_getFrameContentSize(bytes, bytes.count)
        guard count >= 0, told == UInt64(count) else { throw Malformed() }
        let result = unsafe [UInt8](unsafeUninitializedCapacity: count) { result, written in
            let code = unsafe ZSTD_decompress(
                result.baseAddress, result.count, bytes, bytes.count)
            written = unsafe ZSTD_isError(code) == 0 ? code : 0
        }
        guard result.count == count else { throw Malformed() }
        return result
    }
}
