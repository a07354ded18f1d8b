public import Observation

extension VersioningController where Root: AnyObject & Observable, Failure == ReversionError {
    /// Tracks a property of an `@Observable` object automatically: no appends are needed. Each
    /// command notifies the observers of the property. Edits within `debounceInterval` of each
    /// other are one version.
    ///
    /// ```swift
    /// @ObservationIgnored
    /// private(set) lazy var controller = VersioningController(
    ///     on: self, at: \.state, using: _$observationRegistrar)
    /// ```
    public convenience init<C: Clock>(
        on root: Root, at keyPath: ReferenceWritableKeyPath<Root, Value>,
        using registrar: ObservationRegistrar,
        debounceClock: C = ContinuousClock(), debounceInterval: Duration? = nil
    ) where C.Duration == Duration {
        self.init(
            root[keyPath: keyPath], at: keyPath, object: .observed(keyPath, of: root, registrar),
            debounce: Debounce(clock: debounceClock, interval: debounceInterval),
            handleError: throwing)
    }
}

extension VersioningController where Root: AnyObject & Observable, Failure == Never {
    /// Tracks a property of an `@Observable` object by itself. Errors are stored in another
    /// property, so that no command throws. Edits within `debounceInterval` of each other are one
    /// version.
    public convenience init<C: Clock>(
        on root: Root, at keyPath: ReferenceWritableKeyPath<Root, Value>,
        storingErrorsAt errorKeyPath: ReferenceWritableKeyPath<Root, (any Error)?>,
        using registrar: ObservationRegistrar,
        debounceClock: C = ContinuousClock(), debounceInterval: Duration? = nil
    ) where C.Duration == Duration {
        self.init(
            root[keyPath: keyPath], at: keyPath, object: .observed(keyPath, of: root, registrar),
            debounce: Debounce(clock: debounceClock, interval: debounceInterval),
            handleError: storing(errorKeyPath, of: root))
    }
}

extension TrackedObject {
    /// A property whose changes the object's registrar publishes.
    fileprivate static func observed<Root: AnyObject & Observable>(
        _ keyPath: ReferenceWritableKeyPath<Root, Value>, of root: Root,
        _ registrar: ObservationRegistrar
    ) -> TrackedObject {
        var object = property(keyPath, of: root)
        object.onNextChange = { [weak root] willChange in
            guard let root else { return }
            withObservationTracking {
                _ = root[keyPath: keyPath]
            } onChange: {
                willChange()
            }
        }
        object.notify = { [weak root] in
            guard let root else { return }
            registrar.withMutation(of: root, keyPath: keyPath) {}
        }
        return object
    }
}
