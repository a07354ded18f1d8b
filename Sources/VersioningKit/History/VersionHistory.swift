public import Naming

/// The state of undo and redo: versions, the current one, scopes, tags, and the open group.
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
public struct VersionHistory<Step> {
    /// A version's name for life. Ids grow; version `root` is the state at creation.
    public typealias VersionID = Int

    /// Everything that outlives a restart.
    public internal(set) var state: State
    /// The group that the next quick edit of the same actor would join.
    public internal(set) var openGroup: OpenGroup?

    /// Everything that outlives a restart, for storing it.
    public struct State {
        /// In the order of their ids; the first is the state at creation.
        public var versions: PersistentArray<Version>
        /// The place of the current version in `versions`.
        public var current: Int32
        /// The open scopes, outermost first.
        public var scopes: [Scope]
        /// Names, and the places of the versions that they name.
        public var tags: [Name: Int32]

        /// A state with these parts.
        public init(
            versions: PersistentArray<Version>, current: Int32, scopes: [Scope],
            tags: [Name: Int32]
        ) {
            self.versions = versions
            self.current = current
            self.scopes = scopes
            self.tags = tags
        }
    }

    /// One state that undo and redo stop at.
    public struct Version {
        /// The number of the change that began it.
        public let id: VersionID
        /// The place of the version that undo goes to.
        public let parent: Int32
        /// The place of the version that redo goes to, or -1.
        public var redo: Int32
        /// How many versions are on the way to it from the first there ever was.
        public let depth: Int32
        /// The steps from the parent.
        public var steps: Steps<Step>

        /// A version with these parts.
        public init(
            id: VersionID, parent: Int32, redo: Int32, depth: Int32, steps: Steps<Step>
        ) {
            self.depth = depth
            self.id = id
            self.parent = parent
            self.redo = redo
            self.steps = steps
        }
    }

    /// A span of history that undo and redo do not leave.
    public struct Scope: Sendable, Equatable {
        /// The place of the version that it was opened at.
        public let opening: Int32
        /// The place that the first version made inside it has or will have.
        public let start: Int32
        /// Where redo would have gone from there before the scope was opened.
        public let outerRedo: Int32
        /// The actor that opened it.
        public let owner: Name
        /// When it closes by itself; `nil` for never.
        public internal(set) var expiry: ScopeExpiry?

        /// A scope with these parts.
        public init(
            opening: Int32, start: Int32, outerRedo: Int32, owner: Name, expiry: ScopeExpiry? = nil
        ) {
            self.expiry = expiry
            self.opening = opening
            self.start = start
            self.outerRedo = outerRedo
            self.owner = owner
        }
    }

    /// A version that still takes in quick edits.
    public struct OpenGroup: Sendable, Equatable {
        /// Whose edits it is.
        public let actor: Name
        /// When its first edit came.
        public let began: Duration
        /// When its last edit came.
        public internal(set) var last: Duration
        /// The bounds that it was opened or last joined with.
        public internal(set) var grouping: Grouping
    }

    /// A history that begins at version `root`.
    public init(root: VersionID = 0) {
        let first = Version(id: root, parent: -1, redo: -1, depth: 0, steps: .none)
        state = State(versions: PersistentArray([first]), current: 0, scopes: [], tags: [:])
    }

    /// A stored history; `nil` if the stored state is inconsistent. Packed versions are not
    /// checked: packing has checked them.
    public init?(state: State) {
        let places = 0..<Int32(state.versions.count)
        guard places.contains(state.current), state.tags.values.allSatisfy(places.contains),
            state.scopes.allSatisfy({ places.contains($0.opening) && $0.start > $0.opening })
        else { return nil }
        let packed = state.versions.packedCount
        var lastID = packed > 0 ? state.versions[packed - 1].id : -1
        for place in Int32(packed)..<places.upperBound {
            let version = state.versions[Int(place)]
            let isParentEarlier = version.parent < place && version.parent >= (place == 0 ? -1 : 0)
            guard isParentEarlier, version.id > lastID, version.redo < places.upperBound else {
                return nil
            }
            lastID = version.id
        }
        self.state = state
    }

    var current: Version { state.versions[Int(state.current)] }

    /// The version we are at.
    public var currentID: VersionID { current.id }

    /// The version that the current scope was opened at; the first one in the root scope.
    var opening: Int32 { state.scopes.last?.opening ?? 0 }

    /// Whether `undo` has somewhere to go in the current scope.
    public var hasUndo: Bool { state.current != opening }

    /// Whether `redo` has somewhere to go in the current scope.
    public var hasRedo: Bool { current.redo >= 0 }

    /// How many scopes are open: 0 in the root scope.
    public var scopeLevel: Int { state.scopes.count }

    /// The number of versions that `undo` could revert. O(1).
    public var undoCount: Int { Int(current.depth - state.versions[Int(opening)].depth) }

    /// How many versions `redo` could bring back. O(that many).
    public var redoCount: Int {
        follow(state.current, to: .max).count
    }

    func place(of id: VersionID) -> Int32? {
        let last = current
        if last.id == id { return state.current }
        let low = firstPlace(from: id)
        guard low < state.versions.count, state.versions[low].id == id else { return nil }
        return Int32(low)
    }

    /// The place of the first version whose id is not below `id`. O(log n).
    func firstPlace(from id: VersionID) -> Int {
        state.versions.firstPlace(from: id)
    }

    /// The versions with ids in a range, in order. O(log n + that many).
    public func versions(from first: VersionID, to last: VersionID) -> [Version] {
        var low = firstPlace(from: first)
        var found: [Version] = []
        while low < state.versions.count, state.versions[low].id <= last {
            found.append(state.versions[low])
            low += 1
        }
        return found
    }

    /// The version with this id, if there is one. O(log n).
    public func version(_ id: VersionID) -> Version? {
        place(of: id).map { state.versions[Int($0)] }
    }
}

extension VersionHistory {
    /// Puts the same versions, stored in some other way, in the place of those that are here.
    public mutating func adopt(_ versions: PersistentArray<Version>) {
        precondition(versions.count == state.versions.count, "they are the same versions")
        state.versions = versions
    }
}

extension VersionHistory.Version: Equatable where Step: Equatable {}

extension VersionHistory: Sendable where Step: Sendable {}
extension VersionHistory.State: Sendable where Step: Sendable {}
extension VersionHistory.Version: Sendable where Step: Sendable {}

extension PersistentArray {
    /// The place of the first version whose id is not below `id`. O(log n).
    func firstPlace<Step>(from id: Int) -> Int where Element == VersionHistory<Step>.Version {
        let places = places(from: id)
        var (low, high) = (places.lowerBound, places.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
