import JSONTree
import Patterns

// Arrays and objects. Of a value whose former state was valid, only the new parts are evaluated.

extension Evaluation {
    mutating func check(
        _ rules: Keyword.MemberRules, _ value: JSON, since before: JSON?,
        _ seen: inout Evaluated?
    ) throws(JSONSchema.Overrun) -> Bool {
        let known = seen == nil ? before : nil
        let isNamed = rules.patterns.isEmpty && rules.others == nil
        if known == nil { try spend(value.count / 8) }
        if known == nil, isNamed, rules.named.count <= value.count {
            return try checkNamed(rules.named, value, &seen)
        }
        guard let members = value.members(since: known) else { return true }
        var isValid = true
        for (name, member, before) in members {
            try spend(1)
            for schema in try rules.schemas(for: name, &self) {
                seen?.members.insert(name)
                if try !check(schema, member, since: before, at: name) { isValid = false }
            }
            if !isValid && isEnough { return false }
        }
        return isValid
    }

    private mutating func checkNamed(
        _ named: [MemberName: Int], _ value: JSON, _ seen: inout Evaluated?
    ) throws(JSONSchema.Overrun) -> Bool {
        var isValid = true
        for (name, schema) in named {
            try spend(1)
            guard let member = value[name] else { continue }
            seen?.members.insert(name)
            if try !check(schema, member, since: nil, at: name) { isValid = false }
            if !isValid && isEnough { return false }
        }
        return isValid
    }

    mutating func checkNames(
        _ schema: Int, _ value: JSON, since before: JSON?
    ) throws(JSONSchema.Overrun) -> Bool {
        var isValid = true
        for (name, _, former) in value.members(since: before) ?? [] where former == nil {
            var own = Evaluation(
                self.schema, most: 1, stepsMax: stepsLeft, isLenient: isLenient)
            let isAllowed = try own.check(schema, JSON.string(bytes: name.bytes), since: nil)
            stepsLeft = own.stepsLeft
            if isAllowed { continue }
            let reason = own.violations.first?.detail ?? ""
            let text = name.text.prefix(60)
            isValid = fault("propertyNames", "The name \(text) is not allowed here. \(reason)")
            if isEnough { break }
        }
        return isValid
    }

    mutating func checkElements(
        _ prefix: [Int], _ rest: Int?, _ value: JSON, since before: JSON?,
        _ seen: inout Evaluated?
    ) throws(JSONSchema.Overrun) -> Bool {
        guard value.kind == .array else { return true }
        let known: JSON? = seen == nil ? before : nil
        if known == nil || !prefix.isEmpty { try spend(value.count / 8) }
        guard prefix.isEmpty, let rest else {
            return try checkPlaces(prefix, rest, value, since: known, &seen)
        }
        var isValid = true
        for (index, element, before) in value.elements(since: known) ?? [] {
            try spend(1)
            seen?.elements.insert(index)
            if try !check(rest, element, since: before, at: MemberName("\(index)")) {
                isValid = false
                if isEnough { break }
            }
        }
        return isValid
    }

    /// Where the schema is one of the place, an element that only moved is not known to be valid:
    /// each is compared with what was at its place.
    private mutating func checkPlaces(
        _ prefix: [Int], _ rest: Int?, _ value: JSON, since before: JSON?,
        _ seen: inout Evaluated?
    ) throws(JSONSchema.Overrun) -> Bool {
        var isValid = true
        let end = rest == nil ? min(prefix.count, value.count) : value.count
        for index in 0..<end {
            guard let schema = index < prefix.count ? prefix[index] : rest,
                let element = value[index]
            else { break }
            try spend(1)
            seen?.elements.insert(index)
            let former: JSON? = before?[index]
            if try !check(schema, element, since: former, at: MemberName("\(index)")) {
                isValid = false
                if isEnough { break }
            }
        }
        return isValid
    }

    /// O(n): the number counts.
    mutating func checkContains(
        _ schema: Int, _ range: ClosedRange<Int>, _ value: JSON, _ seen: inout Evaluated?
    ) throws(JSONSchema.Overrun) -> Bool {
        try spend(value.count / 8)
        guard let elements = value.elements else { return true }
        var count = 0
        for (index, element) in elements.enumerated() {
            var nobody: Evaluated?
            guard try isValid(schema, element, &nobody) else { continue }
            count += 1
            seen?.elements.insert(index)
        }
        if range.contains(count) { return true }
        let (keyword, bound) =
            count > range.upperBound
            ? ("maxContains", "at most \(range.upperBound)")
            : (range.lowerBound == 1 ? "contains" : "minContains", "at least \(range.lowerBound)")
        return fault(keyword, "\(count) elements fit; \(bound) must.")
    }

    /// O(size): whatever is equal in value is the same, however its numbers are written.
    mutating func checkUnique(_ value: JSON) throws(JSONSchema.Overrun) -> Bool {
        guard let elements = value.elements, elements.count > 1 else { return true }
        try spend(elements.count + value.byteCount / 64)
        var known: [JSON: Int] = [:]
        for (index, element) in elements.enumerated() {
            let plain = element.withPlainNumbers
            try spend(element.valueCount)
            if let first = known.updateValue(index, forKey: plain) {
                return fault("uniqueItems", "Elements \(first) and \(index) are the same.")
            }
        }
        return true
    }
}

// The parts that no other keyword has evaluated.
extension Evaluation {
    mutating func checkOtherMembers(
        _ schema: Int, _ value: JSON, _ seen: inout Evaluated?
    ) throws(JSONSchema.Overrun) -> Bool {
        guard let known = seen else { return true }
        var isValid = true
        for (name, member, _) in value.members(since: nil) ?? []
        where !known.members.contains(name) {
            seen?.members.insert(name)
            if try !check(schema, member, since: nil, at: name) { isValid = false }
            if !isValid && isEnough { return false }
        }
        return isValid
    }

    mutating func checkOtherElements(
        _ schema: Int, _ value: JSON, _ seen: inout Evaluated?
    ) throws(JSONSchema.Overrun) -> Bool {
        guard let known = seen else { return true }
        var isValid = true
        for (index, element) in (value.elements ?? []).enumerated()
        where !known.elements.contains(index) {
            seen?.elements.insert(index)
            if try !check(schema, element, since: nil, at: MemberName("\(index)")) {
                isValid = false
            }
            if !isValid && isEnough { return false }
        }
        return isValid
    }
}

extension Keyword.MemberRules {
    /// The schemas that a member must fit.
    fileprivate func schemas(
        for name: MemberName, _ evaluation: inout Evaluation
    ) throws(JSONSchema.Overrun) -> [Int] {
        var schemas: [Int] = []
        if let schema = named[name] { schemas.append(schema) }
        for (pattern, schema) in patterns {
            try evaluation.spend(1 + name.byteCount / 64)
            if pattern.matches(name.bytes) { schemas.append(schema) }
        }
        if schemas.isEmpty, let others { schemas.append(others) }
        return schemas
    }
}

extension JSON {
    /// The value with each number written in the one way that equal ones share.
    fileprivate var withPlainNumbers: JSON {
        switch kind {
        case .number: ExactNumber(self)?.plain ?? self
        case .array: JSON(elements: (elements ?? []).map(\.withPlainNumbers))
        case .object:
            JSON(members: (members ?? []).map { ($0.name, $0.value.withPlainNumbers) })
        default: self
        }
    }
}
