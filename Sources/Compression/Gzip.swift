import CZlib

/// The gzip coding (RFC 1952), with a bound on what comes out.
public enum Gzip {
    /// The reason why bytes are not accepted as gzip.
    public enum Fault: Error, Equatable, Sendable {
        /// It is none, it is damaged, or it ends too early.
        case malformed
        /// It would become larger than this many bytes.
        case tooLarge(max: Int)
    }

    /// The preference between time and size.
    public enum Effort: Int32, Sendable {
        /// Time: a client waits for the result.
        case fast = 1
        /// Size: it is done once.
        case small = 9
    }

    private static let pieceBytes = 64 << 10

    /// The compressed bytes. O(n).
    public static func encode(_ bytes: [UInt8], effort: Effort = .fast) -> [UInt8] {
        var stream = unsafe z_stream()
        guard unsafe versiond_deflate_begin(&stream, effort.rawValue) == Z_OK else { return [] }
        defer { unsafe deflateEnd(&stream) }
        var result: [UInt8] = []
        var input = bytes
        unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe stream.next_in = input.baseAddress
            unsafe stream.avail_in = UInt32(input.count)
            var code = Z_OK
            while code == Z_OK {
                code = unsafe piece(&stream, &result) { unsafe deflate($0, Z_FINISH) }
            }
        }
        return result
    }

    /// The decompressed bytes, at most `bytesMax`: a small body must not fill the memory. O(length
    /// of the result).
    public static func decode(_ bytes: [UInt8], bytesMax: Int) throws(Fault) -> [UInt8] {
        var stream = unsafe z_stream()
        guard unsafe versiond_inflate_begin(&stream) == Z_OK else { throw .malformed }
        defer { unsafe inflateEnd(&stream) }
        var result: [UInt8] = []
        var input = bytes
        let code = unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe stream.next_in = input.baseAddress
            unsafe stream.avail_in = UInt32(input.count)
            var code = Z_OK
            while code == Z_OK && result.count <= bytesMax {
                code = unsafe piece(&stream, &result) { unsafe inflate($0, Z_NO_FLUSH) }
                // Several of them may follow each other (RFC 1952 section 2.2).
                if code == Z_STREAM_END, unsafe stream.avail_in > 0 {
                    code = unsafe inflateReset(&stream)
                }
            }
            return code
        }
        if result.count > bytesMax { throw .tooLarge(max: bytesMax) }
        guard code == Z_STREAM_END, unsafe stream.avail_in == 0 else { throw .malformed }
        return result
    }

    /// Lets zlib make one more piece.
    private static func piece(
        _ stream: inout z_stream, _ result: inout [UInt8],
        _ step: (UnsafeMutablePointer<z_stream>) -> Int32
    ) -> Int32 {
        var code = Z_OK
        let made = unsafe [UInt8](unsafeUninitializedCapacity: pieceBytes) { buffer, count in
            unsafe stream.next_out = buffer.baseAddress
            unsafe stream.avail_out = UInt32(pieceBytes)
            unsafe code = withUnsafeMutablePointer(to: &stream) { unsafe step($0) }
            unsafe count = pieceBytes - Int(stream.avail_out)
        }
        result += made
        return code
    }
}
