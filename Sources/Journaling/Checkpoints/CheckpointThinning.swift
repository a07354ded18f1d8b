/// The choice of checkpoints to keep for a document: the newest one, and older ones so far apart
/// that they take a part of a byte for each change, and that replay between two of them is short.
///
/// Large checkpoints that are not deltas are kept at distances that grow with their age: then their
/// number grows with the logarithm of the history's length, and replay to a past revision takes at
/// most about as many changes as came after it.
public enum CheckpointThinning {
    /// A checkpoint that is kept.
    public struct Kept: Sendable {
        /// Its revision.
        public let revision: Int
        /// Its size in the journal.
        public let bytes: Int
        /// The revision of the next newer one, if this is a delta to that.
        public let base: Int?
        /// The size of its content, if known.
        let contentCount: Int

        /// A checkpoint of a revision, of `bytes` bytes that begin with `head`:
        /// `CheckpointBody.headBytesMax` are enough, and of one larger than
        /// `CheckpointBody.deltaContentMax` none is needed.
        public init(revision: Int, bytes: Int, head: [UInt8] = []) {
            self.revision = revision
            self.bytes = bytes
            base = CheckpointBody.base(of: head)
            contentCount = CheckpointBody.contentCount(of: head) ?? .max
        }
    }

    /// A gap of this number of changes is always allowed: their replay takes some 50 ms.
    package static let gapMin = 8_192
    /// A gap of more changes is allowed only where checkpoints are large: they take some 120 ms.
    package static let gapMax = 20_000
    /// The distance in changes from the checkpoint before, for each byte: all checkpoints together
    /// take a quarter of a byte per change.
    package static let changesForOneByte = 4

    /// The revisions of those checkpoints that may go, of those that a document has. One that
    /// another one is a delta to stays.
    ///
    /// - Parameter checkpoints: in the order of their revisions.
    public static func superfluous(among checkpoints: [Kept]) -> [Int] {
        let bases = Set(checkpoints.compactMap(\.base))
        return farEnoughWithout(checkpoints).filter { !bases.contains($0) }
    }

    /// Whether a checkpoint would be after a delta, and before or at the base of that delta. It
    /// arrived late and is not needed, so it is not stored.
    public static func isWithinDelta(_ revision: Int, among checkpoints: [Kept]) -> Bool {
        checkpoints.contains { kept in
            kept.base.map { kept.revision < revision && revision <= $0 } ?? false
        }
    }

    /// The revisions of those without which the others are not too far apart.
    static func farEnoughWithout(_ checkpoints: [Kept]) -> [Int] {
        guard let head = checkpoints.last?.revision, checkpoints.count > 1 else { return [] }
        var superfluous: [Int] = []
        // Without any, replay begins at the first entry.
        var older = 0
        for (checkpoint, newer) in zip(checkpoints, checkpoints.dropFirst()) {
            if newer.revision - older <= gap(before: newer, head: head) {
                superfluous.append(checkpoint.revision)
            } else {
                older = checkpoint.revision
            }
        }
        return superfluous
    }

    /// How many changes may lie between a checkpoint and the one before it.
    package static func gap(before checkpoint: Kept, head: Int) -> Int {
        let worth = checkpoint.bytes * changesForOneByte
        return max(gapMin, min(worth, max(gapMax, head - checkpoint.revision)))
    }
}
