/// The steps that lead to a history's current version, the newest first, up to where undo ends.
public struct StepsBack<Step>: Sequence, IteratorProtocol {
    private let versions: PersistentArray<VersionHistory<Step>.Version>
    private var place: Int
    private var steps: [Step] = []
    /// The version that the step which was returned last is a part of.
    public private(set) var version: VersionHistory<Step>.VersionID

    init(_ history: VersionHistory<Step>) {
        versions = history.state.versions
        place = Int(history.state.current)
        version = history.currentID
        load()
    }

    /// The step before; `nil` at the beginning of the history.
    public mutating func next() -> Step? {
        while steps.isEmpty {
            guard place > 0 else { return nil }
            place = Int(versions[place].parent)
            load()
        }
        version = versions[place].id
        return steps.popLast()
    }

    /// The first version was not made by a step that can be undone.
    private mutating func load() {
        steps = place > 0 ? versions[place].steps.list : []
    }
}

extension StepsBack: Sendable where Step: Sendable {}
