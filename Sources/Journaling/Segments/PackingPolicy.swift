/// Which entries of a document are packed.
public struct PackingPolicy: Sendable, Equatable {
    /// So many of the newest entries stay as they are: they are what is read most.
    public var kept: Int
    /// Fewer are not worth a segment.
    public var entriesMin: Int

    /// The limit on entries of a segment.
    public static let entriesMax = 4_096
    /// The limit on the bytes of bodies of a segment with more than one entry: the unit that a
    /// reader unpacks.
    public static let bytesMax = 512 << 10

    public init(kept: Int, entriesMin: Int) {
        self.kept = kept
        self.entriesMin = entriesMin
    }

    /// For documents that are being edited.
    public static let busy = PackingPolicy(kept: 256, entriesMin: 256)
    /// For documents that were not edited while `changesUntilQuiet` others were.
    public static let quiet = PackingPolicy(kept: 8, entriesMin: 32)
    /// As much as can be. The newest entry always stays.
    public static let all = PackingPolicy(kept: 1, entriesMin: 2)

    /// So many changes of other documents make a document a quiet one.
    public static let changesUntilQuiet = 10_000

    /// The policy for a document that was edited last at a number in the journal's order.
    public static func inBackground(edited sequence: Int, of last: Int) -> PackingPolicy {
        last - sequence > changesUntilQuiet ? .quiet : .busy
    }

    /// The entries that may be packed now, of those that are not; `nil` if it is too early.
    public func range(of unpacked: ClosedRange<Int>) -> ClosedRange<Int>? {
        let last = unpacked.upperBound - max(1, kept)
        guard unpacked.lowerBound >= 0, last - unpacked.lowerBound + 1 >= entriesMin else {
            return nil
        }
        return unpacked.lowerBound...min(last, unpacked.lowerBound + Self.entriesMax - 1)
    }
}
