/// An object whose properties can be saved together, and put back together.
///
/// ```swift
/// class FavoriteFruits: RestorableObject {
///     @Restorable var rank1 = "Apple"
///     @Restorable var rank2 = "Banana"
/// }
///
/// favorites.takeSnapshot(withKey: "BackupResults")
/// favorites.rank1 = "Banana"
/// favorites.restore(withKey: "BackupResults")       // rank1 == "Apple"
/// ```
///
/// Snapshots live as long as their object. An object is not more thread-safe than its properties.
public protocol RestorableObject: AnyObject {
    /// The class whose computed properties `references` lists.
    associatedtype ReferenceOwner

    /// Computed properties that snapshots also contain.
    @ReferenceBuilder<ReferenceOwner> var references: [Reference<ReferenceOwner>] { get }
}

extension RestorableObject {
    /// No computed properties.
    public var references: [Reference<Never>] { [] }

    /// Saves every `@Restorable` property and every reference under `key`. A snapshot that has the
    /// key already is replaced.
    public func takeSnapshot(withKey key: some Hashable) {
        var snapshot = Snapshot()
        for (name, property) in restorables { snapshot.values[name] = property.current }
        for reference in references { snapshot.values[reference.name] = reference.read() }
        SnapshotShelf.shelf(of: self).snapshots[AnyHashable(key)] = snapshot
    }

    /// Puts back what was saved under `key`; a computed property without a setter stays.
    /// Returns whether there is such a snapshot; without one nothing happens.
    @discardableResult
    public func restore(withKey key: some Hashable) -> Bool {
        guard let snapshot = SnapshotShelf.shelf(of: self).snapshots[AnyHashable(key)] else {
            return false
        }
        for (name, property) in restorables {
            if let value = snapshot.values[name] { property.put(value) }
        }
        for reference in references {
            if let value = snapshot.values[reference.name] { reference.write(value) }
        }
        return true
    }

    /// Puts back one property as it was saved under `key`: `restore(\.$rank1, withKey: "Backup")`.
    /// Returns whether there is such a snapshot that holds it; without one nothing happens.
    @discardableResult
    public func restore<Value>(
        _ property: KeyPath<Self, Restorable<Value>>, withKey key: some Hashable
    ) -> Bool {
        let wrapper = self[keyPath: property]
        let name = restorables.first { $0.property.identity == wrapper.identity }?.name
        guard let snapshot = SnapshotShelf.shelf(of: self).snapshots[AnyHashable(key)],
            let value = name.flatMap({ snapshot.values[$0] })
        else { return false }
        wrapper.put(value)
        return true
    }

    /// The single properties that were saved under `key`.
    public func properties(
        withKey key: some Hashable
    ) throws(SnapshotError) -> SnapshotProperties<Self> {
        guard let snapshot = SnapshotShelf.shelf(of: self).snapshots[AnyHashable(key)] else {
            throw .unknownKey
        }
        return SnapshotProperties(owner: self, snapshot: snapshot)
    }

    /// Forgets the snapshot with this key, if there is one.
    public func removeSnapshot(withKey key: some Hashable) {
        SnapshotShelf.shelf(of: self).snapshots[AnyHashable(key)] = nil
    }

    /// The wrappers of the properties, superclasses first, by the properties' names.
    fileprivate var restorables: [(name: String, property: any AnyRestorable)] {
        var mirrors: [Mirror] = []
        var mirror: Mirror? = Mirror(reflecting: self)
        while let next = mirror {
            mirrors.insert(next, at: 0)
            mirror = next.superclassMirror
        }
        return mirrors.flatMap(\.children).compactMap { child in
            guard let label = child.label, let property = child.value as? any AnyRestorable else {
                return nil
            }
            // The compiler stores a wrapped property under its name with an underscore.
            return (String(label.drop { $0 == "_" }), property)
        }
    }
}

/// Why a snapshot was not found.
public enum SnapshotError: Error, Equatable, Sendable {
    /// No snapshot was taken with this key.
    case unknownKey
}

/// The content of one snapshot, by the properties' names.
struct Snapshot {
    var values: [String: Any] = [:]
}

/// The properties of one snapshot, to read one by one: `properties.rank1`.
@dynamicMemberLookup
public struct SnapshotProperties<Owner: RestorableObject> {
    private let owner: Owner
    private let snapshot: Snapshot

    init(owner: Owner, snapshot: Snapshot) {
        self.owner = owner
        self.snapshot = snapshot
    }

    /// The property as it was saved; as it is now, if it is not part of the snapshot.
    public subscript<Value>(dynamicMember keyPath: KeyPath<Owner, Value>) -> Value {
        // Reading the property shows its wrapper the key path.
        let current = owner[keyPath: keyPath]
        let name =
            owner.references.first { $0.keyPath == keyPath }?.name
            ?? owner.restorables.first { $0.property.keyPath == keyPath }?.name
        return name.flatMap { snapshot.values[$0] as? Value } ?? current
    }
}
