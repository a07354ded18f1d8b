extension Span<UInt8> {
    /// Eight bytes from `index` on as one word, the first one lowest.
    @inline(__always)
    func word(at index: Int) -> UInt64 {
        // Bounds are checked, and every pattern of bits is a word.
        let raw = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
        return UInt64(littleEndian: raw)
    }

    /// Whether both have the same bytes in the same order.
    func hasSameBytes(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while index + 8 <= count {
            guard word(at: index) == other.word(at: index) else { return false }
            index += 8
        }
        while index < count {
            guard self[index] == other[index] else { return false }
            index += 1
        }
        return true
    }

    /// Whether the bytes of `range` are also at `start`. Both lie inside.
    func repeats(_ range: Range<Int>, at start: Int) -> Bool {
        var offset = 0
        while offset + 8 <= range.count {
            guard word(at: start + offset) == word(at: range.lowerBound + offset) else {
                return false
            }
            offset += 8
        }
        while offset < range.count {
            guard self[start + offset] == self[range.lowerBound + offset] else { return false }
            offset += 1
        }
        return true
    }
}

extension Array where Element == UInt8 {
    init(_ span: Span<UInt8>) {
        self = unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
    }
}
