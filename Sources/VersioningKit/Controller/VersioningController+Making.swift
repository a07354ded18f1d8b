import Observation

/// The handler of errors for callers that catch them.
func throwing(_ error: ReversionError) throws(ReversionError) { throw error }

extension VersioningController where Failure == ReversionError {
    /// Tracks a value that lives elsewhere: give it each new value with `append(_:)`. Edits within
    /// `debounceInterval` of each other are one version.
    public convenience init<C: Clock>(
        _ value: Value, debounceClock: C = ContinuousClock(), debounceInterval: Duration? = nil
    ) where Root == Value, C.Duration == Duration {
        self.init(
            value, at: \.self, object: nil,
            debounce: Debounce(clock: debounceClock, interval: debounceInterval),
            handleError: throwing)
    }

    /// Tracks one property of a value that lives elsewhere. Edits within `debounceInterval` of each
    /// other are one version.
    public convenience init<C: Clock>(
        on root: Root, at keyPath: WritableKeyPath<Root, Value>,
        debounceClock: C = ContinuousClock(), debounceInterval: Duration? = nil
    ) where C.Duration == Duration {
        self.init(
            root[keyPath: keyPath], at: keyPath, object: nil,
            debounce: Debounce(clock: debounceClock, interval: debounceInterval),
            handleError: throwing)
    }
}

extension VersioningController where Root: AnyObject, Failure == ReversionError {
    /// Tracks a property of an object, which is held weakly. Edits within `debounceInterval` of
    /// each other are one version.
    public convenience init<C: Clock>(
        on root: Root, at keyPath: ReferenceWritableKeyPath<Root, Value>,
        debounceClock: C = ContinuousClock(), debounceInterval: Duration? = nil
    ) where C.Duration == Duration {
        self.init(
            root[keyPath: keyPath], at: keyPath, object: .property(keyPath, of: root),
            debounce: Debounce(clock: debounceClock, interval: debounceInterval),
            handleError: throwing)
    }
}

extension VersioningController where Root: AnyObject, Failure == Never {
    /// Tracks a property of an object, which is held weakly. Errors are stored in another property,
    /// so that no command throws. Edits within `debounceInterval` of each other are one version.
    public convenience init<C: Clock>(
        on root: Root, at keyPath: ReferenceWritableKeyPath<Root, Value>,
        storingErrorsAt errorKeyPath: ReferenceWritableKeyPath<Root, (any Error)?>,
        debounceClock: C = ContinuousClock(), debounceInterval: Duration? = nil
    ) where C.Duration == Duration {
        self.init(
            root[keyPath: keyPath], at: keyPath, object: .property(keyPath, of: root),
            debounce: Debounce(clock: debounceClock, interval: debounceInterval),
            handleError: storing(errorKeyPath, of: root))
    }
}

/// Puts errors into a property of an object while it lives.
func storing<Root: AnyObject>(
    _ keyPath: ReferenceWritableKeyPath<Root, (any Error)?>, of root: Root
) -> (ReversionError) -> Void {
    { [weak root] error in root?[keyPath: keyPath] = error }
}

extension TrackedObject {
    /// A property of an object, which is held weakly.
    static func property<Root: AnyObject>(
        _ keyPath: ReferenceWritableKeyPath<Root, Value>, of root: Root
    ) -> TrackedObject {
        TrackedObject(
            read: { [weak root] in root?[keyPath: keyPath] },
            write: { [weak root] in root?[keyPath: keyPath] = $0 })
    }
}
