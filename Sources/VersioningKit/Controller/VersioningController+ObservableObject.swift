#if canImport(Combine)
    public import Combine
#elseif OpenCombine
    public import OpenCombine
#endif

#if canImport(Combine) || OpenCombine
    extension VersioningController
    where
        Root: ObservableObject, Root.ObjectWillChangePublisher == ObservableObjectPublisher,
        Failure == ReversionError
    {
        /// Tracks a property of an `ObservableObject` by itself: nothing has to be appended. The
        /// object's `objectWillChange` publishes each command. Edits within `debounceInterval` of
        /// each other are one version.
        public convenience init<C: Clock>(
            on root: Root, at keyPath: ReferenceWritableKeyPath<Root, Value>,
            debounceClock: C = ContinuousClock(), debounceInterval: Duration? = nil
        ) where C.Duration == Duration {
            self.init(
                root[keyPath: keyPath], at: keyPath, object: .published(keyPath, of: root),
                debounce: Debounce(clock: debounceClock, interval: debounceInterval),
                handleError: throwing)
        }
    }

    extension VersioningController
    where
        Root: ObservableObject, Root.ObjectWillChangePublisher == ObservableObjectPublisher,
        Failure == Never
    {
        /// Tracks a property of an `ObservableObject` by itself. Errors are stored in another
        /// property, so that no command throws. Edits within `debounceInterval` of each other are
        /// one version.
        public convenience init<C: Clock>(
            on root: Root, at keyPath: ReferenceWritableKeyPath<Root, Value>,
            storingErrorsAt errorKeyPath: ReferenceWritableKeyPath<Root, (any Error)?>,
            debounceClock: C = ContinuousClock(), debounceInterval: Duration? = nil
        ) where C.Duration == Duration {
            self.init(
                root[keyPath: keyPath], at: keyPath, object: .published(keyPath, of: root),
                debounce: Debounce(clock: debounceClock, interval: debounceInterval),
                handleError: storing(errorKeyPath, of: root))
        }
    }

    extension TrackedObject {
        /// A property whose changes the object's publisher announces.
        fileprivate static func published<Root: ObservableObject>(
            _ keyPath: ReferenceWritableKeyPath<Root, Value>, of root: Root
        ) -> TrackedObject where Root.ObjectWillChangePublisher == ObservableObjectPublisher {
            var object = property(keyPath, of: root)
            var subscription: AnyCancellable?
            object.onNextChange = { [weak root] willChange in
                // The publisher announces every change; it is read once.
                guard subscription == nil, let root else { return }
                subscription = root.objectWillChange.sink { willChange() }
            }
            object.notify = { [weak root] in root?.objectWillChange.send() }
            return object
        }
    }
#endif
