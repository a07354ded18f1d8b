import CRE2

/// A regular expression that is matched in linear time, however it is written.
///
/// The language is what JSON Schema recommends of ECMA-262: without back references, and without
/// looking ahead or behind. Any thread may use it.
public final class Pattern: Sendable {
    /// The reason why a text is not a pattern, in a sentence.
    public struct Fault: Error, Equatable {
        public let detail: String
    }

    /// The memory of one pattern: what would need more is refused, or matched with less.
    private static let bytesMax: Int64 = 256 << 10

    // A handle of RE2's, whose matching is const: threads may share it.
    private nonisolated(unsafe) let handle: OpaquePointer

    /// Reads a pattern. O(length); refused if it would become too large.
    public init(_ text: String) throws(Fault) {
        let translated = try ECMAPattern.translated(text)
        let bytes = Array(translated.utf8)
        var fault = [CChar](repeating: 0, count: 200)
        let handle = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe fault.withUnsafeMutableBufferPointer { fault in
                unsafe versiond_pattern_make(
                    bytes.baseAddress, bytes.count, Pattern.bytesMax, fault.baseAddress,
                    fault.count)
            }
        }
        guard let handle = unsafe handle else {
            let reason = fault.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw Fault(detail: String(decoding: reason, as: UTF8.self))
        }
        unsafe self.handle = handle
    }

    deinit { unsafe versiond_pattern_free(handle) }

    /// Whether it matches somewhere in UTF-8 text. O(length).
    public func matches(_ text: [UInt8]) -> Bool {
        unsafe text.withUnsafeBufferPointer { text in
            unsafe versiond_pattern_matches(handle, text.baseAddress, text.count) != 0
        }
    }
}
