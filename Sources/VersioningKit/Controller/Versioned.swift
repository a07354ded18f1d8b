import Threading

/// A property that is tracked: every new value is recorded, and `$property` takes it back.
///
/// Copies of the wrapper share one value and one history. Use it under one of its two names:
///
/// ```swift
/// @Versioned var activity = Activity()          // errors are stored in $activity.error
/// @ThrowingVersioned var other = Activity()     // errors are thrown
///
/// activity.title = "New title"
/// $activity.undo()
/// ```
@propertyWrapper
public struct _Versioned<Value: Versionable & Sendable, Failure: Error>: Sendable {
    private let history: VersionedHistory<Value, Failure>

    /// The value at the current version. Setting it records a version.
    public var wrappedValue: Value {
        get { history.controller.value }
        nonmutating set { history.controller.append(newValue) }
    }

    /// Undo, redo, scopes, tags and transactions.
    public var projectedValue: VersionedHistory<Value, Failure> { history }
}

/// A tracked property that stores errors in `$property.error`.
public typealias Versioned<Value: Versionable & Sendable> = _Versioned<Value, Never>

/// A tracked property whose commands throw.
public typealias ThrowingVersioned<Value: Versionable & Sendable> = _Versioned<
    Value, ReversionError
>

extension _Versioned where Failure == Never {
    /// Tracks the value; edits within `debounceInterval` of each other are one version.
    public init<C: Clock>(
        wrappedValue: Value, debounceClock: C = ContinuousClock(), debounceInterval: Duration? = nil
    ) where C.Duration == Duration {
        history = .storingErrors(
            wrappedValue, Debounce(clock: debounceClock, interval: debounceInterval))
    }
}

extension _Versioned where Failure == ReversionError {
    /// Tracks the value; edits within `debounceInterval` of each other are one version.
    public init<C: Clock>(
        wrappedValue: Value, debounceClock: C = ContinuousClock(), debounceInterval: Duration? = nil
    ) where C.Duration == Duration {
        history = .throwingErrors(
            wrappedValue, Debounce(clock: debounceClock, interval: debounceInterval))
    }
}

/// The interface of a tracked property: `$property`.
///
/// A command with nowhere to go does nothing.
public final class VersionedHistory<Value: Versionable & Sendable, Failure: Error>: Sendable {
    let controller: VersioningController<Value, Value, Failure>
    private let storedError: StoredError

    private init(_ controller: VersioningController<Value, Value, Failure>, _ error: StoredError) {
        self.controller = controller
        storedError = error
    }

    /// Whether there is a version to go back to in the current scope.
    public var hasUndo: Bool { controller.hasUndo }

    /// Whether there is a version to go forth to in the current scope.
    public var hasRedo: Bool { controller.hasRedo }

    /// How many scopes are open: 0 in the root scope.
    public var scopeLevel: Int { controller.scopeLevel }

    /// Goes one version back.
    public func undo() throws(Failure) { _ = try controller.undo() as Value }

    /// Goes one version forth.
    public func redo() throws(Failure) { _ = try controller.redo() as Value }

    /// Goes back to the version with a tag.
    public func undo(to tag: some Hashable & Sendable) throws(Failure) {
        _ = try controller.undo(to: tag) as Value
    }

    /// Goes forth to the version with a tag.
    public func redo(to tag: some Hashable & Sendable) throws(Failure) {
        _ = try controller.redo(to: tag) as Value
    }

    /// Goes back to where the current scope was opened.
    public func undoCurrentScope() throws(Failure) {
        _ = try controller.undoCurrentScope() as Value
    }

    /// Goes forth as far as redo leads.
    public func redoCurrentScope() throws(Failure) {
        _ = try controller.redoCurrentScope() as Value
    }

    /// Opens a scope: undo and redo stay inside it.
    public func pushNewScope() { controller.pushNewScope() }

    /// Closes the current scope; what was done in it is one version of the scope below.
    public func popCurrentScope() throws(Failure) { try controller.popCurrentScope() }

    /// Undoes the changes in the current scope and closes it.
    public func undoAndPopCurrentScope() throws(Failure) {
        _ = try controller.undoAndPopCurrentScope() as Value
    }

    /// Names the current version. A tag that exists moves.
    public func tag(_ tag: some Hashable & Sendable) { controller.tagCurrentVersion(tag) }

    /// The tags of a scope, of the current one if none is given; `nil` for each version without.
    public func tags(
        inScopeLevel scopeLevel: Int? = nil
    ) -> (undo: [AnyHashable?], redo: [AnyHashable?])? {
        controller.tags(inScopeLevel: scopeLevel)
    }

    /// Changes the value in several steps that are one version. If `closure` throws, nothing
    /// happens.
    public func setWithTransaction<E: Error>(
        _ closure: (inout Value) throws(E) -> Void
    ) throws(E) {
        try controller.setWithTransaction(closure)
    }

    /// Changes the value in several steps that are one version. If `closure` throws, nothing
    /// happens.
    public func setWithTransaction<E: Error>(
        _ closure: (inout Value) async throws(E) -> Void
    ) async throws(E) {
        try await controller.setWithTransaction(closure)
    }

    /// Sets the value behind the history's back. Undo is refused until the value is again what the
    /// current version has, or until `reset()`.
    public func setWithoutTracking(_ newValue: Value) { controller.setWithoutTracking(newValue) }

    /// Forgets every version; the value stays.
    public func reset() { controller.reset() }

    /// Changes how long quick edits join one version, and the clock that measures it.
    public func withDebouncing<C: Clock>(clock: C, interval: Duration)
    where C.Duration == Duration {
        controller.withDebouncing(clock: clock, interval: interval)
    }
}

extension VersionedHistory where Failure == Never {
    /// The last error, until you clear it.
    public var error: ReversionError? {
        get { storedError.value.withLock { $0 } }
        set { storedError.value.withLock { $0 = newValue } }
    }

    static func storingErrors(_ value: Value, _ debounce: Debounce?) -> VersionedHistory {
        let stored = StoredError()
        let controller = VersioningController<Value, Value, Never>(
            value, at: \.self, object: nil, debounce: debounce,
            handleError: { error in stored.value.withLock { $0 = error } })
        return VersionedHistory(controller, stored)
    }
}

extension VersionedHistory where Failure == ReversionError {
    static func throwingErrors(_ value: Value, _ debounce: Debounce?) -> VersionedHistory {
        let controller = VersioningController<Value, Value, ReversionError>(
            value, at: \.self, object: nil, debounce: debounce, handleError: throwing)
        return VersionedHistory(controller, StoredError())
    }
}

/// The last error of a property whose commands do not throw.
private final class StoredError: Sendable {
    let value = Lock<ReversionError?>(nil)
}
