import JSONTree

/// Steps that were undone before the daemon had them: they can be redone here.
struct UndoneSteps: Sendable {
    enum Step: Sendable {
        /// The edits follow others' edits, as pending ones do.
        case kept([MergeEdit], StepOptions)
        /// The step under way: a pending undo reverts it.
        case undo(Int, of: Int)
    }

    /// The last one is the newest.
    private(set) var steps: [Step] = []

    var isEmpty: Bool { steps.isEmpty }

    mutating func forget() {
        steps = []
    }

    mutating func add(_ step: Step) {
        steps.append(step)
    }

    mutating func removeLast() -> Step? { steps.popLast() }

    /// Carries the kept edits past others' edits of the shown value, which is without them. The
    /// newest step is the first to be redone, and the one before it rests on that.
    ///
    /// `undoing`: what a pending undo does now.
    mutating func follow(
        _ others: [MergeEdit], _ policy: ConflictPolicy, undoing: (Int) -> [MergeEdit]
    ) {
        var others = others
        for index in steps.indices.reversed() {
            switch steps[index] {
            case .kept(let edits, let options):
                let passed = edits.passed(over: others, policy)
                steps[index] = .kept(passed.mine, options)
                others = passed.theirs
            case .undo(let id, _):
                others = undoing(id).inverses.passed(over: others, policy).theirs
            }
        }
    }

    /// Nothing was done of a step that was undone: to redo it is to make it again.
    mutating func putBack(_ step: PendingStep) {
        steps = steps.map { one in
            guard case .undo(_, of: step.id) = one else { return one }
            return .kept(step.carried, step.options)
        }
    }

    /// A step is confirmed: its undo is a matter of the daemon. Steps that rested on it are
    /// carried past the undo.
    mutating func confirmed(_ step: Int, undoneBy undoing: [MergeEdit]) {
        guard let index = index(of: step) else { return }
        steps.remove(at: index)
        var earlier = UndoneSteps(steps: Array(steps[..<index]))
        earlier.follow(undoing, .theirs) { _ in [] }
        steps.replaceSubrange(..<index, with: earlier.steps)
    }

    /// A step came to nothing: so did its undo, and what rests on it.
    mutating func forget(resting step: Int) {
        guard let index = index(of: step) else { return }
        steps.removeSubrange(...index)
    }

    private func index(of step: Int) -> Int? {
        steps.firstIndex { if case .undo(_, of: step) = $0 { true } else { false } }
    }
}
