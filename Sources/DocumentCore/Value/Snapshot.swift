public import JSONTree
public import Naming

/// A user's named copy of a document's value, or of chosen places in it.
///
/// It shares its parts with the document, and stays as it is whatever happens to that.
public struct Snapshot: Sendable, Equatable {
    /// The revision that was head when it was taken.
    public let revision: Int
    public let actor: Name
    public let time: Timestamp
    /// The places that it holds; the root alone if it holds the whole.
    public let places: [Place]
    /// The size of its content, as JSON text.
    let byteCount: Int
    let valueCount: Int

    /// A place and the value that it had, if any.
    public struct Place: Sendable, Equatable {
        public let pointer: JSONPointer
        public let value: JSON?

        package init(pointer: JSONPointer, value: JSON?) {
            self.pointer = pointer
            self.value = value
        }
    }

    package init(revision: Int, actor: Name, time: Timestamp, places: [Place]) {
        self.revision = revision
        self.actor = actor
        self.time = time
        self.places = places
        byteCount = Snapshot.byteCount(of: places)
        valueCount = places.reduce(0) { $0 + ($1.value?.valueCount ?? 0) }
    }

    /// A copy of the values at `pointers` in `tree`.
    init(of tree: JSON, at pointers: [JSONPointer], by change: Change) {
        self.init(
            revision: change.revision, actor: change.actor, time: change.time,
            places: pointers.map { Place(pointer: $0, value: tree[$0]) })
    }

    /// The limit on snapshots of a document: each may hold a whole value.
    public static let countMax = 256
    /// The limit on the bytes of all of them, as JSON text: every checkpoint has them.
    public static let bytesMax = 64 << 20
    /// The limit on the places in one snapshot: they are searched one by one.
    public static let placesMax = 1_000

    static func byteCount(of places: [Place]) -> Int {
        places.reduce(0) { $0 + ($1.value?.byteCount ?? 0) }
    }

    /// Whether it holds the whole value.
    public var isWhole: Bool { places.count == 1 && places[0].pointer == .root }

    /// `tree` with the snapshot's values restored by name. Members that did not exist then are
    /// removed; missing objects on the way are made.
    func restored(in tree: JSON) throws(JSONPatchError) -> JSON {
        var tree = tree
        var outermost = Set(places.map(\.pointer)).outermost
        for place in places where outermost.remove(place.pointer) != nil {
            try tree.put(place)
        }
        return tree
    }

    /// The snapshot's value at a pointer, if it contains that place.
    public func value(at pointer: JSONPointer) -> JSON? {
        for place in places {
            if let value = place.value, let rest = pointer.inside(place.pointer) {
                return value[rest]
            }
        }
        return nil
    }
}

extension JSON {
    fileprivate mutating func put(_ place: Snapshot.Place) throws(JSONPatchError) {
        let pointer = place.pointer
        let isThere = self[pointer] != nil
        guard let value = place.value else {
            if isThere { self = try applying(JSONPatch([.remove(pointer)]), limits: .stored).tree }
            return
        }
        let missing = pointer.containers.filter { self[$0] == nil }
        let made = missing.map { JSONOperation.add($0, JSON(members: [])) }
        let last: JSONOperation = isThere ? .replace(pointer, value) : .add(pointer, value)
        self = try applying(JSONPatch(made + [last]), limits: .stored).tree
    }
}
