import JSONTree

/// One check of a value.
struct Evaluation {
    let schema: JSONSchema
    private let most: Int
    let isLenient: Bool
    var stepsLeft: Int
    private var depth = 0
    /// Where the check is.
    private var path: [MemberName] = []
    /// Above 0 where a schema may be broken: then the first fault ends the evaluation, and is not
    /// reported.
    private var trials = 0
    private(set) var violations: [Violation] = []

    /// A check calls itself for each level, and for schemas that follow each other.
    private static let depthMax = 2_000

    init(_ schema: JSONSchema, most: Int, stepsMax: Int, isLenient: Bool) {
        self.schema = schema
        self.most = most
        self.isLenient = isLenient
        stepsLeft = stepsMax
    }

    /// Whether a value is valid. `before`: a valid former value. `seen`: collects the evaluated
    /// parts, if needed.
    mutating func check(
        _ index: Int, _ value: JSON, since before: JSON?, _ seen: inout Evaluated?
    ) throws(JSONSchema.Overrun) -> Bool {
        if seen == nil, let before, value.isShared(with: before) { return true }
        try spend(1)
        guard depth < Evaluation.depthMax else { throw JSONSchema.Overrun() }
        depth += 1
        defer { depth -= 1 }
        let subschema = schema.subschemas[index]
        var own: Evaluated? = seen != nil || subschema.asksForRest ? Evaluated() : nil
        var isValid = true
        for keyword in subschema.keywords {
            if try check(keyword, value, since: before, &own) { continue }
            isValid = false
            // Faults of other keywords that follow from a wrong type add nothing.
            if case .types = keyword { return false }
            if isEnough { return false }
        }
        if isValid, let own { seen?.formUnion(own) }
        return isValid
    }

    mutating func check(
        _ index: Int, _ value: JSON, since before: JSON?
    ) throws(JSONSchema.Overrun) -> Bool {
        var nobody: Evaluated?
        return try check(index, value, since: before, &nobody)
    }

    /// Whether a value is valid, where it need not be: nothing is reported.
    mutating func isValid(
        _ index: Int, _ value: JSON, _ seen: inout Evaluated?
    ) throws(JSONSchema.Overrun) -> Bool {
        trials += 1
        defer { trials -= 1 }
        return try check(index, value, since: nil, &seen)
    }

    /// The same for a part of the value.
    mutating func check(
        _ index: Int, _ value: JSON, since before: JSON?, at name: MemberName
    ) throws(JSONSchema.Overrun) -> Bool {
        path.append(name)
        defer { path.removeLast() }
        return try check(index, value, since: before)
    }

    /// Counts work, so that no schema and no value can take for ever.
    mutating func spend(_ steps: Int) throws(JSONSchema.Overrun) {
        stepsLeft -= steps
        if stepsLeft < 0 { throw JSONSchema.Overrun() }
    }

    /// Whether further faults would not be reported.
    var isEnough: Bool { trials > 0 || violations.count >= most }

    /// Notes a fault. Returns false, for the one who finds it.
    mutating func fault(
        _ keyword: String, missing name: MemberName? = nil, _ detail: @autoclosure () -> String
    ) -> Bool {
        if !isEnough {
            violations.append(
                Violation(
                    pointer: JSONPointer(tokens: path), keyword: keyword, detail: detail(),
                    missing: name))
        }
        return false
    }
}

/// The parts of an array or object that keywords of one schema have evaluated, for `unevaluated…`.
struct Evaluated {
    var members: Set<MemberName> = []
    var elements: Set<Int> = []

    mutating func formUnion(_ other: Evaluated) {
        members.formUnion(other.members)
        elements.formUnion(other.elements)
    }
}
