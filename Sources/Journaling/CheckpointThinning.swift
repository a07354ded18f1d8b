/// Which checkpoints of a document are kept: the newest one, and older ones the further apart, the
/// longer ago they are. So replay to any revision of the past takes at most as many changes as came
/// after it, and their number grows with the logarithm of the history's length.
public enum CheckpointThinning {
    /// A gap of so many changes is always allowed: they are replayed in some 50 ms.
    package static let gapMin = 8_192

    /// The checkpoints that may go, of those that a document has.
    ///
    /// - Parameter revisions: in their order.
    public static func superfluous(among revisions: [Int]) -> [Int] {
        guard let head = revisions.last, revisions.count > 1 else { return [] }
        var superfluous: [Int] = []
        // Without any, replay begins at the first entry.
        var older = 0
        for index in 0..<(revisions.count - 1) {
            let newer = revisions[index + 1]
            // A gap may be as long as what came after it.
            if newer - older <= max(head - newer, gapMin) {
                superfluous.append(revisions[index])
            } else {
                older = revisions[index]
            }
        }
        return superfluous
    }
}
