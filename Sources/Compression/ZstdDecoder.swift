import CZstd

extension Zstd {
    /// Decodes one thing after the other: making a decoder takes as long as decoding some thousand
    /// bytes. One thread at a time uses it.
    public final class Decoder {
        private let context: OpaquePointer?

        public init() {
            unsafe context = ZSTD_createDCtx()
        }

        deinit {
            unsafe ZSTD_freeDCtx(context)
        }

        /// The decompressed bytes, which must be `count` bytes. O(count).
        public func decode(_ bytes: [UInt8], count: Int) throws(Malformed) -> [UInt8] {
            try decode(bytes, to: [], count: count)
        }

        /// The bytes from which a delta was made, which must be `count` bytes. O(both). With
        /// another base it is malformed.
        public func decode(
            _ delta: [UInt8], to base: [UInt8], count: Int
        ) throws(Malformed) -> [UInt8] {
            // The frame says its size; so a wrong count cannot make us take memory for nothing.
            let told = unsafe ZSTD_getFrameContentSize(delta, delta.count)
            guard count >= 0, told == UInt64(count) else { throw Malformed() }
            let result = unsafe base.withUnsafeBytes { base in
                unsafe [UInt8](unsafeUninitializedCapacity: count) { result, written in
                    // It holds for one frame.
                    unsafe ZSTD_DCtx_refPrefix(context, base.baseAddress, base.count)
                    let code = unsafe ZSTD_decompressDCtx(
                        context, result.baseAddress, result.count, delta, delta.count)
                    written = unsafe ZSTD_isError(code) == 0 ? code : 0
                }
            }
            guard result.count == count else { throw Malformed() }
            return result
        }
    }
}
