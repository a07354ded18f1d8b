/// Which checkpoints of a document are kept: the newest ones, and older ones the further apart, the
/// longer ago they are. So replay to any revision of the past is short beside the history after it,
/// and their number grows with the logarithm of the history's length.
public enum CheckpointThinning {
    /// The newest ones are all kept: most reads of the past are of what was a moment ago.
    private static let newestKept = 8
    /// A gap may be as long as this part of what came after it.
    private static let part = 4

    /// The checkpoints that may go, of those that a document has.
    ///
    /// - Parameter revisions: in their order.
    public static func superfluous(among revisions: [Int]) -> [Int] {
        guard let head = revisions.last, revisions.count > newestKept else { return [] }
        var superfluous: [Int] = []
        // Without any, replay begins at the first entry.
        var older = 0
        for index in 0..<(revisions.count - newestKept) {
            let newer = revisions[index + 1]
            if newer - older <= (head - newer) / part {
                superfluous.append(revisions[index])
            } else {
                older = revisions[index]
            }
        }
        return superfluous
    }
}
