/// A long string as a tree of short pieces, so that an edit touches one piece and the path to it.
final class Rope: Sendable {
    /// From this length on a string is a rope, always: so its hash does not depend on its past.
    static let bytesMin = 2048
    private static let pieceMax = 512
    private static let pieceAim = 256
    private static let childrenMax = 16

    /// The text of a leaf; empty in an inner node.
    private let piece: [UInt8]
    private let children: [Rope]
    let level: Int
    let summary: Summary

    /// Facts about a text that need no scan.
    struct Summary: Equatable, Sendable {
        var utf8 = 0
        var utf16 = 0
        /// The length as JSON text without quotes.
        var quoted = 0
        var polynomial = Polynomial()

        static func of(_ bytes: [UInt8]) -> Summary {
            var summary = Summary(utf8: bytes.count, quoted: Quoting.width(of: bytes.span))
            summary.utf16 = UTF16Offsets.count(bytes.span)
            summary.polynomial.append(bytes: bytes.span, HashKey.content)
            return summary
        }

        mutating func append(_ other: Summary) {
            utf8 += other.utf8
            utf16 += other.utf16
            quoted += other.quoted
            polynomial.append(other.polynomial, count: other.utf8)
        }
    }

    private init(piece: [UInt8]) {
        self.piece = piece
        children = []
        level = 0
        summary = Summary.of(piece)
    }

    private init(children: [Rope], level: Int) {
        piece = []
        self.children = children
        self.level = level
        var total = Summary()
        let all = children.span
        for index in all.indices { total.append(all[index].summary) }
        summary = total
    }

    /// Cuts checked UTF-8 into pieces at scalar boundaries.
    static func build(_ bytes: Span<UInt8>) -> Rope {
        root(of: pieces(Array(bytes)[...]), level: 0)
    }

    func hash(_ key: HashKey) -> ContentHash {
        summary.polynomial.hash(.rope, count: summary.utf8, key)
    }

    private static func pieces(_ bytes: ArraySlice<UInt8>) -> [Rope] {
        if bytes.count <= pieceMax { return bytes.isEmpty ? [] : [Rope(piece: Array(bytes))] }
        var result: [Rope] = []
        var start = bytes.startIndex
        while start < bytes.endIndex {
            var end = min(start + pieceAim, bytes.endIndex)
            while end < bytes.endIndex && bytes[end] & 0xc0 == 0x80 { end += 1 }
            result.append(Rope(piece: Array(bytes[start..<end])))
            start = end
        }
        return result
    }

    private static func root(of nodes: [Rope], level: Int) -> Rope {
        var nodes = nodes
        var level = level
        while nodes.count > 1 {
            nodes = grouped(nodes, level: level + 1)
            level += 1
        }
        var node = nodes.first ?? Rope(piece: [])
        while node.children.count == 1 { node = node.children[0] }
        return node
    }

    private static func grouped(_ nodes: [Rope], level: Int) -> [Rope] {
        let parts = (nodes.count + childrenMax - 1) / childrenMax
        return (0..<parts).map { part in
            let range = (nodes.count * part / parts)..<(nodes.count * (part + 1) / parts)
            return Rope(children: Array(nodes[range]), level: level)
        }
    }
}

extension Rope {
    /// The whole text. O(n).
    var bytes: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(summary.utf8)
        forEachPiece { result.append(contentsOf: $0) }
        return result
    }

    func forEachPiece(_ body: ([UInt8]) -> Void) {
        if level == 0 { return body(piece) }
        for child in children { child.forEachPiece(body) }
    }

    /// The UTF-8 offset of a UTF-16 offset, or `nil` where that is outside or splits a scalar.
    func utf8Offset(utf16 offset: Int) -> Int? {
        guard offset >= 0 && offset <= summary.utf16 else { return nil }
        var node = self
        var rest = offset
        var base = 0
        while node.level > 0 {
            let children = node.children
            let all = children.span
            var index = 0
            // The last one ends where the text ends.
            while rest > all[index].summary.utf16 {
                rest -= all[index].summary.utf16
                base += all[index].summary.utf8
                index += 1
            }
            node = children[index]
        }
        if node.summary.utf8 == node.summary.utf16 { return base + rest }
        return UTF16Offsets.utf8Offset(utf16: rest, in: node.piece[...]).map { base + $0 }
    }

    /// The text of a range of UTF-8 offsets.
    func bytes(in range: Range<Int>) -> [UInt8] {
        var result: [UInt8] = []
        collect(range, into: &result)
        return result
    }

    /// Whether these bytes are at a UTF-8 offset, inside the text.
    func hasBytes(_ bytes: [UInt8], at offset: Int) -> Bool {
        if bytes.isEmpty { return true }
        if level == 0 { return piece[offset..<offset + bytes.count].elementsEqual(bytes) }
        var start = 0
        for child in children {
            let end = start + child.summary.utf8
            if offset >= start && offset + bytes.count <= end {
                return child.hasBytes(bytes, at: offset - start)
            }
            start = end
        }
        return self.bytes(in: offset..<offset + bytes.count) == bytes
    }

    private func collect(_ range: Range<Int>, into result: inout [UInt8]) {
        if level == 0 { return result.append(contentsOf: piece[range]) }
        var start = 0
        for child in children {
            let end = start + child.summary.utf8
            if start < range.upperBound && end > range.lowerBound {
                let lower = max(range.lowerBound, start) - start
                child.collect(lower..<(min(range.upperBound, end) - start), into: &result)
            }
            start = end
        }
    }

    /// The text with a range of UTF-8 offsets replaced. O(log n + inserted).
    func replacing(_ range: Range<Int>, with inserted: [UInt8]) -> Rope {
        Rope.root(of: parts(replacing: range, with: inserted), level: level)
    }

    /// The nodes of the same level that replace this one, perhaps none.
    private func parts(replacing range: Range<Int>, with inserted: [UInt8]) -> [Rope] {
        if level == 0 {
            var text = piece
            text.replaceSubrange(range, with: inserted)
            let isOne = !text.isEmpty && text.count <= Rope.pieceMax
            return isOne ? [Rope(piece: text)] : Rope.pieces(text[...])
        }
        if let parts = partsEditedInside(range, inserted) { return parts }
        var rebuilt: [Rope] = []
        var pending = inserted
        var start = 0
        for (index, child) in children.enumerated() {
            let end = start + child.summary.utf8
            let isLast = index == children.count - 1
            let begins = range.lowerBound < end || (isLast && range.lowerBound == end)
            let continues = range.upperBound > start || !pending.isEmpty
            if begins && continues {
                let lower = max(range.lowerBound, start) - start
                let upper = max(lower, min(range.upperBound, end) - start)
                rebuilt += child.parts(replacing: lower..<upper, with: pending)
                pending = []
            } else {
                rebuilt.append(child)
            }
            start = end
        }
        return Rope.grouped(Rope.merged(rebuilt), level: level)
    }

    /// The same for an edit that lies in one child: what typing does, nearly always.
    private func partsEditedInside(_ range: Range<Int>, _ inserted: [UInt8]) -> [Rope]? {
        let (index, start) = childHolding(range.lowerBound)
        let local = (range.lowerBound - start)..<(range.upperBound - start)
        guard local.upperBound <= children[index].summary.utf8 else { return nil }
        let parts = children[index].parts(replacing: local, with: inserted)
        var edited = children
        if parts.count == 1 {
            edited[index] = parts[0]
        } else {
            edited.replaceSubrange(index...index, with: parts)
        }
        let isSettled =
            parts.count == 1
            && (index == 0 || !edited[index - 1].isJoinable(to: parts[0]))
            && (index == edited.count - 1 || !parts[0].isJoinable(to: edited[index + 1]))
        if isSettled { return [Rope(children: edited, level: level)] }
        return Rope.grouped(Rope.merged(edited), level: level)
    }

    /// The child with the byte at an offset, the last one for the end of the text; and where it
    /// begins. Through a span: a loop over the children counts a reference to each.
    private func childHolding(_ offset: Int) -> (index: Int, start: Int) {
        let children = children
        let all = children.span
        var start = 0
        for index in 0..<(all.count - 1) {
            let end = start + all[index].summary.utf8
            if offset < end { return (index, start) }
            start = end
        }
        return (all.count - 1, start)
    }

    /// Joins neighbours that have become small.
    private static func merged(_ nodes: [Rope]) -> [Rope] {
        var result: [Rope] = []
        for node in nodes {
            if let last = result.last, let joined = last.joined(to: node) {
                result[result.count - 1] = joined
            } else {
                result.append(node)
            }
        }
        return result
    }

    private func isJoinable(to next: Rope) -> Bool {
        level == 0
            ? summary.utf8 + next.summary.utf8 <= Rope.pieceAim
            : children.count + next.children.count <= Rope.childrenMax / 2
    }

    private func joined(to next: Rope) -> Rope? {
        guard isJoinable(to: next) else { return nil }
        return level == 0
            ? Rope(piece: piece + next.piece)
            : Rope(children: children + next.children, level: level)
    }
}
