/// The plan for packing a document's checkpoints: the newest stays as it is, and each older one
/// becomes a delta to the next newer one.
///
/// A text that an actor types into is almost the same in each checkpoint and the next one: so a
/// delta takes some hundred bytes, however long the text is. Some checkpoints stay whole: those so
/// far apart that they take a part of a byte for each change, and those with large content. So the
/// length of a chain of deltas is bounded by its bytes per change, and by the growth of the
/// content: two hundred of the largest are read in 20 ms.
public struct CheckpointPacking: Sendable {
    public typealias Kept = CheckpointThinning.Kept

    /// A delta to make, or to make again, and the revision of its base.
    struct Delta: Equatable {
        let revision: Int
        let base: Int
    }

    /// The checkpoints that are superfluous once the deltas are made.
    let removed: [Int]
    /// The newest first.
    let deltas: [Delta]
    /// All that there were, in the order of their revisions.
    public let checkpoints: [Kept]

    /// - Parameter checkpoints: all of a document's, in the order of their revisions.
    public init(of checkpoints: [Kept]) {
        self.checkpoints = checkpoints
        let removed = CheckpointThinning.farEnoughWithout(checkpoints)
        let stay = checkpoints.filter { !removed.contains($0.revision) }
        var deltas: [Delta] = []
        // The newest one that is older, and whole.
        var whole = 0
        for (checkpoint, newer) in zip(stay, stay.dropFirst()) {
            if checkpoint.staysWhole(after: whole, before: newer) {
                whole = checkpoint.revision
            } else if checkpoint.base != newer.revision {
                deltas.append(Delta(revision: checkpoint.revision, base: newer.revision))
            }
        }
        self.removed = removed
        self.deltas = deltas.reversed()
    }

    /// Whether there is something to do.
    public var isNeeded: Bool { !deltas.isEmpty || !removed.isEmpty }

    /// The revisions of the checkpoints whose bodies are needed, in order: they must be unchanged
    /// when the new ones replace them, and no other may be between them. They include all deltas
    /// and their bases, so that damage is noticed.
    public var needed: [Int] {
        let old = checkpoints.filter { $0.base != nil }.map(\.revision)
        let new = deltas.flatMap { [$0.revision, $0.base] }
        return Set((old + new).flatMap(chain)).sorted()
    }

    /// The new checkpoints.
    public struct Result: Sendable {
        /// The new bodies, by revisions: deltas, but where content is too large for that.
        public var bodies: [Int: [UInt8]] = [:]
        /// The removed revisions.
        public var removed: [Int] = []
    }

    /// The checkpoints to store, if any are needed. An unreadable one is removed, and all others
    /// stay for the next time: otherwise it would be needed again and again.
    ///
    /// - Parameter bodies: of all that are needed; those that are damaged are left out.
    public func result(of bodies: [Int: [UInt8]]) -> Result {
        let damaged = needed.filter { bodies[$0] == nil }
        if damaged.isEmpty, let result = try? made(of: bodies) { return result }
        let lost = needed.filter { (try? content(of: $0, bodies)) == nil }
        return Result(
            removed: checkpoints.map(\.revision).filter { revision in
                chain(from: revision).contains { lost.contains($0) }
            })
    }

    private func made(of bodies: [Int: [UInt8]]) throws(CheckpointBody.Malformed) -> Result {
        var contents: [Int: [UInt8]] = [:]
        var result = Result(removed: removed)
        for delta in deltas {
            let content = try content(of: delta.revision, bodies, &contents)
            let base = try self.content(of: delta.base, bodies, &contents)
            let isLarge = max(content.count, base.count) > CheckpointBody.deltaContentMax
            result.bodies[delta.revision] =
                isLarge
                ? CheckpointBody.compressed(content)
                : CheckpointBody.delta(content, to: base, at: delta.base)
        }
        return result
    }

    private func content(
        of revision: Int, _ bodies: [Int: [UInt8]], _ contents: inout [Int: [UInt8]]
    ) throws(CheckpointBody.Malformed) -> [UInt8] {
        if let known = contents[revision] { return known }
        let content = try content(of: revision, bodies)
        contents[revision] = content
        return content
    }

    private func content(
        of revision: Int, _ bodies: [Int: [UInt8]]
    ) throws(CheckpointBody.Malformed) -> [UInt8] {
        try CheckpointBody.content(ofChain: chain(from: revision).map { ($0, bodies[$0] ?? []) })
    }

    /// The revisions from a delta to the first whole checkpoint.
    private func chain(from revision: Int) -> [Int] {
        guard let first = checkpoints.firstIndex(where: { $0.revision == revision }) else {
            return []
        }
        let rest = checkpoints[first...]
        let end = rest.firstIndex { $0.base == nil } ?? rest.endIndex - 1
        return checkpoints[first...end].map(\.revision)
    }
}

extension CheckpointThinning.Kept {
    /// Whether it is not made a delta.
    fileprivate func staysWhole(after whole: Int, before newer: Self) -> Bool {
        guard base == nil else { return false }
        return max(contentCount, newer.contentCount) > CheckpointBody.deltaContentMax
            || revision - whole >= bytes * CheckpointThinning.changesForOneByte
    }
}
