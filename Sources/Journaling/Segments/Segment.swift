/// Many old entries of one document in a row, packed together.
///
/// Unpacking returns the packed entries byte by byte, and the chain proves it: it is computed again
/// from the bodies and compared. `Documentation/Reference/JournalFormat.md` describes the form.
public struct Segment: Sendable, Equatable {
    public let document: DocumentID
    /// The revision of the first entry.
    public let first: Int
    public let count: Int
    /// The numbers of the first and the last entry in the journal's order.
    public let sequences: ClosedRange<Int>
    /// The chain after the last entry.
    public let chain: ChainHash
    /// The entries, packed.
    public let body: [UInt8]

    public init(
        document: DocumentID, first: Int, count: Int, sequences: ClosedRange<Int>,
        chain: ChainHash, body: [UInt8]
    ) {
        self.document = document
        self.first = first
        self.count = count
        self.sequences = sequences
        self.chain = chain
        self.body = body
    }

    /// An entry with its number in the journal's order.
    public typealias Numbered = (sequence: Int, entry: JournalEntry)

    /// Why a segment cannot be read.
    public enum Fault: Error, Equatable, Sendable {
        /// The bytes are not a segment.
        case malformed
        /// Its entries do not follow those before, or do not lead to its chain.
        case brokenChain
    }

    /// Packs entries that follow one another. O(bytes).
    public init(packing entries: [Numbered], columns: some BodyColumns) {
        precondition(
            (1...PackingPolicy.entriesMax).contains(entries.count), "a segment has entries")
        var writer = SegmentWriter(recalling: columns.recalled)
        for (sequence, entry) in entries {
            writer.append(
                columns.anyTokens(of: entry.body), sequence: sequence, entry.lifecycle)
        }
        let (first, last) = (entries[0], entries[entries.count - 1])
        self.init(
            document: first.entry.document, first: first.entry.revision, count: entries.count,
            sequences: first.sequence...last.sequence, chain: last.entry.chain,
            body: writer.packed())
    }

    /// The entries, checked: those before them led to `previous`. O(bytes).
    public func entries(following previous: ChainHash) throws(Fault) -> [Numbered] {
        guard first >= 0 else { throw .malformed }
        var reader: SegmentReader
        do { reader = try SegmentReader(body, count: count) } catch { throw .malformed }
        var entries: [Numbered] = []
        entries.reserveCapacity(count)
        var chain = previous
        for revision in first..<(first + count) {
            let (sequence, lifecycle, body): (Int, JournalEntry.Lifecycle, [UInt8])
            do { (sequence, lifecycle, body) = try reader.next() } catch { throw .malformed }
            let entry = JournalEntry(
                document: document, revision: revision, body: body, following: chain,
                lifecycle: lifecycle)
            chain = entry.chain
            entries.append((sequence, entry))
        }
        guard chain == self.chain, entries.first?.sequence == sequences.lowerBound,
            entries.last?.sequence == sequences.upperBound
        else { throw .brokenChain }
        return entries
    }
}
