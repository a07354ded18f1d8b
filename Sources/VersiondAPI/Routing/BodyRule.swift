import Documents
import JSONSchemas
import JSONTree
import Journaling
import Sentences
import VersioningKit

/// The compiled schema of a body.
struct BodyRule: Sendable {
    private let schema: JSONSchema
    /// An example of a body.
    private let hint: String

    /// The rule of a schema, by its name in the description.
    init(schema name: String) {
        let json: JSON = [
            "$ref": JSON("#/components/schemas/\(name)"),
            "components": ["schemas": Schemas.ofBodies],
        ]
        do throws(JSONSchema.Fault) {
            schema = try JSONSchema(json, formats: BodyRule.formats)
        } catch {
            preconditionFailure("\(name) at \(error.pointer): \(error.detail)")
        }
        let described = Schemas.ofBodies[name]
        let examples = described?["examples"]?.elements?.map { "-d '\($0)'" } ?? []
        let names = described?["properties"]?.members?.map(\.name).sorted() ?? []
        hint =
            !examples.isEmpty
            ? examples.joined(separator: " or ")
            : names.isEmpty ? "Send no body." : "Use only \(names.joined(separator: ", "))."
    }

    /// Throws all faults of a body. `isLenient`: unknown members are ignored.
    func check(_ body: JSON, isLenient: Bool) throws(Problem) {
        let faults = faults(in: body, isLenient: isLenient)
        if !faults.isEmpty { throw Problem(malformed: faults, hint: hint) }
    }

    /// The faults of a body.
    func faults(in body: JSON, isLenient: Bool = false) -> [BodyFault] {
        do throws(JSONSchema.Overrun) {
            return try schema.violations(
                in: body, most: BodyFault.countMax, stepsMax: .max, isLenient: isLenient
            ).map { violation in
                // A missing member also has a place.
                let name = violation.missing.map { JSONPointer(names: [$0.text]).description }
                return BodyFault(
                    pointer: violation.pointer.description + (name ?? ""),
                    detail: violation.detail)
            }
        } catch {
            return [BodyFault(pointer: "", detail: "This is nested too deeply to be validated.")]
        }
    }
}

/// A fault at a place in a body.
struct BodyFault: Error {
    /// The place, as a JSON Pointer.
    let pointer: String
    let detail: String

    /// Keeps the list readable, and the response smaller than the request.
    static let countMax = 16
    private static let placeMax = 256

    /// The place, as far as it is readable.
    var place: String { String(pointer.prefix(BodyFault.placeMax)) }
    /// The place and the fault.
    var sentence: String { pointer.isEmpty ? detail : "\(place): \(detail)" }
}

extension Problem {
    /// A body with faults.
    init(malformed faults: [BodyFault], hint: String? = nil) {
        var text = JSONText()
        text.array(faults) { text, fault in
            text.object { text in
                text.member("pointer", fault.place)
                text.member("detail", fault.detail.plain)
            }
        }
        let words = faults.map(\.sentence).joined(separator: " ")
        self.init(.malformedRequest, words, hint: hint)
        members = [("errors", .json(text.bytes))]
    }

    /// A body with one fault that its schema cannot express.
    init(malformed pointer: String, _ detail: String, hint: String? = nil) {
        self.init(malformed: [BodyFault(pointer: pointer, detail: detail)], hint: hint)
    }
}

extension BodyRule {
    /// The values of `format` in the schemas of bodies.
    private static let formats: [String: JSONSchema.Format] = [
        "int64": .init("a whole number of at most 64 bits, without fraction and exponent") {
            $0.kind != .number || $0.int != nil
        },
        "revision": place("a revision") { WholeNumber.parse($0) != nil },
        "revision-or-any": place("a revision or *") { $0 == "*" || WholeNumber.parse($0) != nil },
        "state": place(
            "a revision, head, version:N, tag:NAME, restore-point:NAME, cursor:N or a time"
        ) {
            (try? Address($0, named: ""))?.isRevision == true
        },
        "address": text(
            "a revision, head, origin, version:N, tag:NAME, snapshot:KEY, restore-point:NAME, "
                + "cursor:N or a time"
        ) {
            (try? Address($0, named: "")) != nil
        },
        "common-state": text("a time, restore-point:NAME or cursor:N") {
            (try? Address($0, named: ""))?.isCommon == true
        },
        "position": text("cursor:N or restore-point:NAME") {
            switch try? Address($0, named: "") {
            case .position, .restorePoint: true
            case .state, nil: false
            }
        },
        "date-time": text("a time, like 2026-01-31T12:00:00Z") { RFC3339.parse($0) != nil },
        "document-name": text("a name of 1 to \(DocumentID.bytesMax) bytes") {
            DocumentsAPI.reachable($0) != nil
        },
        "json-pointer": text("a JSON Pointer") { JSONPointer(parsing: $0) != nil },
        "plain-pointer": text("a JSON Pointer without numbers") {
            JSONPointer(parsing: $0)?.hasNumbers == false
        },
        "pointer-pattern": text(
            "a JSON Pointer with * for any element, without numbers: an element's number changes"
        ) { PointerPattern(parsing: $0) != nil },
        "window": duration(.zero...Limits.debounceMax),
        "scope-lifetime": duration(Limits.scopeLifetime),
        "history-age": duration(Limits.historyAge),
    ]

    private static func text(
        _ words: String, _ accepts: @escaping @Sendable (String) -> Bool
    ) -> JSONSchema.Format {
        .init(words) { $0.string.map(accepts) ?? true }
    }

    private static func duration(_ range: ClosedRange<Duration>) -> JSONSchema.Format {
        let least = HumanDuration.text(range.lowerBound)
        let most = HumanDuration.text(range.upperBound)
        return text("a duration from \(least) to \(most), like 500ms, 2s or 1m") {
            HumanDuration.parse($0).map(range.contains) ?? false
        }
    }

    /// The same for a number, as it would be written in a text.
    private static func place(
        _ words: String, _ accepts: @escaping @Sendable (String) -> Bool
    ) -> JSONSchema.Format {
        .init(words) { $0.place.map(accepts) ?? false }
    }
}
