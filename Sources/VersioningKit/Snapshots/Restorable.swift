/// A property that belongs to the snapshots of its object.
///
/// Only properties of classes can be wrapped.
@propertyWrapper
public struct Restorable<Value> {
    private let storage: RestorableStorage<Value>

    /// Begins with a value.
    public init(wrappedValue: Value) {
        storage = RestorableStorage(wrappedValue)
    }

    /// The value.
    @available(*, unavailable, message: "@Restorable works on properties of classes")
    public var wrappedValue: Value {
        get { storage.value }
        nonmutating set { storage.value = newValue }
    }

    /// The wrapper itself, which `restore(_:withKey:)` is given: `\.$rank1`.
    public var projectedValue: Restorable { self }

    /// The property's value; each access shows the wrapper which property it is.
    public static subscript<Owner: AnyObject>(
        _enclosingInstance owner: Owner,
        wrapped keyPath: ReferenceWritableKeyPath<Owner, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<Owner, Restorable>
    ) -> Value {
        get {
            let storage = owner[keyPath: storageKeyPath].storage
            if storage.keyPath == nil { storage.keyPath = keyPath }
            return storage.value
        }
        set { owner[keyPath: storageKeyPath].storage.value = newValue }
    }
}

/// Where a wrapped property keeps its value.
private final class RestorableStorage<Value> {
    var value: Value
    var keyPath: AnyKeyPath?

    init(_ value: Value) {
        self.value = value
    }
}

/// A wrapped property, whatever its type.
protocol AnyRestorable {
    var current: Any { get }
    var keyPath: AnyKeyPath? { get }
    /// The same for every copy of one property's wrapper.
    var identity: ObjectIdentifier { get }
    func put(_ value: Any)
}

extension Restorable: AnyRestorable {
    var current: Any { storage.value }
    var keyPath: AnyKeyPath? { storage.keyPath }
    var identity: ObjectIdentifier { ObjectIdentifier(storage) }

    func put(_ value: Any) {
        if let value = value as? Value { storage.value = value }
    }
}
