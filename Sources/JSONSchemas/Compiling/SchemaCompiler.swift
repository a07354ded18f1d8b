import JSONTree
import Patterns

/// Compiles subschemas of a schema's text, each once: unreachable ones are not read.
struct SchemaCompiler {
    private let root: JSON
    private let addresses: SchemaAddresses
    let formats: [String: JSONSchema.Format]
    /// The index of each subschema, by its place.
    private var known: [JSONPointer: Int] = [:]
    /// Places in the order of their indices.
    private var places: [JSONPointer] = []
    var patternCount = 0

    init(_ root: JSON, _ formats: [String: JSONSchema.Format]) {
        self.root = root
        self.formats = formats
        addresses = SchemaAddresses(root)
    }

    mutating func compile() throws(JSONSchema.Fault) -> [Subschema] {
        _ = index(of: .root)
        var result: [Subschema] = []
        while result.count < places.count {
            let place = places[result.count]
            result.append(try subschema(root[place] ?? .null, at: place))
        }
        try checkLoops(result)
        return result
    }

    /// The index of the schema at a place, which is read in its turn.
    mutating func index(of place: JSONPointer) -> Int {
        if let index = known[place] { return index }
        known[place] = places.count
        places.append(place)
        return places.count - 1
    }

    private mutating func subschema(
        _ json: JSON, at place: JSONPointer
    ) throws(JSONSchema.Fault) -> Subschema {
        if let isEverything = json.bool {
            return Subschema(keywords: isEverything ? [] : [.nothing])
        }
        guard json.kind == .object else {
            throw JSONSchema.Fault(
                pointer: place, detail: "A schema is an object, true or false.")
        }
        var reader = KeywordReader(json, at: place, self)
        let result = try reader.subschema()
        self = reader.compiler
        return result
    }

    /// The index of the target of a reference.
    mutating func index(
        of reference: String, at place: JSONPointer
    ) throws(JSONSchema.Fault) -> Int {
        guard let target = addresses.target(of: reference, at: place) else {
            throw JSONSchema.Fault(
                pointer: JSONPointer(tokens: place.tokens + [MemberName("$ref")]),
                detail: "\(reference) is not in this schema, and nothing is fetched.")
        }
        return index(of: target)
    }

    /// A schema that leads to itself, for the same value, would never end.
    private func checkLoops(_ all: [Subschema]) throws(JSONSchema.Fault) {
        var depths = [Int?](repeating: nil, count: all.count)
        for start in all.indices where depths[start] == nil {
            // Each with the schemas below it that are still to be visited.
            var path = [(start, all[start].keywords.flatMap(\.sameValue))]
            var isOnPath: Set = [start]
            while let (index, rest) = path.last {
                guard let next = rest.last else {
                    let below = all[index].keywords.flatMap(\.sameValue).compactMap { depths[$0] }
                    depths[index] = (below.max() ?? 0) + 1
                    isOnPath.remove(index)
                    path.removeLast()
                    continue
                }
                path[path.count - 1].1.removeLast()
                if isOnPath.contains(next) {
                    throw JSONSchema.Fault(
                        pointer: places[next], detail: "The schema leads to itself for ever.")
                }
                if depths[next] == nil {
                    isOnPath.insert(next)
                    path.append((next, all[next].keywords.flatMap(\.sameValue)))
                }
            }
        }
        if let index = depths.firstIndex(where: { $0 ?? 0 > SchemaCompiler.chainMax }) {
            throw JSONSchema.Fault(
                pointer: places[index],
                detail: "More than \(SchemaCompiler.chainMax) schemas follow each other.")
        }
    }

    /// How many subschemas may follow each other for one value: a check calls itself for each.
    private static let chainMax = 64
}
