/// A hash of 32 bytes, held in place: copies cost nothing.
public struct Digest: Sendable, Equatable, BitwiseCopyable {
    /// How many bytes it has.
    public static let byteCount = 32

    private var (first, second, third, fourth): (UInt64, UInt64, UInt64, UInt64)

    /// The hash that these bytes are; `nil` unless there are 32.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Digest.byteCount else { return nil }
        self.init()
        unsafe withUnsafeMutableBytes(of: &self) { unsafe $0.copyBytes(from: bytes) }
    }

    /// 32 zeros, to be filled.
    init() {
        (first, second, third, fourth) = (0, 0, 0, 0)
    }

    /// The bytes, as they were written.
    public var bytes: [UInt8] {
        unsafe withUnsafeBytes(of: self) { unsafe Array($0) }
    }
}
