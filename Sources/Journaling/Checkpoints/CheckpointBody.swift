import Compression

/// The form of a checkpoint's content in a journal: compressed, by itself or as a delta to the
/// content of the next newer one. `Documentation/Reference/JournalFormat.md` describes it.
public enum CheckpointBody {
    /// It is not what was written.
    public struct Malformed: Error, Equatable, Sendable {
        public init() {}
    }

    /// The first byte of content that is compressed by itself.
    private static let wholeFormat: UInt8 = 8
    /// The first byte of a delta.
    package static let deltaFormat: UInt8 = 13
    /// So many bytes have all that is needed to say what a body is.
    package static let headBytesMax = 24
    /// Content of more bytes is not made a delta: to read one, all up to a whole one are read.
    package static let deltaContentMax = 1 << 20

    /// The header before the compressed bytes.
    private struct Head {
        /// How many bytes the content has.
        let count: Int
        /// The revision of the checkpoint that it is a delta to; `nil` if it is whole.
        let base: Int?
        /// Where the compressed bytes begin.
        let end: Int

        /// `nil` for old bodies, which are uncompressed content, and for truncated ones.
        init?(of body: [UInt8]) {
            guard body.first == wholeFormat || body.first == deltaFormat else { return nil }
            var stream = ByteStream(body)
            do {
                _ = try stream.byte()
                count = try stream.number()
                base = body.first == deltaFormat ? try stream.number() : nil
            } catch { return nil }
            end = body.count - stream.rest.count
        }
    }

    /// The body with this content, compressed by itself. O(n).
    public static func compressed(_ content: [UInt8]) -> [UInt8] {
        var body = [wholeFormat]
        body.appendNumber(content.count)
        return body + Zstd.encode(content, .fast)
    }

    /// The content of a body that is not a delta. O(n). Old ones were not compressed.
    public static func content(of body: [UInt8]) throws(Malformed) -> [UInt8] {
        guard body.first == wholeFormat else { return body }
        guard let head = Head(of: body) else { throw Malformed() }
        do { return try Zstd.decode(Array(body[head.end...]), count: head.count) } catch {
            throw Malformed()
        }
    }

    /// Whether a body is content, as old ones are, and deltas that were read.
    package static func isContent(_ body: [UInt8]) -> Bool { Head(of: body) == nil }

    /// How many bytes of content a body says that it has: the first bytes of it are enough.
    package static func contentCount(of head: [UInt8]) -> Int? { Head(of: head)?.count }

    /// The revision of the checkpoint that a body is a delta to; `nil` if it is none. The first
    /// bytes of it are enough.
    package static func base(of head: [UInt8]) -> Int? { Head(of: head)?.base }

    /// The body with this content, as a delta to that of the checkpoint of a revision. O(both).
    package static func delta(
        _ content: [UInt8], to base: [UInt8], at revision: Int
    ) -> [UInt8] {
        var body = [deltaFormat]
        body.appendNumber(content.count)
        body.appendNumber(revision)
        return body + Zstd.delta(content, to: base)
    }

    /// The content of a delta. O(both).
    private static func content(
        of body: [UInt8], to base: [UInt8]
    ) throws(Malformed) -> [UInt8] {
        guard let head = Head(of: body), head.base != nil else { throw Malformed() }
        do { return try Zstd.decode(Array(body[head.end...]), to: base, count: head.count) } catch {
            throw Malformed()
        }
    }

    /// The content of the first of some bodies, each of which is a delta to the next one, but for
    /// the last, which is none. O(all).
    package static func content(
        ofChain chain: [(revision: Int, body: [UInt8])]
    ) throws(Malformed) -> [UInt8] {
        guard let last = chain.last, !last.body.isEmpty, base(of: last.body) == nil else {
            throw Malformed()
        }
        var content = try content(of: last.body)
        for (older, newer) in zip(chain, chain.dropFirst()).reversed() {
            guard base(of: older.body) == newer.revision else { throw Malformed() }
            content = try self.content(of: older.body, to: content)
        }
        return content
    }

    /// The form that readers of checkpoints receive: the first body as it is if it is whole, or its
    /// content if it is a delta; `nil` if a body is missing or damaged. Then an older one may be
    /// whole.
    package static func readable(_ chain: [(revision: Int, body: [UInt8])]) -> [UInt8]? {
        chain.count == 1 && base(of: chain[0].body) == nil
            ? chain[0].body : try? content(ofChain: chain)
    }
}
