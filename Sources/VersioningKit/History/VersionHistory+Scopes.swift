public import Naming

/// When a scope is closed by itself, and how.
public struct ScopeExpiry: Sendable, Equatable {
    /// The treatment of the versions in it.
    public enum Policy: UInt8, Sendable {
        case pop = 1
        case discard
        /// Discarded if all that was done in it is its owner's, and popped if not.
        case discardOwn
    }

    /// On the clock that edits are dated by.
    public private(set) var deadline: Duration
    /// How the scope closes then.
    public let policy: Policy
    /// How long the owner may be silent; `nil` if the deadline stays whatever the owner does.
    public let lifetime: Duration?

    /// An end at a time; `lifetime` makes it later with each thing that the owner does.
    public init(deadline: Duration, policy: Policy, lifetime: Duration? = nil) {
        self.deadline = deadline
        self.policy = policy
        self.lifetime = lifetime
    }

    mutating func extend(from time: Duration) {
        if let lifetime { deadline = max(deadline, time + lifetime) }
    }
}

extension VersionHistory {
    /// Opens a scope at the current version. Ends the open group.
    public mutating func pushScope(owner: Name = .nobody, expiry: ScopeExpiry? = nil) {
        seal()
        state.scopes.append(
            Scope(
                opening: state.current, start: Int32(state.versions.count),
                outerRedo: current.redo, owner: owner, expiry: expiry))
        state.versions[Int(state.current)].redo = -1
    }

    /// The version that the current scope was opened at.
    public func scopeOpening() throws(VersionError) -> VersionID {
        guard let scope = state.scopes.last else { throw .rootScope }
        return state.versions[Int(scope.opening)].id
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
        let openingID = state.versions[Int(scope.opening)].id
        let steps = VersionHistory.steps(state, from: last, to: scope.opening)
        closeScope(scope)
        if isChanged && last != scope.opening {
            addVersion(id, parent: scope.opening, Steps(steps))
        }
        if last != scope.opening {
            for (tag, place) in state.tags where place == last { state.tags[tag] = state.current }
        }
        return currentID == openingID ? nil : currentID
    }

    private static func steps(_ state: State, from: Int32, to opening: Int32) -> [Step] {
        var place = from
        var parts: [[Step]] = []
        while place != opening {
            parts.append(state.versions[Int(place)].steps.list)
            place = state.versions[Int(place)].parent
        }
        return parts.reversed().flatMap { $0 }
    }

    /// Closes the current scope, and leaves what was done in it as it is: its versions are versions
    /// of the scope below. Ends the open group.
    public mutating func dissolveScope() throws(VersionError) {
        guard !state.scopes.isEmpty else { throw .rootScope }
        seal()
        state.scopes.removeLast()
    }

    /// Gives the scopes of an owner, who did something at `time`, their whole lifetime again.
    public mutating func extendScopes(of owner: Name, at time: Duration) {
        for index in state.scopes.indices where state.scopes[index].owner == owner {
            state.scopes[index].expiry?.extend(from: time)
        }
    }

    /// Closes the current scope and goes back to where it was opened. Ends the open group.
    ///
    /// Its versions stay reachable by `goTo`, but redo does not lead there.
    public mutating func discardScope() throws(VersionError) {
        guard let scope = state.scopes.last else { throw .rootScope }
        seal()
        closeScope(scope)
    }

    /// Whose time is over at `time`: the outermost of such scopes, whose policy goes for all that
    /// are in it.
    public func expiredScope(at time: Duration) -> (owner: Name, policy: ScopeExpiry.Policy)? {
        for scope in state.scopes {
            if let expiry = scope.expiry, expiry.deadline <= time {
                return (scope.owner, expiry.policy)
            }
        }
        return nil
    }

    /// When the first of the open scopes is over.
    public var scopeDeadline: Duration? {
        state.scopes.lazy.compactMap { $0.expiry?.deadline }.min()
    }

    private mutating func closeScope(_ scope: Scope) {
        state.scopes.removeLast()
        state.versions[Int(scope.opening)].redo = scope.outerRedo
        state.current = scope.opening
    }
}
