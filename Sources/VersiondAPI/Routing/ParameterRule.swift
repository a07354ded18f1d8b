import JSONTree

/// The rules of a query parameter's schema that are checked before the handler runs. A value that
/// violates the description is refused.
struct ParameterRule: Sendable {
    /// The description of the parameter, as the hint of a problem.
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

    /// Throws if a value violates the schema.
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
