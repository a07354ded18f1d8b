/// Which checkpoints of a document are kept: the newest one, and older ones so far apart that they
/// take a part of a byte for each change, and that replay between two of them is short.
///
/// Where checkpoints are large, and not deltas, they stand further apart the longer ago they are:
/// then their number grows with the logarithm of the history's length, and replay to a revision of
/// the past takes at most about as many changes as came after it.
public enum CheckpointThinning {
    /// A checkpoint that is kept.
    public struct Kept: Sendable {
        /// Its revision.
        public let revision: Int
        /// What it takes in the journal.
        public let bytes: Int
        /// The revision of the next newer one, if this is a delta to that.
        public let base: Int?
        /// What its content takes, as far as that is known.
        let contentCount: Int

        /// A checkpoint of a revision that takes so many bytes, the first of which are `head`:
        /// `CheckpointBody.headBytesMax` are enough, and of larger ones than
        /// `CheckpointBody.deltaContentMax` none is needed.
        public init(revision: Int, bytes: Int, head: [UInt8] = []) {
            self.revision = revision
            self.bytes = bytes
            base = CheckpointBody.base(of: head)
            contentCount = CheckpointBody.contentCount(of: head) ?? .max
        }
    }

    /// A gap of so many changes is always allowed: they are replayed in some 50 ms.
    package static let gapMin = 8_192
    /// A gap of more changes is allowed only where checkpoints are large: they take some 120 ms.
    package static let gapMax = 20_000
    /// For each of its bytes, a checkpoint stands at least so many changes behind the one before:
    /// all of them take a quarter of a byte a change.
    package static let changesForOneByte = 4

    /// The revisions of those checkpoints that may go, of those that a document has. One that
    /// another one is a delta to stays.
    ///
    /// - Parameter checkpoints: in the order of their revisions.
    public static func superfluous(among checkpoints: [Kept]) -> [Int] {
        let bases = Set(checkpoints.compactMap(\.base))
        return farEnoughWithout(checkpoints).filter { !bases.contains($0) }
    }

    /// Whether a checkpoint would stand behind a delta, and before or at what that is a delta to.
    /// It is not stored then: it comes late, and is not needed.
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
