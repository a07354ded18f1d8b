import JSONTree
import Patterns

extension Evaluation {
    mutating func check(
        _ keyword: Keyword, _ value: JSON, since before: JSON?, _ seen: inout Evaluated?
    ) throws(JSONSchema.Overrun) -> Bool {
        switch keyword {
        case .nothing: isLenient || fault("false", "This is not allowed here.")
        case .types(let types): check(types, value)
        case .values(let values, let name): try check(values, name, value)
        case .multiple(let divisor, let json):
            value.kind != .number || ExactNumber(value)?.isMultiple(of: divisor) ?? false
                || fault("multipleOf", "This must be a multiple of \(json).")
        case .bound(let bound): check(bound, value)
        case .count(let counted, let limit, let number):
            try check(counted, limit, number, value)
        case .pattern(let pattern, let text):
            try value.utf8.map { bytes throws(JSONSchema.Overrun) in
                try spend(bytes.count / 64)
                return pattern.matches(bytes)
            } ?? true || fault("pattern", "This must match \(text).")
        case .format(let format):
            format.accepts(value) || fault("format", "This must be \(format.words).")
        case .unique: try checkUnique(value)
        case .elements(let prefix, let rest):
            try checkElements(prefix, rest, value, since: before, &seen)
        case .contains(let schema, let range): try checkContains(schema, range, value, &seen)
        case .required(let names): try check(required: names, "required", value)
        case .requiredBy(let rules): try check(rules, value)
        case .members(let rules): try check(rules, value, since: before, &seen)
        case .names(let schema): try checkNames(schema, value, since: before)
        case .schemasBy(let rules): try check(rules, value, since: before, &seen)
        case .reference(let schema): try check(schema, value, since: before, &seen)
        case .all(let schemas): try checkAll(schemas, value, since: before, &seen)
        case .any, .one, .not, .condition: try choose(keyword, value, &seen)
        case .otherElements(let schema): try checkOtherElements(schema, value, &seen)
        case .otherMembers(let schema): try checkOtherMembers(schema, value, &seen)
        }
    }

    private mutating func check(_ types: [JSONType], _ value: JSON) -> Bool {
        if types.contains(where: { $0.includes(value) }) { return true }
        let names = types.map(\.rawValue).joined(separator: " or ")
        return fault("type", "This must be of type \(names), not \(value.kind.rawValue).")
    }

    private mutating func check(
        _ values: [JSON], _ name: String, _ value: JSON
    ) throws(JSONSchema.Overrun) -> Bool {
        try spend(values.count + value.valueCount)
        if values.contains(where: { $0.isNumericallyEqual(to: value) }) { return true }
        let texts = values.prefix(5).map { String($0.description.prefix(60)) }
        let more = values.count > texts.count ? ", or one of others" : ""
        let choice = texts.count > 1 ? "one of " : ""
        return fault(name, "This must be \(choice)\(texts.joined(separator: ", "))\(more).")
    }

    private mutating func check(_ bound: Keyword.Bound, _ value: JSON) -> Bool {
        guard value.kind == .number else { return true }
        guard let number = ExactNumber(value) else {
            return fault(bound.name, "This number has an exponent beyond all measure.")
        }
        let (low, high) = bound.isLower ? (bound.number, number) : (number, bound.number)
        if bound.isExclusive ? low < high : !(high < low) { return true }
        let words = bound.isExclusive ? ("above", "below") : ("at least", "at most")
        let word = bound.isLower ? words.0 : words.1
        return fault(bound.name, "This must be \(word) \(bound.json).")
    }

    private mutating func check(
        _ counted: Keyword.Counted, _ limit: Keyword.Limit, _ number: Int, _ value: JSON
    ) throws(JSONSchema.Overrun) -> Bool {
        let (kind, word): (JSON.Kind, String) =
            switch counted {
            case .characters: (.string, "Length")
            case .elements: (.array, "Items")
            case .members: (.object, "Properties")
            }
        guard value.kind == kind else { return true }
        if kind == .string { try spend(value.byteCount / 64) }
        let count = kind == .string ? value.characterCount : value.count
        let isValid = limit == .least ? count >= number : count <= number
        let (prefix, bound) = limit == .least ? ("min", "at least") : ("max", "at most")
        return isValid
            || fault(prefix + word, "This must have \(bound) \(number) \(counted), not \(count).")
    }

    private mutating func check(
        required names: [MemberName], _ keyword: String, _ value: JSON
    ) throws(JSONSchema.Overrun) -> Bool {
        guard value.kind == .object else { return true }
        var isValid = true
        for name in names {
            try spend(1)
            if value[name] != nil { continue }
            isValid = fault(keyword, missing: name, "\(name.text) is missing.")
            if isEnough { break }
        }
        return isValid
    }

    private mutating func check(
        _ rules: [Keyword.Dependency<[MemberName]>], _ value: JSON
    ) throws(JSONSchema.Overrun) -> Bool {
        try spend(rules.count)
        var isValid = true
        for rule in rules where value[rule.name] != nil {
            if try !check(required: rule.rule, "dependentRequired", value) { isValid = false }
        }
        return isValid
    }
}

// Keywords that combine schemas.
extension Evaluation {
    private mutating func checkAll(
        _ schemas: [Int], _ value: JSON, since before: JSON?, _ seen: inout Evaluated?
    ) throws(JSONSchema.Overrun) -> Bool {
        var isValid = true
        for schema in schemas where try !check(schema, value, since: before, &seen) {
            isValid = false
            if isEnough { break }
        }
        return isValid
    }

    private mutating func check(
        _ rules: [Keyword.Dependency<Int>], _ value: JSON, since before: JSON?,
        _ seen: inout Evaluated?
    ) throws(JSONSchema.Overrun) -> Bool {
        try spend(rules.count)
        var isValid = true
        for rule in rules where value[rule.name] != nil {
            // Without the member, the schema did not count.
            let before: JSON? = before?[rule.name] == nil ? nil : before
            if try !check(rule.rule, value, since: before, &seen) { isValid = false }
        }
        return isValid
    }

    private mutating func choose(
        _ keyword: Keyword, _ value: JSON, _ seen: inout Evaluated?
    ) throws(JSONSchema.Overrun) -> Bool {
        switch keyword {
        case .any(let schemas):
            let count = try validCount(of: schemas, value, most: seen == nil ? 1 : .max, &seen)
            return count > 0 || fault("anyOf", "This fits none of \(schemas.count) schemas.")
        case .one(let schemas):
            let count = try validCount(of: schemas, value, most: 2, &seen)
            let found = count == 0 ? "none" : "more than one"
            return count == 1 || fault("oneOf", "This fits \(found) of \(schemas.count) schemas.")
        case .not(let schema):
            var nobody: Evaluated?
            return try !isValid(schema, value, &nobody)
                || fault("not", "This fits a schema that it must not fit.")
        case .condition(let condition, let then, let otherwise):
            let branch = try isValid(condition, value, &seen) ? then : otherwise
            return try branch.map { branch throws(JSONSchema.Overrun) in
                try check(branch, value, since: nil, &seen)
            } ?? true
        default: return true
        }
    }

    private mutating func validCount(
        of schemas: [Int], _ value: JSON, most: Int, _ seen: inout Evaluated?
    ) throws(JSONSchema.Overrun) -> Int {
        var count = 0
        for schema in schemas where try isValid(schema, value, &seen) {
            count += 1
            if count >= most { break }
        }
        return count
    }
}

extension JSON {
    /// How many Unicode characters a string has. O(n).
    fileprivate var characterCount: Int {
        utf8?.reduce(0) { $1 & 0xc0 == 0x80 ? $0 : $0 + 1 } ?? 0
    }
}
