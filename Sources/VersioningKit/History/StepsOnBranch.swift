/// The steps behind the current version and ahead of it, not those that were undone and then edited
/// over, or discarded.
///
/// Those behind are found as far as somebody asks: they come the newest first, and each has a
/// greater number than those before it.
public struct StepsOnBranch<Step: Hashable & Comparable> {
    private var back: StepsBack<Step>
    private var found: Set<Step>
    private var reached: Step?

    /// O(steps ahead).
    init(_ history: VersionHistory<Step>, _ back: StepsBack<Step>) {
        self.back = back
        found = Set(history.stepsAhead)
        found.formUnion(history.firstSteps)
    }

    /// Finds those from a step on. O(steps behind the current version from there on).
    public mutating func reach(_ step: Step) {
        while reached.map({ $0 > step }) ?? true, let next = back.next() {
            found.insert(next)
            reached = next
        }
    }

    /// Whether a step that was reached is on the branch. O(1).
    public func contains(_ step: Step) -> Bool { found.contains(step) }
}

extension StepsOnBranch: Sendable where Step: Sendable {}

extension VersionHistory where Step: Hashable & Comparable {
    /// The steps behind the current version and ahead of it. O(steps ahead), and what is reached.
    public var stepsOnBranch: StepsOnBranch<Step> { StepsOnBranch(self, stepsBack) }
}

extension VersionHistory where Step == VersionID {
    /// The same for who asks about steps below a number only, where versions are named by the first
    /// of their edits. O(steps ahead + rows, and versions between them), and what is reached.
    public func stepsOnBranch(before number: Step) -> StepsOnBranch<Step> {
        StepsOnBranch(self, stepsBack(before: number))
    }

    /// The steps that lead to the current version; those that are not below a number may be left
    /// out.
    private func stepsBack(before number: Step) -> StepsBack<Step> {
        let end = firstPlace(from: number)
        var place = Int(state.current)
        while place > 0 {
            if let row = state.versions.rowStart(at: place) {
                // In a row, steps are not below their version's number.
                guard end <= place else { break }
                place = Swift.max(row, end) - 1
                continue
            }
            let version = state.versions[place]
            // What a scope has become is named by its end, and has older steps.
            if let last = version.steps.last, last < number { break }
            if let first = version.steps.list.first, first < number { break }
            place = Int(version.parent)
        }
        return StepsBack(self, from: Int32(place))
    }
}

extension VersionHistory {
    /// The steps of the first version, to which nothing leads back.
    fileprivate var firstSteps: [Step] { state.versions[0].steps.list }

    /// The steps ahead of the current version, and ahead of the places where scopes were opened.
    fileprivate var stepsAhead: [Step] {
        var steps: [Step] = []
        for start in [current.redo] + state.scopes.map(\.outerRedo) {
            var next = start
            while next >= 0 {
                let version = state.versions[Int(next)]
                steps += version.steps.list
                next = version.redo
            }
        }
        return steps
    }
}
