/// A string in one piece, with its hash, in one allocation.
final class StringNode: ManagedBuffer<StringNode.Facts, UInt8> {
    struct Facts {
        let hash: ContentHash
        let count: Int
        /// The length as JSON text, quotes included.
        let quotedCount: Int
    }

    static func make(_ bytes: Span<UInt8>) -> StringNode {
        let facts = Facts(
            hash: HashKey.content.hash(.string, bytes), count: bytes.count,
            quotedCount: 2 + Quoting.width(of: bytes))
        let buffer = StringNode.create(minimumCapacity: bytes.count) { _ in facts }
        unsafe buffer.withUnsafeMutablePointerToElements { elements in
            unsafe bytes.withUnsafeBufferPointer { source in
                guard let start = source.baseAddress else { return }
                unsafe elements.initialize(from: start, count: source.count)
            }
        }
        // `create` makes an instance of the class that it is called on.
        return unsafe unsafeDowncast(buffer, to: StringNode.self)
    }

    @inline(__always)
    private var facts: Facts { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee } }

    @inline(__always)
    var hash: ContentHash { facts.hash }

    @inline(__always)
    var quotedCount: Int { facts.quotedCount }

    /// Read access to the text. The pointer lives no longer than this expression.
    @inline(__always)
    func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        unsafe withUnsafeMutablePointers { facts, elements in
            let all = unsafe UnsafeBufferPointer(start: elements, count: facts.pointee.count)
            return body(unsafe all.span)
        }
    }

    var bytes: [UInt8] { withBytes { Array($0) } }

    /// Whether both are the same text.
    func isEqual(to other: StringNode) -> Bool {
        withBytes { left in
            other.withBytes { right in
                left.count == right.count && left.indices.allSatisfy { left[$0] == right[$0] }
            }
        }
    }
}
