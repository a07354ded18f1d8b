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

    /// `tree` with everything put back that the snapshot holds. What was not there then goes.
    func restored(in tree: JSON) throws(JSONPatchError) -> JSON {
        try places.restored(in: tree, like: nil)
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

extension [Snapshot.Place] {
    /// `tree` with what stands at these places put back; what stood nowhere goes.
    ///
    /// Containers that are missing on the way come with it, as they are in `source`; objects, where
    /// that is not known. Behind the end of an array it becomes the last element.
    func restored(in tree: JSON, like source: JSON?) throws(JSONPatchError) -> JSON {
        var tree = tree
        // What another place holds need not be put back again.
        var outermost = Set(map(\.pointer)).outermost
        // In their order, each once: an element before the one that comes behind it.
        let ordered = filter { outermost.remove($0.pointer) != nil }
            .sorted { $0.pointer < $1.pointer }
        for place in ordered {
            guard let value = place.value else { continue }
            var operations: [JSONOperation] = []
            let (pointer, isThere) = tree.way(to: place.pointer, like: source, &operations)
            operations.append(isThere ? .replace(pointer, value) : .add(pointer, value))
            tree = try tree.applying(JSONPatch(operations), limits: .stored).tree
        }
        // The last first: of an array, none may move before it goes.
        let gone = ordered.filter { $0.value == nil }.map(\.pointer).sorted().reversed()
        for pointer in gone where tree[pointer] != nil {
            tree = try tree.applying(JSONPatch([.remove(pointer)]), limits: .stored).tree
        }
        return tree
    }
}

extension JSON {
    /// Where a place is, or can be added once `operations` have made what is missing above it.
    fileprivate func way(
        to pointer: JSONPointer, like source: JSON?, _ operations: inout [JSONOperation]
    ) -> (pointer: JSONPointer, isThere: Bool) {
        var tokens: [MemberName] = []
        var here: JSON? = self
        for (depth, token) in pointer.tokens.enumerated() {
            // Behind the end of an array is its end.
            let isBehind =
                here?.kind == .array && token.index(below: .max) ?? 0 > here?.count ?? 0
            tokens.append(isBehind ? MemberName("\(here?.count ?? 0)") : token)
            let next = here?[JSONPointer(tokens: [tokens[depth]])]
            let isMissing = next == nil && depth < pointer.count - 1
            if isMissing {
                let model = source?[JSONPointer(tokens: Array(pointer.tokens[...depth]))]
                let empty = model?.kind == .array ? JSON(elements: []) : JSON(members: [])
                operations.append(.add(JSONPointer(tokens: tokens), empty))
                here = empty
            } else {
                here = next
            }
        }
        return (JSONPointer(tokens: tokens), here != nil)
    }
}
