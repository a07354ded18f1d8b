import JSONTree

// Keywords that concern a value itself.

extension KeywordReader {
    mutating func ofAnyValue() throws(JSONSchema.Fault) -> [Keyword] {
        var keywords: [Keyword] = []
        if let reference = json["$ref"] {
            guard let text = reference.string else { throw fault("$ref", "$ref must be a text.") }
            keywords.append(.reference(try compiler.index(of: text, at: place)))
        }
        if let types = json["type"] { keywords.append(.types(try self.types(types))) }
        if let value = json["const"] { keywords.append(.values([value], name: "const")) }
        if let values = json["enum"] {
            guard let elements = values.elements else {
                throw fault("enum", "enum must be a list of values.")
            }
            keywords.append(.values(elements, name: "enum"))
        }
        if let format = json["format"]?.string.flatMap({ compiler.formats[$0] }) {
            keywords.append(.format(format))
        }
        return keywords
    }

    private func types(_ json: JSON) throws(JSONSchema.Fault) -> [JSONType] {
        let names = json.elements ?? [json]
        let types = names.compactMap { $0.string.flatMap(JSONType.init(rawValue:)) }
        guard types.count == names.count, !types.isEmpty else {
            throw fault(
                "type",
                "type must be null, boolean, integer, number, string, array or object, or a list.")
        }
        return types
    }

    func ofNumbers() throws(JSONSchema.Fault) -> [Keyword] {
        var keywords: [Keyword] = []
        if let json = json["multipleOf"] {
            guard let number = ExactNumber(json), number.isDivisor else {
                throw fault(
                    "multipleOf", "multipleOf must be a number above 0 of at most 18 digits.")
            }
            keywords.append(.multiple(number, json))
        }
        let bounds = [
            ("minimum", true, false), ("exclusiveMinimum", true, true),
            ("maximum", false, false), ("exclusiveMaximum", false, true),
        ]
        for (name, isLower, isExclusive) in bounds {
            guard let value = json[name] else { continue }
            guard let number = ExactNumber(value) else {
                throw fault(name, "\(name) must be a number.")
            }
            keywords.append(
                .bound(
                    .init(
                        name: name, number: number, json: value, isLower: isLower,
                        isExclusive: isExclusive)))
        }
        return keywords
    }

    mutating func ofTexts() throws(JSONSchema.Fault) -> [Keyword] {
        var keywords = try counts("Length", .characters)
        if let pattern = json["pattern"] {
            guard let text = pattern.string else {
                throw fault("pattern", "pattern must be a text.")
            }
            keywords.append(.pattern(try self.pattern(text, "pattern"), text))
        }
        return keywords
    }

    func counts(
        _ word: String, _ counted: Keyword.Counted
    ) throws(JSONSchema.Fault) -> [Keyword] {
        var keywords: [Keyword] = []
        if let least = try count("min" + word) { keywords.append(.count(counted, .least, least)) }
        if let most = try count("max" + word) { keywords.append(.count(counted, .most, most)) }
        return keywords
    }
}
