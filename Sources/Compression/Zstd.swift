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
        try Decoder().decode(bytes, count: count)
    }

    // MARK: Deltas

    /// The compressed bytes without what other bytes have, too: those are needed to read them.
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
        // With another base something else would be read, and nobody would notice.
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

    /// What `delta` was made of, which must be `count` bytes. O(both). With another base it is
    /// malformed.
    public static func decode(
        _ delta: [UInt8], to base: [UInt8], count: Int
    ) throws(Malformed) -> [UInt8] {
        try Decoder().decode(delta, to: base, count: count)
    }
}
