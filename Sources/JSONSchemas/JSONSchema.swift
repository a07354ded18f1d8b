public import JSONTree

/// A JSON Schema (draft 2020-12), made ready to check values with.
///
/// All documents that have the schema share it; any thread may use it. The keywords that
/// `Documentation/Guide/Schemas.md` excludes are refused here: no schema is checked in part.
public final class JSONSchema: Sendable, Equatable {
    /// What is wrong with a schema, and where in it.
    public struct Fault: Error, Equatable {
        public let pointer: JSONPointer
        public let detail: String
    }

    /// What a `format` demands.
    public struct Format: Sendable {
        /// What a value must be, as a part of a sentence.
        let words: String
        /// Whether a value is that, or of a type that the format says nothing about.
        let accepts: @Sendable (JSON) -> Bool

        public init(_ words: String, accepts: @escaping @Sendable (JSON) -> Bool) {
            self.words = words
            self.accepts = accepts
        }
    }

    /// The longest schema, as text: it is stored with each document that has one.
    public static let bytesMax = 64 << 10
    /// Patterns take memory of their own.
    public static let patternsMax = 100

    /// The schema as it was written.
    public let json: JSON
    let subschemas: [Subschema]
    /// The subschema that is the whole.
    static let root = 0

    /// Reads a schema. O(its length). `formats`: those that are checked; others are notes, as the
    /// standard has it.
    public init(_ json: JSON, formats: [String: Format] = [:]) throws(Fault) {
        guard json.byteCount <= JSONSchema.bytesMax else {
            throw Fault(
                pointer: .root, detail: "A schema has at most \(JSONSchema.bytesMax) bytes.")
        }
        self.json = json
        var compiler = SchemaCompiler(json, formats)
        subschemas = try compiler.compile()
    }

    /// What in a value breaks the schema: so many places at most.
    ///
    /// - Parameters:
    ///   - before: the value that this one was made from, if that is known to be valid. Then only
    ///     what it does not share with it is looked at, but for keywords that choose between
    ///     schemas (`anyOf`, `oneOf`, `not`, `if`), count (`contains`, `uniqueItems`) or ask for
    ///     the rest (`unevaluatedItems`, `unevaluatedProperties`).
    ///   - stepsMax: how many pairs of a schema and a value are looked at.
    ///   - isLenient: whether the schema `false`, which forbids other members, allows anything.
    /// - Throws: `Overrun` if there are more of them.
    public func violations(
        in value: JSON, since before: JSON? = nil, most: Int = Violation.countMax,
        stepsMax: Int, isLenient: Bool = false
    ) throws(Overrun) -> [Violation] {
        var evaluation = Evaluation(self, most: most, stepsMax: stepsMax, isLenient: isLenient)
        _ = try evaluation.check(JSONSchema.root, value, since: before)
        return evaluation.violations
    }

    /// Whether both are written alike.
    public static func == (left: JSONSchema, right: JSONSchema) -> Bool {
        left === right || left.json == right.json
    }

    /// Checking would take longer than it may.
    public struct Overrun: Error, Equatable {}
}

/// A place in a value that breaks a schema.
public struct Violation: Sendable, Equatable {
    /// Where in the value.
    public let pointer: JSONPointer
    /// The keyword that it breaks.
    public let keyword: String
    /// What should be there, in a sentence.
    public let detail: String
    /// The member that is missing at the place.
    package let missing: MemberName?

    /// How many are told: the first ones say enough.
    public static let countMax = 20
}
