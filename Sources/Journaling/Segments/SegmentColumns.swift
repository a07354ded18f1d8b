/// The columns of a segment: a few of them show what its entries are about, without joining the
/// bodies.
///
/// Verifies the segment's checksum, not the chain; reading the entries themselves does.
package struct SegmentColumns {
    private let streams: SegmentStreams
    /// Which of `shapes` each entry has.
    package let entries: [Int]

    /// Unpacks no more than what shapes the entries have. O(entries).
    package init(_ segment: Segment) throws(Segment.Fault) {
        do {
            streams = try SegmentStreams(segment.body, count: segment.count)
            var stream = try streams.stream(SegmentForm.shapes)
            var entries: [Int] = []
            entries.reserveCapacity(segment.count)
            while !stream.isAtEnd { entries.append(try stream.number()) }
            self.entries = entries
        } catch { throw .malformed }
        guard entries.count == segment.count else { throw .malformed }
        guard entries.allSatisfy(streams.shapes.indices.contains) else { throw .malformed }
    }

    /// The columns that the parts of an entry belong to, in their order, of each shape.
    package var shapes: [[UInt8]] { streams.shapes.map { $0.map(\.column) } }

    /// A column in which each part is a byte.
    package func bytes(in column: UInt8) throws(Segment.Fault) -> [UInt8] {
        try check(column, [.byte])
        return Array(try stream(SegmentForm.stream(of: column)).rest)
    }

    /// A column in which each part is a number, all written in the same way.
    package func numbers(in column: UInt8) throws(Segment.Fault) -> [Int] {
        let isDifference = try check(column, [.number, .difference]) == .difference
        var stream = try stream(SegmentForm.stream(of: column))
        var (numbers, last) = ([Int](), 0)
        do {
            while !stream.isAtEnd {
                let number = try isDifference ? stream.signed() : stream.number()
                last = isDifference ? last &+ number : number
                numbers.append(last)
            }
        } catch { throw .malformed }
        return numbers
    }

    /// A column in which each part is a text, or all that is left of a body.
    package func texts(in column: UInt8) throws(Segment.Fault) -> [ArraySlice<UInt8>] {
        try check(column, [.text, .rest])
        var stream = try stream(SegmentForm.stream(of: column))
        var counts = try self.stream(SegmentForm.counts(of: column))
        var texts: [ArraySlice<UInt8>] = []
        do {
            while !counts.isAtEnd { texts.append(try stream.bytes(try counts.number())) }
        } catch { throw .malformed }
        return texts
    }

    /// Throws unless all parts of a column have the same form, which is one of these. Returns it;
    /// `nil` if there are none.
    @discardableResult
    private func check(
        _ column: UInt8, _ forms: Set<BodyTokens.Form>
    ) throws(Segment.Fault) -> BodyTokens.Form? {
        let found = Set(streams.shapes.joined().lazy.filter { $0.column == column }.map(\.form))
        guard found.isSubset(of: forms), found.count <= 1 else { throw .malformed }
        return found.first
    }

    private func stream(_ number: Int) throws(Segment.Fault) -> ByteStream {
        do { return try streams.stream(number) } catch { throw .malformed }
    }
}
