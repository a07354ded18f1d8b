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
    /// What it holds, as JSON text.
    let byteCount: Int
    let valueCount: Int

    /// A place and what stood there, if anything did.
    public struct Place: Sendable, Equatable {
        public let pointer: JSONPointer
        public let value: JSON?
    }

    init(revision: Int, actor: Name, time: Timestamp, places: [Place]) {
        self.revision = revision
        self.actor = actor
        self.time = time
        self.places = places
        byteCount = Snapshot.byteCount(of: places)
        valueCount = places.reduce(0) { $0 + ($1.value?.valueCount ?? 0) }
    }

    /// What stands at `pointers` in `tree` now.
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

    /// `tree` with everything put back that the snapshot holds. What was not there then goes; the
    /// container of what was there must still exist.
    func restored(in tree: JSON) throws(JSONPatchError) -> JSON {
        var tree = tree
        // What another place holds need not be put back again.
        let outermost = places.filter { place in
            !places.contains {
                $0.pointer != place.pointer && place.pointer.inside($0.pointer) != nil
            }
        }
        for place in outermost {
            guard let value = place.value else { continue }
            let operation: JSONOperation =
                tree[place.pointer] == nil
                ? .add(place.pointer, value) : .replace(place.pointer, value)
            tree = try tree.applying(JSONPatch([operation]), limits: .stored).tree
        }
        // The last first: of an array, none may move before it goes.
        let gone = outermost.filter { $0.value == nil }.map(\.pointer).sorted().reversed()
        for pointer in gone where tree[pointer] != nil {
            tree = try tree.applying(JSONPatch([.remove(pointer)]), limits: .stored).tree
        }
        return tree
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
