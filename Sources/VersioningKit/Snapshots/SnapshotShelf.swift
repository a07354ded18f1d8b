import Threading

/// The snapshots of one object. They are stored outside the object, which has no place for them,
/// and are removed with it.
// @unchecked: as thread-safe as its object, whose methods alone reach it.
final class SnapshotShelf: @unchecked Sendable {
    var snapshots: [AnyHashable: Snapshot] = [:]
    private weak var owner: AnyObject?

    private init(_ owner: AnyObject) {
        self.owner = owner
    }

    private struct Shelves: Sendable {
        var byObject: [ObjectIdentifier: SnapshotShelf] = [:]
        /// Above this number, snapshots of objects that are gone are removed.
        var sweepCount = 64
    }

    private static let shelves = Lock(Shelves())

    static func shelf(of object: AnyObject) -> SnapshotShelf {
        let identifier = ObjectIdentifier(object)
        let fresh = SnapshotShelf(object)
        return shelves.withLock { shelves in
            // An address may be used again by another object.
            if let shelf = shelves.byObject[identifier], shelf.owner === fresh.owner {
                return shelf
            }
            if shelves.byObject.count >= shelves.sweepCount {
                shelves.byObject = shelves.byObject.filter { $0.value.owner != nil }
                shelves.sweepCount = max(64, 2 * shelves.byObject.count)
            }
            shelves.byObject[identifier] = fresh
            return fresh
        }
    }
}
