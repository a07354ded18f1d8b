/// What becomes of a document's checkpoints when it is packed: the newest stays as it is, and each
/// older one says only what it has that the next newer one has not.
///
/// A text that somebody types into is in each of its checkpoints almost as it is in the next one:
/// so a delta takes some hundred bytes, however long the text is. Some stay whole: those so far
/// apart that they take a part of a byte for each change, and those of large content. So a chain of
/// deltas is as long as its bytes are worth in changes, or as content takes to become large: two
/// hundred of the largest are read in 20 ms.
public struct CheckpointPacking: Sendable {
    public typealias Kept = CheckpointThinning.Kept

    /// A delta that should be made, or made anew, and the revision that it is to.
    struct Delta: Equatable {
        let revision: Int
        let base: Int
    }

    /// What is not needed any more, once the deltas are made.
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

    /// The revisions of those whose bodies are needed, in their order: they must be what they were
    /// when the new ones take their place, and no other may stand between them. All deltas are
    /// among them, and what they lead to, so that it is noticed if one is damaged.
    public var needed: [Int] {
        let old = checkpoints.filter { $0.base != nil }.map(\.revision)
        let new = deltas.flatMap { [$0.revision, $0.base] }
        return Set((old + new).flatMap(chain)).sorted()
    }

    /// What takes the place of the checkpoints.
    public struct Result: Sendable {
        /// The new bodies, by revisions: deltas, but where content is too large for that.
        public var bodies: [Int: [UInt8]] = [:]
        /// What goes.
        public var removed: [Int] = []
    }

    /// What should be stored, if something is needed. What cannot be read goes, and all else stays
    /// for the next time: a checkpoint that is no use would be needed again and again.
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

    /// The revisions of what leads from a delta to one that is none.
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
