import JSONTree
import Patterns

/// A schema or a part of one. It refers to others by their index.
struct Subschema: Sendable {
    /// In the order of evaluation: keywords that depend on the members evaluated by others are
    /// last.
    var keywords: [Keyword] = []
    /// Whether it depends on the members or elements that others have evaluated.
    var asksForRest = false
}

/// The demand of one keyword, or of a few that belong together.
enum Keyword: Sendable {
    /// The schema `false`.
    case nothing
    case types([JSONType])
    case values([JSON], name: String)
    case multiple(ExactNumber, JSON)
    case bound(Bound)
    case count(Counted, Limit, Int)
    case pattern(Pattern, String)
    case format(JSONSchema.Format)
    case unique
    case elements(prefix: [Int], rest: Int?)
    case contains(Int, ClosedRange<Int>)
    case required([MemberName])
    case requiredBy([Dependency<[MemberName]>])
    case members(MemberRules)
    case names(Int)
    case schemasBy([Dependency<Int>])
    case reference(Int)
    case all([Int])
    case any([Int])
    case one([Int])
    case not(Int)
    indirect case condition(Int, then: Int?, otherwise: Int?)
    case otherElements(Int)
    case otherMembers(Int)

    /// The counted parts of a value.
    enum Counted: Sendable { case characters, elements, members }
    enum Limit: Sendable { case least, most }

    /// A number that values are not below or not above.
    struct Bound: Sendable {
        let name: String
        let number: ExactNumber
        let json: JSON
        let isLower: Bool
        let isExclusive: Bool
    }

    /// The rule for values where a member is present.
    struct Dependency<Rule: Sendable>: Sendable {
        let name: MemberName
        let rule: Rule
    }

    /// `properties`, `patternProperties` and `additionalProperties`: they share out the members.
    struct MemberRules: Sendable {
        var named: [MemberName: Int] = [:]
        var patterns: [(pattern: Pattern, schema: Int)] = []
        var others: Int?
    }

    /// The subschemas that apply to the same value, not to a part of it.
    var sameValue: [Int] {
        switch self {
        case .reference(let one), .not(let one): [one]
        case .all(let all), .any(let all), .one(let all): all
        case .condition(let first, let then, let otherwise):
            [first] + [then, otherwise].compactMap { $0 }
        case .schemasBy(let rules): rules.map(\.rule)
        default: []
        }
    }
}

/// The values of `type`.
enum JSONType: String, Sendable {
    case null, boolean, integer, number, string, array, object

    func includes(_ value: JSON) -> Bool {
        switch (self, value.kind) {
        case (.null, .null), (.boolean, .bool), (.number, .number), (.string, .string),
            (.array, .array), (.object, .object):
            true
        case (.integer, .number): value.int != nil || ExactNumber(value)?.isWhole ?? false
        default: false
        }
    }
}
