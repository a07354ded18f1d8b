import FoundationEssentials
import JSONTree

/// Where in a schema its parts are that have names: `$id`, `$anchor`, `$dynamicAnchor`.
struct SchemaAddresses {
    /// The places of the parts that have a URI.
    private var resources: [String: JSONPointer] = [:]
    /// The URI of each of these places.
    private var bases: [JSONPointer: String] = [:]
    /// Places by URI, `#` and name.
    private var anchors: [String: JSONPointer] = [:]
    private let root: JSON

    /// The default address of a schema without one.
    private static let unnamed = "https://schema.invalid/"

    init(_ root: JSON) {
        self.root = root
        resources[SchemaAddresses.unnamed] = .root
        bases[.root] = SchemaAddresses.unnamed
        var pending = [(JSONPointer.root, root, SchemaAddresses.unnamed)]
        while let (place, schema, base) = pending.popLast() {
            let inner = note(schema, at: place, base)
            for (tokens, part) in SchemaAddresses.parts(of: schema) {
                pending.append((JSONPointer(tokens: place.tokens + tokens), part, inner))
            }
        }
    }

    /// Notes the names of a schema, and returns the URI that addresses in it are relative to.
    private mutating func note(_ schema: JSON, at place: JSONPointer, _ base: String) -> String {
        var base = base
        if let id = schema["$id"]?.string, let uri = SchemaAddresses.resolve(id, base) {
            base = uri.hasSuffix("#") ? String(uri.dropLast()) : uri
            resources[base] = place
            bases[place] = base
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let name = schema[keyword]?.string { anchors["\(base)#\(name)"] = place }
        }
        return base
    }

    /// The place that `$ref` in the schema at `place` means; `nil` if it is not in this schema.
    func target(of reference: String, at place: JSONPointer) -> JSONPointer? {
        guard let uri = SchemaAddresses.resolve(reference, base(of: place)) else { return nil }
        let parts = uri.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard let resource = resources[String(parts[0])] else { return nil }
        let fragment = URL(string: uri)?.fragment(percentEncoded: false) ?? ""
        if fragment.isEmpty { return resource }
        guard fragment.hasPrefix("/") else { return anchors["\(parts[0])#\(fragment)"] }
        guard let pointer = JSONPointer(parsing: fragment) else { return nil }
        let target = JSONPointer(tokens: resource.tokens + pointer.tokens)
        return root[target] == nil ? nil : target
    }

    private func base(of place: JSONPointer) -> String {
        var tokens = place.tokens
        while true {
            if let base = bases[JSONPointer(tokens: tokens)] { return base }
            if tokens.popLast() == nil { return SchemaAddresses.unnamed }
        }
    }

    private static func resolve(_ reference: String, _ base: String) -> String? {
        if reference.isEmpty { return base }
        if reference.hasPrefix("#") {
            let whole = base.split(separator: "#", maxSplits: 1).first.map(String.init) ?? base
            return whole + reference
        }
        return URL(string: reference, relativeTo: URL(string: base))?.absoluteString
    }

    /// Keywords whose value is a schema, a list of them, or one for each member.
    private static let single = [
        "additionalProperties", "propertyNames", "items", "contains", "not", "if", "then", "else",
        "unevaluatedItems", "unevaluatedProperties", "contentSchema",
    ]
    private static let lists = ["allOf", "anyOf", "oneOf", "prefixItems"]
    private static let maps = [
        "$defs", "definitions", "properties", "patternProperties", "dependentSchemas",
    ]

    private static func parts(of schema: JSON) -> [([MemberName], JSON)] {
        var parts: [([MemberName], JSON)] = []
        for keyword in single {
            if let part = schema[keyword] { parts.append(([MemberName(keyword)], part)) }
        }
        for keyword in lists {
            for (index, part) in (schema[keyword]?.elements ?? []).enumerated() {
                parts.append(([MemberName(keyword), MemberName("\(index)")], part))
            }
        }
        for keyword in maps {
            schema[keyword]?.forEachMember { name, part in
                parts.append(([MemberName(keyword), name], part))
            }
        }
        return parts
    }
}
