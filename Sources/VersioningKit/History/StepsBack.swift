/// The steps that lead to a history's current version, the newest first, up to where undo ends.
public struct StepsBack<Step>: Sequence, IteratorProtocol {
    @usableFromInline let versions: PersistentArray<VersionHistory<Step>.Version>
    @usableFromInline var place: Int
    @usableFromInline var steps: [Step] = []
    /// The version that the step which was returned last is a part of.
    public internal(set) var version: VersionHistory<Step>.VersionID
    /// The oldest step of that version.
    public internal(set) var first: Step?

    init(_ history: VersionHistory<Step>, from start: Int32? = nil) {
        let start = start ?? history.state.current
        versions = history.state.versions
        place = Int(start)
        version = history.state.versions[Int(start)].id
    }

    /// The step before; `nil` at the beginning of the history, whose first version was not made by
    /// a step that can be undone.
    @inlinable
    public mutating func next() -> Step? {
        while steps.isEmpty {
            guard place > 0 else { return nil }
            load(versions[place])
        }
        return steps.popLast()
    }

    @usableFromInline
    mutating func load(_ next: VersionHistory<Step>.Version) {
        steps = next.steps.list
        version = next.id
        first = steps.first
        place = Int(next.parent)
    }
}

extension StepsBack<Int> {
    /// Passes the steps that are not below a number. Returns whether all versions that have some of
    /// them are named by the first of their steps. O(rows, and versions between them).
    @discardableResult
    public mutating func pass(downTo number: Int) -> Bool {
        let end = versions.firstPlace(from: number)
        var isNamedByFirst = first == nil || first == version
        dropSteps(from: number)
        while steps.isEmpty, place > 0 {
            if end <= place, let row = versions.row(at: place) {
                // In a row all are so named.
                place = Swift.max(row.lowerBound, end) - 1
                continue
            }
            let next = versions[place]
            // A popped scope has the id of its end, and older steps.
            if next.id >= number && next.steps.list.first != next.id { isNamedByFirst = false }
            load(next)
            dropSteps(from: number)
        }
        return isNamedByFirst
    }

    private mutating func dropSteps(from number: Int) {
        while let last = steps.last, last >= number { steps.removeLast() }
    }
}

extension StepsBack: Sendable where Step: Sendable {}
