/// What becomes of a document's checkpoints when it is packed: the newest stays as it is, and each
/// older one says only what it has that the next newer one has not.
///
/// A text that somebody types into is in each of its checkpoints almost as it is in the next one:
/// so a delta takes some hundred bytes, however long the text is. Some stay whole: where content is
/// large, and so far apart that they take a part of a byte for each change; that is what a delta is
/// read by, at last.
public struct CheckpointPacking: Sendable {
    public typealias Kept = CheckpointThinning.Kept

    /// A delta that should be made, or made anew, and the revision that it is to.
    struct Delta: Equatable {
        let revision: Int
        let base: Int
    }

    /// What is not needed any more, once the deltas are made.
    public let removed: [Int]
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
    /// when the new ones take their place, and no other may stand between them.
    public var needed: [Int] {
        var found: Set<Int> = []
        for delta in deltas {
            found.formUnion(chain(from: delta.revision))
            found.formUnion(chain(from: delta.base))
        }
        return found.sorted()
    }

    /// The new bodies of those that become deltas, by their revisions; one of which the content is
    /// too large for that becomes whole.
    ///
    /// - Parameter bodies: of all that are needed.
    public func bodies(
        of bodies: [Int: [UInt8]]
    ) throws(CheckpointBody.Malformed) -> [Int: [UInt8]] {
        var contents: [Int: [UInt8]] = [:]
        var result: [Int: [UInt8]] = [:]
        for delta in deltas {
            let content = try content(of: delta.revision, bodies, &contents)
            let base = try self.content(of: delta.base, bodies, &contents)
            let isLarge = max(content.count, base.count) > CheckpointBody.deltaContentMax
            result[delta.revision] =
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
        var chain: [(revision: Int, body: [UInt8])] = []
        for revision in self.chain(from: revision) {
            guard let body = bodies[revision] else { throw CheckpointBody.Malformed() }
            chain.append((revision, body))
        }
        let content = try CheckpointBody.content(ofChain: chain)
        contents[revision] = content
        return content
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
