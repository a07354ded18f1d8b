/// A type whose values know how to get back to an earlier value.
///
/// Numbers, `Bool`, `String`, `Data`, `Date`, `UUID`, sets, arrays, dictionaries and their
/// optionals are revertible. Types of your own conform to `Versionable`.
public protocol Revertible: Hashable {
    /// The reversion of this value to `previous`; `nil` if they do not differ. O(size).
    func reversion(to previous: Self) -> Reversion<Self>?

    /// The same as a part of a larger reversion, which needs no check of its own. You do not call
    /// or implement it.
    func uncheckedReversion(to previous: Self) -> Reversion<Self>?
}

extension Revertible {
    /// The reversion of this value to `previous`, for this version only.
    public func reversion(to previous: Self) -> Reversion<Self>? {
        uncheckedReversion(to: previous).map {
            Reversion($0.piece, origin: Fingerprint.of(self))
        }
    }

    /// The old value as a whole.
    public func uncheckedReversion(to previous: Self) -> Reversion<Self>? {
        self == previous ? nil : Reversion(Overwrite(value: previous))
    }
}

/// A type of your own that declares which of its properties are tracked.
///
/// ```swift
/// struct Person: Versionable {
///     var name: String
///     var age: Int
///
///     func addReversions(into reverter: inout some Reverter<Self>) {
///         reverter.appendReversion(at: \.name)
///         reverter.appendReversion(at: \.age)
///     }
/// }
/// ```
///
/// A property that is not named is ignored: undo never touches it or trips over it.
public protocol Versionable: Revertible {
    /// Names the tracked properties.
    func addReversions(into reverter: inout some Reverter<Self>)
}

extension Versionable {
    /// The changes of the tracked properties.
    public func uncheckedReversion(to previous: Self) -> Reversion<Self>? {
        // Quick where most parts share their storage with those of the version before.
        if self == previous { return nil }
        // Another thing altogether: an identity is seldom among what is tracked.
        if Identity.of(self) != Identity.of(previous) {
            return Reversion(Overwrite(value: previous))
        }
        var reverter = DifferenceReverter(current: self, previous: previous)
        addReversions(into: &reverter)
        return reverter.piece.map { Reversion($0) }
    }
}

/// Takes the names of tracked properties from a `Versionable` value.
public protocol Reverter<Root> {
    /// The type whose properties are named.
    associatedtype Root

    /// Whether a property differs from what it was.
    func hasChanged<Value: Equatable>(at keyPath: KeyPath<Root, Value>) -> Bool

    /// Tracks a property, whose two values are compared so: first the one that it has, then the
    /// one before. You do not call or implement it.
    mutating func append<Value>(
        at keyPath: WritableKeyPath<Root, Value>,
        comparing compare: (Value, Value) -> Reversion<Value>?)
}

extension Reverter {
    /// Tracks a property as a whole: the old value is kept and put back. For what has no parts, and
    /// for an `enum` that changed its case.
    public mutating func appendOverwriteReversion<Value: Equatable>(
        at keyPath: WritableKeyPath<Root, Value>
    ) {
        append(at: keyPath) { $0 == $1 ? nil : Reversion(Overwrite(value: $1)) }
    }

    /// Tracks a property and stores only the differences in it.
    public mutating func appendReversion<Value: Revertible>(
        at keyPath: WritableKeyPath<Root, Value>
    ) {
        append(at: keyPath) { $0.uncheckedReversion(to: $1) }
    }

    /// Tracks an array whose elements are known by their identity, and the changes inside them.
    public mutating func appendReversion<Element: Identifiable & Versionable>(
        at keyPath: WritableKeyPath<Root, [Element]>
    ) {
        append(at: keyPath) {
            IdentifiedArrayPiece(current: $0, previous: $1).map { Reversion($0) }
        }
    }

    /// Tracks an optional array of elements with an identity.
    public mutating func appendReversion<Element: Identifiable & Versionable>(
        at keyPath: WritableKeyPath<Root, [Element]?>
    ) {
        append(at: keyPath) { new, old in
            OptionalPiece.between(new, old) { IdentifiedArrayPiece(current: $0, previous: $1) }
        }
    }

    /// Tracks a dictionary, and the changes inside its values.
    public mutating func appendReversion<Key: Hashable, Value: Versionable>(
        at keyPath: WritableKeyPath<Root, [Key: Value]>
    ) {
        append(at: keyPath) {
            DictionaryPiece.nested(current: $0, previous: $1).map { Reversion($0) }
        }
    }

    /// Tracks an optional dictionary of versionable values.
    public mutating func appendReversion<Key: Hashable, Value: Versionable>(
        at keyPath: WritableKeyPath<Root, [Key: Value]?>
    ) {
        append(at: keyPath) { new, old in
            OptionalPiece.between(new, old) { DictionaryPiece.nested(current: $0, previous: $1) }
        }
    }
}
