/// The steps behind the current version and ahead of it, not those that were undone and then edited
/// over, or discarded; where versions are named by the first of their edits.
///
/// Steps are found as far as the caller iterates: on each way, a step has a greater number than
/// those before it.
public struct StepsOnBranch: Sendable {
    private let history: VersionHistory<Int>
    private var back: StepsBack<Int>
    /// The way back was found down to this step.
    private var reachedBack: Int
    /// The places of versions ahead that are in rows. The others ahead were found at once.
    private let rowsAhead: [Range<Int>]
    /// In rows those from this step on were found.
    private var reached: Int
    private var found: Set<Int>

    /// Of steps below a number. O(rows, and versions between them).
    init(_ history: VersionHistory<Int>, before number: Int) {
        self.history = history
        back = history.stepsBack(before: number)
        let ahead = history.stepsAhead
        rowsAhead = ahead.rows
        // To the first version nothing leads back.
        found = Set(history.state.versions[0].steps.list + ahead.others)
        (reached, reachedBack) = (number, number)
    }

    /// Finds those from a step on. O(rows + what is found).
    public mutating func reach(_ step: Int) {
        while reachedBack > step, let next = back.next() {
            found.insert(next)
            reachedBack = next
        }
        guard step < reached else { return }
        for row in rowsAhead {
            found.formUnion(history.steps(ofRow: row, in: step..<reached))
        }
        reached = step
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

    /// The steps below a number that lead to the current version, the newest first. O(rows, and
    /// versions between them), and what is asked for.
    public func stepsBack(before number: Step) -> StepsBack<Step> {
        var steps = stepsBack
        steps.pass(downTo: number)
        return steps
    }

    /// The steps of a range in a row of versions, and perhaps some more.
    fileprivate func steps(ofRow row: Range<Int>, in range: Range<Step>) -> [Step] {
        var steps: [Step] = []
        // In a row, steps are below the number of the version behind theirs.
        var place = Swift.max(row.lowerBound, firstPlace(from: range.lowerBound + 1) - 1)
        while place < row.upperBound {
            let version = state.versions[place]
            if version.id >= range.upperBound { break }
            steps += version.steps.list
            place += 1
        }
        return steps
    }

    /// The versions ahead: the places in rows, and the steps of those in none. O(rows, and versions
    /// between them).
    fileprivate var stepsAhead: (rows: [Range<Int>], others: [Step]) {
        var (rows, others) = ([Range<Int>](), [Step]())
        for start in startsAhead {
            var place = start
            while place >= 0 {
                let next = follow(place, inRowTo: .max)
                if next > place {
                    rows.append(Int(place)..<Int(next))
                    place = next
                } else {
                    others += state.versions[Int(place)].steps.list
                    place = state.versions[Int(place)].redo
                }
            }
        }
        return (rows, others)
    }
}

extension VersionHistory {
    /// Where the ways begin that lie ahead: of the current version, and of the places where scopes
    /// were opened; -1 where there is none.
    var startsAhead: [Int32] { [current.redo] + state.scopes.map(\.outerRedo) }
}
