import JSONTree

/// Others' edits since pending steps were made, one by one.
///
/// An edit that others did and undid counts as not made: pending edits that have met it are then
/// merged again with the rest. The daemon does the same (Decision 14).
struct MissingWork: Sendable {
    /// The pending steps that others' edits came after, as they were before the first of those.
    private var made: [Int: [MergeEdit]]
    private var others = MissingEdits(pairsMax: 1_000_000)

    /// Above this number of edits nothing more is taken out: what came back is there twice.
    private static let countMax = 1_000

    init(_ pending: [PendingStep]) {
        made = Dictionary(uniqueKeysWithValues: pending.map { ($0.id, $0.carried) })
    }

    /// Adds others' edits. Returns whether edits before them were taken out.
    mutating func append(
        _ edits: [MergeEdit], returning: MergeBase.Later.Returning
    ) -> Bool {
        others.append(edits[...], returning: returning)
    }

    /// Whether a step is merged with these.
    func has(_ step: PendingStep) -> Bool { made[step.id] != nil }

    /// Merges the pending steps again with the rest of the other side's edits.
    func merge(_ pending: inout [PendingStep], _ policy: ConflictPolicy) {
        var others = others.edits
        for index in pending.indices {
            guard let edits = made[pending[index].id] else { continue }
            let passed = edits.passed(over: others, policy)
            (pending[index].carried, others) = (passed.mine, passed.theirs)
        }
    }

    /// Whether something is merged with these, and they are not too many.
    var isNeeded: Bool { !made.isEmpty && others.edits.count <= MissingWork.countMax }

    /// One of the pending steps is confirmed, as it was expected. Returns what is needed still.
    func confirming(_ step: PendingStep, _ policy: ConflictPolicy) -> MissingWork? {
        var rest = self
        let passed = (made[step.id] ?? []).passed(over: others.edits, policy)
        rest.others.replace(passed.theirs)
        rest.made[step.id] = nil
        return rest.isNeeded ? rest : nil
    }
}
