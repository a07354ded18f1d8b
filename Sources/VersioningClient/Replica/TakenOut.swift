import JSONTree

/// Pending steps without some of them, and without the edits that rest on those: letters typed
/// right behind letters, and what was done inside a value or to it.
struct TakenOut {
    /// The steps that stay, each with the edits that are left of it.
    private(set) var kept: [PendingStep] = []
    /// The edits that go along.
    private(set) var resting: [MergeEdit] = []
    /// The edits that undo all that goes, behind the last pending step.
    private(set) var undoing: [MergeEdit] = []

    /// With more edits to undo than this, all that is behind them counts as resting on them.
    private static let undoingMax = 1_000

    /// `undoingOf`: the edits that undo a step that goes; `nil` for a step that stays.
    init(
        from pending: [PendingStep], _ undoingOf: (PendingStep) -> [MergeEdit]?,
        resting isResting: (EditPair) -> Bool
    ) {
        for step in pending {
            if let own = undoingOf(step) {
                undoing = own + undoing
                continue
            }
            var left = step
            left.carried = step.carried.flatMap { keep($0, isResting) }
            kept.append(left)
        }
    }

    private mutating func keep(
        _ edit: MergeEdit, _ isResting: (EditPair) -> Bool
    ) -> [MergeEdit] {
        if undoing.count <= TakenOut.undoingMax {
            let passed = [edit].passed(over: undoing, .theirs)
            if !passed.pairs.contains(where: isResting) {
                undoing = passed.theirs
                return passed.mine
            }
        }
        resting.append(edit)
        undoing = [edit].inverses + undoing
        return []
    }
}
