public import JSONTree

/// A JSON Schema (draft 2020-12), made ready to check values with.
///
/// All documents that have the schema share it; any thread may use it. The keywords that
/// `Documentation/Guide/Schemas.md` excludes are refused here: no schema is checked in part.
public final class JSONSchema: Sendable, Equatable {
    /// A fault in a schema, and its place.
    public struct Fault: Error, Equatable {
        public let pointer: JSONPointer
        public let detail: String
    }

    /// The check of a `format`.
    public struct Format: Sendable {
        /// The demand on a value, as a part of a sentence.
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

    /// The places of a value that break the schema, up to a limit.
    ///
    /// - Parameters:
    ///   - before: the value that this one was made from, if that is known to be valid. Then only
    ///     the parts that both do not share are evaluated, except by keywords that choose between
    ///     schemas (`anyOf`, `oneOf`, `not`, `if`), count (`contains`, `uniqueItems`) or depend on
    ///     the rest (`unevaluatedItems`, `unevaluatedProperties`).
    ///   - stepsMax: the limit on evaluated pairs of a schema and a value.
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
    /// The demand, in a sentence.
    public let detail: String
    /// The member that is missing at the place.
    package let missing: MemberName?

    /// The limit on reported violations: the first ones suffice.
    public static let countMax = 20
}
