/// The steps behind the current version and ahead of it, not those that were undone and then edited
/// over, or discarded; where versions are named by the first of their edits.
///
/// They are found as far as somebody asks: on each way a step has a greater number than those
/// before it.
public struct StepsOnBranch: Sendable {
    private let history: VersionHistory<Int>
    private var back: StepsBack<Int>
    private var found: Set<Int>
    private var reached: Int

    /// Of steps below a number. O(rows, and versions between them).
    init(_ history: VersionHistory<Int>, before number: Int) {
        self.history = history
        back = history.stepsBack(before: number)
        // To the first version nothing leads back.
        found = Set(history.state.versions[0].steps.list)
        reached = number
    }

    /// Finds those from a step on. O(rows, and versions between them, and what is found).
    public mutating func reach(_ step: Int) {
        guard step < reached else { return }
        for start in history.startsAhead {
            found.formUnion(history.steps(ahead: start, in: step..<reached))
        }
        while reached > step, let next = back.next() {
            found.insert(next)
            reached = next
        }
        reached = min(reached, step)
    }

    /// Whether a step that was reached is on the branch. O(1).
    public func contains(_ step: Int) -> Bool { found.contains(step) }
}

extension VersionHistory where Step == VersionID {
    /// The steps below a number that are behind the current version and ahead of it, where versions
    /// are named by the first of their edits. O(rows, and versions between them), and what is
    /// reached.
    public func stepsOnBranch(before number: Step) -> StepsOnBranch {
        StepsOnBranch(self, before: number)
    }

    /// The steps that lead to the current version; those that are not below a number may be left
    /// out.
    fileprivate func stepsBack(before number: Step) -> StepsBack<Step> {
        let end = firstPlace(from: number)
        var place = Int(state.current)
        while place > 0 {
            if let row = state.versions.row(at: place) {
                // In a row, steps are not below their version's number.
                guard end <= place else { break }
                place = Swift.max(row.lowerBound, end) - 1
                continue
            }
            let version = state.versions[place]
            // What a scope has become is named by its end, and has older steps.
            if let first = version.steps.list.first, first < number { break }
            place = Int(version.parent)
        }
        return StepsBack(self, from: Int32(place))
    }

    /// The steps of a range on the way that redo takes, and perhaps some more.
    fileprivate func steps(ahead start: Int32, in range: Range<Step>) -> [Step] {
        var steps: [Step] = []
        // In a row, steps are below the number of the version behind theirs.
        let last = Int32(firstPlace(from: range.lowerBound + 1) - 1)
        var place = start
        while place >= 0 {
            let next = follow(place, inRowTo: last)
            if next > place {
                place = next
                continue
            }
            let version = state.versions[Int(place)]
            if let first = version.steps.list.first, first >= range.upperBound { break }
            steps += version.steps.list
            place = version.redo
        }
        return steps
    }
}

extension VersionHistory {
    /// Where the ways begin that lie ahead: of the current version, and of the places where scopes
    /// were opened; -1 where there is none.
    var startsAhead: [Int32] { [current.redo] + state.scopes.map(\.outerRedo) }
}
