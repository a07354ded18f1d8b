import CZstd

/// The Zstandard coding (RFC 8878), for data that is written once and read for years.
public enum Zstd {
    /// The bytes are not what was written.
    public struct Malformed: Error, Equatable, Sendable {}

    /// The preference between time and size.
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

    /// The decompressed bytes, which must be `count` bytes. O(count).
    public static func decode(_ bytes: [UInt8], count: Int) throws(Malformed) -> [UInt8] {
        try Decoder().decode(bytes, count: count)
    }

    // MARK: Deltas

    /// The compressed bytes without the parts that a base also has: reading them needs the base.
    /// O(both).
    public static func delta(_ bytes: [UInt8], to base: [UInt8]) -> [UInt8] {
        let most = unsafe ZSTD_compressBound(bytes.count)
        let context = unsafe ZSTD_createCCtx()
        defer { unsafe ZSTD_freeCCtx(context) }
        // All of the base is looked through, wherever in the bytes it comes again.
        let window = Int32(
            Int.bitWidth - max(bytes.count + base.count, 1 << 10).leadingZeroBitCount)
        unsafe ZSTD_CCtx_setParameter(
            context, ZSTD_c_compressionLevel, Int32(Effort.fast.rawValue))
        unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window)
        // The checksum detects another base, which would otherwise give wrong bytes without an
        // error.
        unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        return unsafe base.withUnsafeBytes { base in
            unsafe [UInt8](unsafeUninitializedCapacity: most) { result, count in
                // It is not copied: it must stay where it is until the end.
                unsafe ZSTD_CCtx_refPrefix(context, base.baseAddress, base.count)
                let written = unsafe ZSTD_compress2(
                    context, result.baseAddress, result.count, bytes, bytes.count)
                precondition(unsafe ZSTD_isError(written) == 0, "there is room for it")
                count = written
            }
        }
    }

    /// The bytes from which `delta` was made, which must be `count` bytes. O(both). With another
    /// base it is malformed.
    public static func decode(
        _ delta: [UInt8], to base: [UInt8], count: Int
    ) throws(Malformed) -> [UInt8] {
        try Decoder().decode(delta, to: base, count: count)
    }
}
