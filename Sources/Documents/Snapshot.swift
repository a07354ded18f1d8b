import JSONTree

/// A user's named copy of a document's value, or of chosen places in it.
///
/// It shares its parts with the document, and stays as it is whatever happens to that.
public struct Snapshot: Sendable, Equatable {
    /// The revision that was head when it was taken.
    public let revision: Int
    public let actor: String
    public let time: Timestamp
    /// The places that it holds; the root alone if it holds the whole.
    public let places: [Place]

    /// A place and what stood there, if anything did.
    public struct Place: Sendable, Equatable {
        public let pointer: JSONPointer
        public let value: JSON?
    }

    init(revision: Int, actor: String, time: Timestamp, places: [Place]) {
        self.revision = revision
        self.actor = actor
        self.time = time
        self.places = places
    }

    /// What stands at `pointers` in `tree` now.
    init(of tree: JSON, at pointers: [JSONPointer], by change: Change) {
        self.init(
            revision: change.revision, actor: change.actor, time: change.time,
            places: pointers.map { Place(pointer: $0, value: tree[$0]) })
    }

    /// A document keeps at most so many: each may hold a whole value.
    public static let countMax = 256
    /// One snapshot holds at most so many places: each is looked for one by one.
    public static let placesMax = 1_000

    /// Whether it holds the whole value.
    public var isWhole: Bool { places.count == 1 && places[0].pointer == .root }

    /// `tree` with everything put back that the snapshot holds. What was not there then goes; the
    /// container of what was there must still exist.
    func restored(in tree: JSON) throws(JSONPatchError) -> JSON {
        var operations: [JSONOperation] = []
        for place in places {
            if let value = place.value {
                operations.append(
                    tree[place.pointer] == nil
                        ? .add(place.pointer, value) : .replace(place.pointer, value))
            } else if tree[place.pointer] != nil {
                operations.append(.remove(place.pointer))
            }
        }
        return try tree.applying(JSONPatch(operations), limits: .stored).tree
    }

    /// What the snapshot holds at a pointer, if it holds that place.
    public func value(at pointer: JSONPointer) -> JSON? {
        for place in places {
            if let value = place.value, let rest = pointer.inside(place.pointer) {
                return value[rest]
            }
        }
        return nil
    }
}
