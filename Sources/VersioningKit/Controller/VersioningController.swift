import Threading

/// Tracks the changes of one value, and takes them back.
///
/// Of each change only the difference is kept. There are three ways to use it:
///
/// - **Direct**, for a value that lives elsewhere: `init(_:)`, then `append(_:)` for each new
/// value.
/// - **Key path**, for one property of a larger value: `init(on:at:)` and `append(root:)`.
/// - **Reference key path**, for a property of an object: the same `init`, then
///   `appendCurrentVersion()`, `undo()` and `redo()` read and write the object themselves. The
///   object is held weakly. Objects that can be observed append by themselves.
///
/// Every command first records what the value has become meanwhile, and ends a group of quick
/// edits. A command that cannot be carried out changes nothing.
///
/// ```swift
/// var activity = Activity()
/// let controller = VersioningController(activity)
/// activity.title = "New title"
/// controller.append(activity)
/// try controller.undo(&activity)
/// ```
///
/// `Failure` is `ReversionError`, or `Never` where errors are stored in a property. The value must
/// be of a value type. Thread-safe, as far as the object is.
// @unchecked: the state is behind a lock; the closures only touch the weakly held object, as its
// owner does who calls them.
public final class VersioningController<Root, Value, Failure>: @unchecked Sendable
where Value: Versionable & Sendable, Failure: Error {
    private let state: Lock<State>
    private let keyPath: WritableKeyPath<Root, Value>
    private let object: TrackedObject<Value>?
    private let handleError: (ReversionError) throws(Failure) -> Void

    private struct State {
        var tracked: TrackedValue<Value>
        var debounce: Debounce?
        /// When the object was changed, if that has not been recorded.
        var pendingTime: Duration?
        /// How many commands are writing to the object just now.
        var writers = 0
        /// The object's property at the call of a command by a caller that sets it after the
        /// command.
        var held: Value?
    }

    init(
        _ value: Value, at keyPath: WritableKeyPath<Root, Value>, object: TrackedObject<Value>?,
        debounce: Debounce?, handleError: @escaping (ReversionError) throws(Failure) -> Void
    ) {
        precondition(!(Value.self is AnyObject.Type), "only values of value types are tracked")
        var tracked = TrackedValue(value)
        tracked.grouping = debounce?.grouping ?? .none
        state = Lock(State(tracked: tracked, debounce: debounce))
        self.keyPath = keyPath
        self.object = object
        self.handleError = handleError
        observe()
    }
}

/// An object whose property is tracked, behind closures: they know how to reach it while it lives.
struct TrackedObject<Value> {
    let read: () -> Value?
    let write: (Value) -> Void
    /// Calls the closure just before the property changes next, once.
    var onNextChange: ((@escaping @Sendable () -> Void) -> Void)?
    /// Notifies all observers of the property.
    var notify: () -> Void = {}
}

// MARK: - The state

extension VersioningController {
    /// Whether there is a version to go back to in the current scope.
    public var hasUndo: Bool { recorded { $0.hasUndo } }

    /// Whether there is a version to go forth to in the current scope.
    public var hasRedo: Bool { recorded { $0.hasRedo } }

    /// How many scopes are open: 0 in the root scope.
    public var scopeLevel: Int { recorded { $0.scopeLevel } }

    /// The value at the current version.
    var value: Value { state.withLock { $0.tracked.value } }

    /// Records what the object has become, then looks.
    private func recorded<Result>(
        _ body: (inout TrackedValue<Value>) -> Result
    ) -> Result {
        recordObject()
        return state.withLock { body(&$0.tracked) }
    }

    private func record(_ value: Value, at time: Duration? = nil) {
        state.withLock { state in
            let time = time ?? state.pendingTime ?? state.debounce?.now() ?? .zero
            state.pendingTime = nil
            state.tracked.append(value, at: time)
        }
    }

    private func recordObject() {
        guard let object, let value = object.read(), state.withLock({ $0.writers == 0 }) else {
            return
        }
        record(value)
    }

    /// Waits for the next change of the object.
    private func observe() {
        object?.onNextChange? { [weak self] in self?.objectWillChange() }
    }

    /// The object still has the value before this change: what an earlier change made of it.
    private func objectWillChange() {
        let isOurs = state.withLock { state in
            defer { state.held = nil }
            return state.writers > 0 || state.held.map { $0 == object?.read() } ?? false
        }
        if !isOurs {
            recordObject()
            state.withLock { $0.pendingTime = $0.debounce?.now() }
        }
        observe()
    }

    func setWithoutTracking(_ value: Value) {
        state.withLock { $0.tracked.setWithoutTracking(value) }
    }

    /// Forgets every version; the value stays.
    public func reset() {
        recordObject()
        state.withLock { $0.tracked.reset() }
        object?.notify()
    }

    /// Changes how long quick edits join one version, and the clock that measures it. Earlier edits
    /// are a version of their own.
    public func withDebouncing<C: Clock>(clock: C, interval: Duration)
    where C.Duration == Duration {
        recordObject()
        state.withLock { state in
            let debounce = Debounce(clock: clock, interval: interval)
            state.debounce = debounce
            state.tracked.seal()
            state.tracked.grouping = debounce?.grouping ?? .none
        }
    }
}

// MARK: - Commands

extension VersioningController {
    /// Carries out a command. It first records the value of an object's property, `given` if the
    /// caller holds it. For a value elsewhere, the last appended value counts.
    ///
    /// `isHeld`: the caller has exclusive access to the object's property and sets it to the
    /// result. All or nothing: an error goes to the error handler, and the value stays.
    func command(
        on given: Value? = nil, isHeld: Bool = false,
        _ body: (inout TrackedValue<Value>) throws(ReversionError) -> Void
    ) throws(Failure) -> Value {
        if object != nil, let given { record(given) } else { recordObject() }
        let result = state.withLock { state in
            Swift.Result { () throws(ReversionError) in
                try body(&state.tracked)
                if isHeld { state.held = given }
                state.writers += object == nil || isHeld ? 0 : 1
                return state.tracked.value
            }
        }
        switch result {
        case .success(let value):
            if let object, !isHeld {
                object.write(value)
                state.withLock { $0.writers -= 1 }
            }
            object?.notify()
            return value
        case .failure(let error):
            try handleError(error)
            object?.notify()
            return value
        }
    }

    /// A command that leaves the value as it is.
    func note(_ body: (inout TrackedValue<Value>) -> Void) {
        recordObject()
        state.withLock { body(&$0.tracked) }
        object?.notify()
    }

    /// Records a value. One that differs in nothing tracked makes no version. O(size).
    public func append(_ newValue: Value) {
        record(newValue)
        object?.notify()
    }

    /// Records a value and tags its version; an unchanged value's version takes the tag.
    public func append(_ newValue: Value, tag: some Hashable & Sendable) {
        record(newValue)
        state.withLock { $0.tracked.tagCurrent(AnyHashable(tag)) }
        object?.notify()
    }

    /// Records the tracked property of a root.
    public func append(root updatedRoot: Root) {
        append(updatedRoot[keyPath: keyPath])
    }

    /// Records the tracked property of a root and tags its version.
    public func append(root updatedRoot: Root, tag: some Hashable & Sendable) {
        append(updatedRoot[keyPath: keyPath], tag: tag)
    }

    /// Names the current version. A tag that exists moves.
    public func tagCurrentVersion(_ tag: some Hashable & Sendable) {
        note { $0.tagCurrent(AnyHashable(tag)) }
    }

    /// The tags of a scope, `nil` for each version without one: first those on the way of undo,
    /// from the version at the scope's opening to the current one, then those that redo would
    /// reach. `nil` if there is no such scope.
    public func tags(
        inScopeLevel scopeLevel: Int? = nil
    ) -> (undo: [AnyHashable?], redo: [AnyHashable?])? {
        recordObject()
        return state.withLock { $0.tracked.tags(inScopeLevel: scopeLevel) }
    }

    /// Opens a scope: undo and redo stay inside it.
    public func pushNewScope() {
        note { $0.pushScope() }
    }

    /// Closes the current scope; what was done in it is one version of the scope below. At the root
    /// nothing happens.
    public func popCurrentScope() throws(Failure) {
        _ = try command { tracked throws(ReversionError) in try tracked.popScope() }
    }

    /// Changes the value in several steps that are one version. If `closure` throws, nothing
    /// happens.
    public func setWithTransaction<E: Error>(
        _ closure: (inout Value) throws(E) -> Void
    ) throws(E) {
        recordObject()
        var value = value
        try closure(&value)
        commit(value)
    }

    /// Changes the value in several steps that are one version. If `closure` throws, nothing
    /// happens.
    public func setWithTransaction<E: Error>(
        _ closure: (inout Value) async throws(E) -> Void
    ) async throws(E) {
        recordObject()
        var value = value
        try await closure(&value)
        commit(value)
    }

    private func commit(_ value: Value) {
        state.withLock { state in
            state.tracked.seal()
            state.tracked.append(value, at: .zero)
            state.tracked.seal()
            state.writers += object == nil ? 0 : 1
        }
        guard let object else { return }
        object.write(value)
        state.withLock { $0.writers -= 1 }
        object.notify()
    }

    func read(_ root: Root) -> Value { root[keyPath: keyPath] }

    func write(_ value: Value, to root: inout Root) { root[keyPath: keyPath] = value }
}
