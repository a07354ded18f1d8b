import JSONTree

/// What the schema of a query parameter demands, as far as that can be checked here: so a value
/// that the description forbids is refused, and not read as something else.
struct ParameterRule: Sendable {
    /// What the parameter is for, as a hint to who has it wrong.
    private let meaning: String
    private let words: Set<String>?
    private let lengths: ClosedRange<Int>
    private let numbers: ClosedRange<Int>?

    /// The rule of a parameter's schema, by its name.
    init(schema name: String, meaning: String) {
        self.meaning = meaning
        let schema = Schemas.all[name]
        func number(_ member: String) -> Int? { schema?[member]?.int }
        words = schema?["enum"]?.elements.map { Set($0.compactMap(\.string)) }
        lengths = (number("minLength") ?? 0)...(number("maxLength") ?? .max)
        numbers =
            schema?["type"] == "integer"
            ? (number("minimum") ?? .min)...(number("maximum") ?? .max) : nil
    }

    /// Throws if a value is not what the schema demands.
    func check(_ value: String, of name: String) throws(Problem) {
        if let words, !words.contains(value) {
            let known = words.filter { !$0.isEmpty }.sorted().joined(separator: ", ")
            throw Problem(
                .malformedRequest, "\(name) must be one of: \(known).", hint: meaning)
        }
        guard lengths.contains(value.unicodeScalars.count) else {
            let most = lengths.upperBound == .max ? "or more" : "to \(lengths.upperBound)"
            throw Problem(
                .malformedRequest, "\(name) has \(lengths.lowerBound) \(most) characters.",
                hint: meaning)
        }
        if let numbers {
            guard let number = Int(value), numbers.contains(number) else {
                let most = numbers.upperBound == .max ? "on" : "to \(numbers.upperBound)"
                throw Problem(
                    .malformedRequest,
                    "\(name) must be a number from \(numbers.lowerBound) \(most).", hint: meaning)
            }
        }
    }
}
