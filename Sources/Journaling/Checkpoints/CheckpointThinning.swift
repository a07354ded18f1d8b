/// Which checkpoints of a document are kept: the newest one, and older ones so far apart that they
/// take a part of a byte for each change, and that replay between two of them is short.
///
/// Where a checkpoint is large, they stand further apart the longer ago they are: then their number
/// grows with the logarithm of the history's length, and replay to a revision of the past takes at
/// most about as many changes as came after it.
public enum CheckpointThinning {
    /// A checkpoint that is kept.
    public struct Kept: Sendable {
        /// Its revision.
        public let revision: Int
        /// What it takes in the journal.
        public let bytes: Int

        /// A checkpoint of a revision that takes so many bytes.
        public init(revision: Int, bytes: Int) {
            self.revision = revision
            self.bytes = bytes
        }
    }

    /// A gap of so many changes is always allowed: they are replayed in some 50 ms.
    package static let gapMin = 8_192
    /// A gap of more changes is allowed only where checkpoints are large: they take some 120 ms.
    package static let gapMax = 20_000
    /// For each of its bytes, a checkpoint stands at least so many changes behind the one before:
    /// all of them take a quarter of a byte a change.
    package static let changesForOneByte = 4

    /// The revisions of those checkpoints that may go, of those that a document has.
    ///
    /// - Parameter checkpoints: in the order of their revisions.
    public static func superfluous(among checkpoints: [Kept]) -> [Int] {
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
