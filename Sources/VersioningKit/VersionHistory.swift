/// What undo and redo would do: versions, the one we are at, scopes, tags, and the open group.
///
/// A pure value. It knows no clock, no storage and no documents; it never looks inside a `Step`,
/// which is whatever takes a thing from one version to the next and back. The Swift controller uses
/// it with reversions, the daemon with the revisions of a document. Time is an argument.
///
/// Versions form a tree. Undo goes to the parent, redo to the child that was last undone or
/// appended, so an append after undo forks: the old future stays, and `goTo` reaches it.
///
/// ```swift
/// var history = VersionHistory<String>()
/// history.append("typed a", id: 1)
/// let parent = try history.target(of: .undo(count: 1))
/// history.move(to: parent)        // history.hasRedo == true
/// ```
public struct VersionHistory<Step: Sendable>: Sendable {
    /// A version's name for life. Ids grow; version `root` is the state at creation.
    public typealias VersionID = Int

    /// Everything that outlives a restart.
    public private(set) var state: State
    /// The group that the next quick edit of the same actor would join.
    public private(set) var openGroup: OpenGroup?

    /// Everything that outlives a restart, for storing it.
    public struct State: Sendable {
        /// In the order of their ids; the first is the state at creation.
        public var versions: PersistentArray<Version>
        /// The place of the current version in `versions`.
        public var current: Int32
        /// The open scopes, outermost first.
        public var scopes: [Scope]
        /// Names, and the places of the versions that they name.
        public var tags: [String: Int32]

        public init(
            versions: PersistentArray<Version>, current: Int32, scopes: [Scope],
            tags: [String: Int32]
        ) {
            self.versions = versions
            self.current = current
            self.scopes = scopes
            self.tags = tags
        }
    }

    /// One state that undo and redo stop at.
    public struct Version: Sendable {
        public let id: VersionID
        /// The place of the version that undo goes to.
        public let parent: Int32
        /// The place of the version that redo goes to, or -1.
        public var redo: Int32
        /// What leads here from the parent.
        public var steps: Steps<Step>

        public init(id: VersionID, parent: Int32, redo: Int32, steps: Steps<Step>) {
            self.id = id
            self.parent = parent
            self.redo = redo
            self.steps = steps
        }
    }

    /// A span of history that undo and redo do not leave.
    public struct Scope: Sendable, Equatable {
        /// The place of the version that it was opened at.
        public let base: Int32
        /// The place that the first version made inside it has or will have.
        public let start: Int32
        /// Where redo would have gone from the base before the scope was opened.
        public let outerRedo: Int32
        public let owner: String

        public init(base: Int32, start: Int32, outerRedo: Int32, owner: String) {
            self.base = base
            self.start = start
            self.outerRedo = outerRedo
            self.owner = owner
        }
    }

    /// A version that still takes in quick edits.
    public struct OpenGroup: Sendable, Equatable {
        public let actor: String
        public let began: Duration
        public fileprivate(set) var last: Duration
        /// The bounds that it was opened or last joined with.
        public fileprivate(set) var grouping: Grouping
    }

    /// A history that begins at version `root`.
    public init(root: VersionID = 0) {
        let first = Version(id: root, parent: -1, redo: -1, steps: .none)
        state = State(versions: PersistentArray([first]), current: 0, scopes: [], tags: [:])
    }

    /// A history as it was stored; `nil` if what was stored makes no sense.
    public init?(state: State) {
        let places = 0..<Int32(state.versions.count)
        guard places.contains(state.current), state.tags.values.allSatisfy(places.contains),
            state.scopes.allSatisfy({ places.contains($0.base) && $0.start > $0.base })
        else { return nil }
        var lastID = -1
        for (place, version) in zip(places, state.versions) {
            let isParentEarlier = version.parent < place && version.parent >= (place == 0 ? -1 : 0)
            guard isParentEarlier, version.id > lastID, version.redo < places.upperBound else {
                return nil
            }
            lastID = version.id
        }
        self.state = state
    }

    private var current: Version { state.versions[Int(state.current)] }

    /// The version we are at.
    public var currentID: VersionID { current.id }

    /// The version that the current scope was opened at; the first one in the root scope.
    private var base: Int32 { state.scopes.last?.base ?? 0 }

    /// Whether `undo` has somewhere to go in the current scope.
    public var hasUndo: Bool { state.current != base }

    /// Whether `redo` has somewhere to go in the current scope.
    public var hasRedo: Bool { current.redo >= 0 }

    /// How many scopes are open: 0 in the root scope.
    public var scopeLevel: Int { state.scopes.count }

    /// How many versions `undo` could take back. O(that many).
    public var undoCount: Int { walk(from: state.current, until: base) { $0.parent } }

    /// How many versions `redo` could bring back. O(that many).
    public var redoCount: Int { walk(from: state.current, until: -1) { $0.redo } - 1 }

    private func walk(from: Int32, until end: Int32, _ next: (Version) -> Int32) -> Int {
        var place = from
        var count = 0
        while place != end {
            place = next(state.versions[Int(place)])
            count += 1
        }
        return count
    }

    private func place(of id: VersionID) -> Int32? {
        var (low, high) = (0, state.versions.count)
        while low < high {
            let middle = (low + high) / 2
            if state.versions[middle].id < id { low = middle + 1 } else { high = middle }
        }
        guard low < state.versions.count, state.versions[low].id == id else { return nil }
        return Int32(low)
    }

    /// The version with this id, if there is one. O(log n).
    public func version(_ id: VersionID) -> Version? {
        place(of: id).map { state.versions[Int($0)] }
    }

    /// The id of the version that `undo` goes to from `id`.
    public func parent(of id: VersionID) -> VersionID? {
        guard let parent = version(id)?.parent, parent >= 0 else { return nil }
        return state.versions[Int(parent)].id
    }
}

/// What leads from one version to the next: nothing, one step, or several in order.
@frozen public enum Steps<Step: Sendable>: Sendable {
    case none
    case one(Step)
    case many(PersistentArray<Step>)

    /// The steps, oldest first.
    @inlinable public var list: [Step] {
        switch self {
        case .none: []
        case .one(let step): [step]
        case .many(let steps): Array(steps)
        }
    }

    /// The newest step.
    @inlinable public var last: Step? {
        switch self {
        case .none: nil
        case .one(let step): step
        case .many(let steps): steps[steps.count - 1]
        }
    }

    public init(_ list: [Step]) {
        self = list.count > 1 ? .many(PersistentArray(list)) : list.first.map(Steps.one) ?? .none
    }

    mutating func append(_ step: Step) {
        switch self {
        case .none: self = .one(step)
        case .one(let first): self = .many(PersistentArray([first, step]))
        case .many(var steps):
            steps.append(step)
            self = .many(steps)
        }
    }
}

// MARK: Appending and grouping

extension VersionHistory {
    /// Whether an edit of `actor` at `time` would join the open group.
    ///
    /// It does if it comes within `window` of the edit before and the group is younger than `max`.
    /// A clock that went back counts as no time passed.
    public func joins(actor: String, at time: Duration, grouping: Grouping) -> Bool {
        guard let openGroup, openGroup.actor == actor else { return false }
        let time = Swift.max(time, openGroup.last)
        return time - openGroup.last <= grouping.window && time - openGroup.began < grouping.max
    }

    /// Records a step: as a new version named `id`, or as a part of the open group.
    ///
    /// `joining` is what `joins` said when the edit was made; it is stored with the edit, so that
    /// replay makes the same versions whatever the settings are by then.
    public mutating func append(
        _ step: Step, id: VersionID, joining: Bool = false, actor: String = "",
        at time: Duration = .zero, grouping: Grouping = .none
    ) {
        if joining {
            state.versions[Int(state.current)].steps.append(step)
            if var group = openGroup {
                group.last = Swift.max(group.last, time)
                group.grouping = grouping
                openGroup = group
            }
            return
        }
        add(Version(id: id, parent: state.current, redo: -1, steps: .one(step)))
        openGroup =
            grouping == .none
            ? nil : OpenGroup(actor: actor, began: time, last: time, grouping: grouping)
    }

    private mutating func add(_ version: Version) {
        precondition(version.id > state.versions[state.versions.count - 1].id, "version ids grow")
        let place = Int32(state.versions.count)
        state.versions[Int(version.parent)].redo = place
        state.versions.append(version)
        state.current = place
    }

    /// Ends the open group: the next edit begins a new version.
    public mutating func seal() {
        openGroup = nil
    }

    /// When the open group will be over if nobody edits, or `nil` if none is open.
    public var sealDeadline: Duration? {
        openGroup.map { group in
            min(group.last + group.grouping.window, group.began + group.grouping.max)
        }
    }
}

// MARK: Moving

extension VersionHistory {
    /// The version that a move would end at. Changes nothing.
    public func target(of move: Move) throws(VersionError) -> VersionID {
        let place =
            switch move {
            case .undo(let count): try climb(count)
            case .redo(let count): try descend(count)
            case .undoScope: hasUndo ? base : try climb(1)
            case .redoScope: try descend(Swift.max(1, redoCount))
            case .undoTo(let tag): try ancestor(tagged: tag)
            case .redoTo(let tag): try descendant(tagged: tag)
            case .goTo(let id):
                if let place = place(of: id) {
                    try inScope(place)
                } else {
                    throw .unknownVersion(id)
                }
            case .goToTag(let tag): try inScope(try place(tagged: tag))
            }
        return state.versions[Int(place)].id
    }

    private func climb(_ count: Int) throws(VersionError) -> Int32 {
        var place = state.current
        for done in 0..<count {
            guard place != base else { throw .nothingToUndo(available: done) }
            place = state.versions[Int(place)].parent
        }
        return place
    }

    private func descend(_ count: Int) throws(VersionError) -> Int32 {
        var place = state.current
        for done in 0..<count {
            let next = state.versions[Int(place)].redo
            guard next >= 0 else { throw .nothingToRedo(available: done) }
            place = next
        }
        return place
    }

    private func place(tagged tag: String) throws(VersionError) -> Int32 {
        guard let place = state.tags[tag] else { throw .unknownTag(tag) }
        return place
    }

    private func inScope(_ place: Int32) throws(VersionError) -> Int32 {
        guard let scope = state.scopes.last else { return place }
        guard place >= scope.start || place == scope.base else { throw .outsideScope }
        return place
    }

    private func ancestor(tagged tag: String) throws(VersionError) -> Int32 {
        let target = try inScope(try place(tagged: tag))
        var place = state.current
        while place > target { place = state.versions[Int(place)].parent }
        guard place == target else { throw .notOnPath(tag) }
        return target
    }

    private func descendant(tagged tag: String) throws(VersionError) -> Int32 {
        let target = try inScope(try place(tagged: tag))
        var place = state.current
        while place >= 0 && place < target { place = state.versions[Int(place)].redo }
        guard place == target else { throw .notOnPath(tag) }
        return target
    }

    /// The steps between the current version and `id`: first those to take back, then those to do.
    public func route(to id: VersionID) -> Route<Step> {
        var route = Route<Step>()
        guard let target = place(of: id) else { return route }
        var (from, to) = (state.current, target)
        var ahead: [[Step]] = []
        // A parent stands before its children, so the later of the two places can climb.
        while from != to {
            if from > to {
                route.undone += state.versions[Int(from)].steps.list.reversed()
                from = state.versions[Int(from)].parent
            } else {
                ahead.append(state.versions[Int(to)].steps.list)
                to = state.versions[Int(to)].parent
            }
        }
        route.redone = ahead.reversed().flatMap { $0 }
        return route
    }

    /// Makes `id` the current version. Ends the open group.
    ///
    /// Redo leads back along the way that was come.
    public mutating func move(to id: VersionID) {
        seal()
        guard let target = place(of: id) else { return }
        var (from, to) = (state.current, target)
        while from != to {
            let later = Swift.max(from, to)
            let parent = state.versions[Int(later)].parent
            state.versions[Int(parent)].redo = later
            if from > to { from = parent } else { to = parent }
        }
        state.current = target
    }
}

// MARK: Tags

extension VersionHistory {
    /// Names the current version. A name that exists moves. Ends the open group.
    public mutating func tagCurrent(_ tag: String) {
        seal()
        state.tags[tag] = state.current
    }

    /// Names version `id`, which exists.
    public mutating func tag(_ id: VersionID, as tag: String) {
        seal()
        state.tags[tag] = place(of: id) ?? state.current
    }

    /// Forgets a name.
    public mutating func removeTag(_ tag: String) {
        seal()
        state.tags[tag] = nil
    }

    /// The version that `tag` names.
    public func version(tagged tag: String) -> VersionID? {
        state.tags[tag].map { state.versions[Int($0)].id }
    }

    /// Every tag, the version it names, and the level of the scope that the version belongs to.
    public var tags: [(name: String, version: VersionID, scopeLevel: Int)] {
        state.tags.map { name, place in
            let level = state.scopes.prefix { $0.start <= place }.count
            return (name, state.versions[Int(place)].id, level)
        }
    }

    /// The tags of version `id`.
    public func tags(of id: VersionID) -> [String] {
        guard let place = place(of: id) else { return [] }
        return state.tags.filter { $0.value == place }.keys.sorted()
    }
}

// MARK: Scopes

extension VersionHistory {
    /// Opens a scope at the current version. Ends the open group.
    public mutating func pushScope(owner: String = "") {
        seal()
        state.scopes.append(
            Scope(
                base: state.current, start: Int32(state.versions.count),
                outerRedo: current.redo, owner: owner))
        state.versions[Int(state.current)].redo = -1
    }

    /// The version that the current scope was opened at.
    public func scopeBase() throws(VersionError) -> VersionID {
        guard let scope = state.scopes.last else { throw .rootScope }
        return state.versions[Int(scope.base)].id
    }

    /// Closes the current scope: what was done in it becomes one version of the scope below.
    ///
    /// Without a net change no version is made, and `nil` is returned. A tag of the last version
    /// goes to the result. Ends the open group.
    public mutating func popScope(id: VersionID, isChanged: Bool) throws(VersionError) -> VersionID?
    {
        guard let scope = state.scopes.last else { throw .rootScope }
        seal()
        let last = state.current
        let baseID = state.versions[Int(scope.base)].id
        let steps = VersionHistory.steps(state, from: last, to: scope.base)
        closeScope(scope)
        if isChanged && last != scope.base {
            add(Version(id: id, parent: scope.base, redo: -1, steps: Steps(steps)))
        }
        if last != scope.base {
            for (tag, place) in state.tags where place == last { state.tags[tag] = state.current }
        }
        return currentID == baseID ? nil : currentID
    }

    private static func steps(_ state: State, from: Int32, to base: Int32) -> [Step] {
        var place = from
        var parts: [[Step]] = []
        while place != base {
            parts.append(state.versions[Int(place)].steps.list)
            place = state.versions[Int(place)].parent
        }
        return parts.reversed().flatMap { $0 }
    }

    /// Closes the current scope and goes back to where it was opened. Ends the open group.
    ///
    /// What was done in it stays reachable by `goTo`, but redo does not lead there.
    public mutating func discardScope() throws(VersionError) {
        guard let scope = state.scopes.last else { throw .rootScope }
        seal()
        closeScope(scope)
    }

    private mutating func closeScope(_ scope: Scope) {
        state.scopes.removeLast()
        state.versions[Int(scope.base)].redo = scope.outerRedo
        state.current = scope.base
    }
}
