import JSONTree

// Keywords that look into arrays and objects, and those that put schemas together.

extension KeywordReader {
    mutating func ofArrays() throws(JSONSchema.Fault) -> [Keyword] {
        var keywords = try counts("Items", .elements)
        if let isUnique = json["uniqueItems"] {
            guard let isUnique = isUnique.bool else {
                throw fault("uniqueItems", "uniqueItems must be true or false.")
            }
            if isUnique { keywords.append(.unique) }
        }
        if json["items"]?.kind == .array {
            throw fault("items", "items must be a schema; prefixItems is the list of them.")
        }
        let (prefix, rest) = (try schemas("prefixItems"), schema("items"))
        if prefix != nil || rest != nil {
            keywords.append(.elements(prefix: prefix ?? [], rest: rest))
        }
        let (least, most) = (try count("minContains") ?? 1, try count("maxContains") ?? .max)
        if let schema = schema("contains") {
            // An impossible demand is like a count that no array has.
            keywords.append(.contains(schema, least <= most ? least...most : .max ... .max))
        }
        return keywords
    }

    mutating func ofObjects() throws(JSONSchema.Fault) -> [Keyword] {
        var keywords = try counts("Properties", .members)
        if let list = json["required"] {
            keywords.append(.required(try names(list, "required")))
        }
        let needed = try members("dependentRequired")
        if !needed.isEmpty {
            var rules: [Keyword.Dependency<[MemberName]>] = []
            for (name, list) in needed {
                rules.append(.init(name: name, rule: try names(list, "dependentRequired")))
            }
            keywords.append(.requiredBy(rules))
        }
        if let rules = try memberRules() { keywords.append(.members(rules)) }
        if let schema = schema("propertyNames") { keywords.append(.names(schema)) }
        let schemas = try members("dependentSchemas")
        if !schemas.isEmpty {
            keywords.append(
                .schemasBy(
                    schemas.map { name, _ in
                        .init(
                            name: name,
                            rule: compiler.index(of: pointer("dependentSchemas", name)))
                    }))
        }
        return keywords
    }

    private mutating func memberRules() throws(JSONSchema.Fault) -> Keyword.MemberRules? {
        var rules = Keyword.MemberRules()
        for (name, _) in try members("properties") {
            rules.named[name] = compiler.index(of: pointer("properties", name))
        }
        for (name, _) in try members("patternProperties") {
            let pattern = try pattern(name.text, "patternProperties")
            rules.patterns.append(
                (pattern, compiler.index(of: pointer("patternProperties", name))))
        }
        rules.others = schema("additionalProperties")
        let isEmpty = rules.named.isEmpty && rules.patterns.isEmpty && rules.others == nil
        return isEmpty ? nil : rules
    }

    mutating func choices() throws(JSONSchema.Fault) -> [Keyword] {
        var keywords: [Keyword] = []
        if let all = try schemas("allOf") { keywords.append(.all(all)) }
        if let any = try schemas("anyOf") { keywords.append(.any(any)) }
        if let one = try schemas("oneOf") { keywords.append(.one(one)) }
        if let schema = schema("not") { keywords.append(.not(schema)) }
        if let condition = schema("if") {
            keywords.append(
                .condition(condition, then: schema("then"), otherwise: schema("else")))
        }
        return keywords
    }

    mutating func ofTheRest() throws(JSONSchema.Fault) -> [Keyword] {
        var keywords: [Keyword] = []
        if let schema = schema("unevaluatedItems") { keywords.append(.otherElements(schema)) }
        if let schema = schema("unevaluatedProperties") { keywords.append(.otherMembers(schema)) }
        return keywords
    }
}
