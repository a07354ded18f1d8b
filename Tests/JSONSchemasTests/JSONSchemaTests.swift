import JSONTree
import TestSupport
import Testing

@testable import JSONSchemas

@Suite struct JSONSchemaTests {
    private func schema(_ text: String) throws -> JSONSchema {
        try JSONSchema(JSON(parsing: Array(text.utf8)))
    }

    @Test func `What a value shares with a valid one need not be looked at`() throws {
        // Law: looking only at what is new finds a fault exactly if looking at all does.
        for seed in Seeds.of(1_200, from: 1) {
            var maker = Maker(random: SeededGenerator(seed: seed))
            guard let schema = try? JSONSchema(maker.schema(3)) else { continue }
            var value = maker.value(4)
            for _ in 0..<12 {
                let next = maker.edited(value)
                let all = try schema.violations(in: next, stepsMax: 1_000_000)
                if try schema.violations(in: value, stepsMax: 1_000_000).isEmpty {
                    let new = try schema.violations(in: next, since: value, stepsMax: 1_000_000)
                    #expect(new.isEmpty == all.isEmpty, "\(seed): \(schema.json) \(value) \(next)")
                }
                if all.isEmpty || maker.isOneIn(3) { value = next }
            }
        }
    }

    @Test func `A format is checked where it is known, and a note where it is not`() throws {
        let json = try JSON(parsing: Array(#"{"items":{"format":"even"}}"#.utf8))
        let even = JSONSchema.Format("an even number") { ($0.int ?? 0).isMultiple(of: 2) }
        let found = try JSONSchema(json, formats: ["even": even]).violations(
            in: [2, 3, "x"], stepsMax: 100)
        #expect(found.map(\.pointer.description) == ["/1"] && found[0].keyword == "format")
        #expect(found.first?.detail == "This must be an even number.")
        #expect(try JSONSchema(json).violations(in: [3], stepsMax: 100).isEmpty)
    }

    @Test func `What is lenient allows other members, and nothing else`() throws {
        let schema = try schema(
            #"{"properties":{"n":{"type":"integer"}},"additionalProperties":false}"#)
        let value: JSON = ["n": "x", "m": 1]
        let strict = try schema.violations(in: value, stepsMax: 100)
        #expect(strict.map(\.pointer.description).sorted() == ["/m", "/n"])
        let lenient = try schema.violations(in: value, stepsMax: 100, isLenient: true)
        #expect(lenient.map(\.pointer.description) == ["/n"])
    }

    @Test func `A value of another type, a name and a choice are told once and with what is meant`()
        throws
    {
        let schema = try schema(
            """
            {"propertyNames":{"maxLength":2},"properties":{"n":{"type":"integer","const":1}},
              "additionalProperties":{"enum":[1,2]}}
            """)
        let found = try schema.violations(in: ["n": "x", "abc": 3], stepsMax: 100)
        #expect(
            found.map(\.detail).sorted() == [
                "The name abc is not allowed here. This must have at most 2 characters, not 3.",
                "This must be of type integer, not string.", "This must be one of 1, 2.",
            ])
    }

    @Test func `A null behind the last element is new`() throws {
        let schema = try schema(#"{"items":{"type":"string"}}"#)
        for (before, after): (JSON, JSON) in [([], [nil]), (["a"], ["a", nil])] {
            let found = try schema.violations(in: after, since: before, stepsMax: 100)
            #expect(found.count == 1)
        }
    }

    @Test func `An edit of one element among many is not a check of all`() throws {
        let schema = try schema(
            """
            {"properties":{"items":{"items":{"type":"object","required":["n"],
              "properties":{"n":{"type":"integer"}},"additionalProperties":false}},
              "by":{"additionalProperties":{"type":"integer"},"propertyNames":{"minLength":1}}}}
            """)
        let items = JSON(elements: (0..<50_000).map { ["n": JSON($0)] as JSON })
        let names = JSON(members: (0..<50_000).map { ("k\($0)", JSON($0)) })
        let value: JSON = ["items": items, "by": names]
        for (text, new) in [("/items/25000/n", 7 as JSON), ("/by/k777", 8)] {
            let place = try #require(JSONPointer(parsing: text))
            let edited = try value.replacing(at: place, with: new)
            #expect(try schema.violations(in: edited, since: value, stepsMax: 400).isEmpty)
            let broken = try value.replacing(at: place, with: "x")
            let found = try schema.violations(in: broken, since: value, stepsMax: 400)
            #expect(found.map(\.pointer.description) == [text])
        }
        var patch = try JSONPatch([["op": "add", "path": "/items/9", "value": [:]]] as JSON)
        let shifted = try value.applying(patch).tree
        #expect(
            try schema.violations(in: shifted, since: value, stepsMax: 400).map(
                \.pointer.description)
                == ["/items/9"])
        patch = try JSONPatch([["op": "remove", "path": "/items/0"]] as JSON)
        #expect(
            try schema.violations(in: value.applying(patch).tree, since: value, stepsMax: 400)
                .isEmpty)
    }

    @Test func `At most so many places are told`() throws {
        let schema = try schema(#"{"items":{"type":"string"}}"#)
        let value = JSON(elements: (0..<100).map { JSON($0) })
        #expect(try schema.violations(in: value, stepsMax: 10_000).count == Violation.countMax)
        #expect(try schema.violations(in: value, most: 1, stepsMax: 10_000).count == 1)
    }

    @Test func `A check takes so many steps and no more`() throws {
        let schema = try schema(#"{"items":{"type":"integer"}}"#)
        let value = JSON(elements: (0..<1_000).map { JSON($0) })
        #expect(throws: JSONSchema.Overrun.self) {
            try schema.violations(in: value, stepsMax: 1_000)
        }
        #expect(try schema.violations(in: value, stepsMax: 3_000).isEmpty)
    }

    @Test func `Numbers are compared without rounding`() throws {
        let cases = [
            (#"{"multipleOf":0.01}"#, "123456789012345678901234567890.01", true),
            (#"{"multipleOf":0.01}"#, "0.001", false), (#"{"multipleOf":7}"#, "7e300", true),
            (#"{"multipleOf":7}"#, "1e300", false), (#"{"multipleOf":0.3}"#, "0.9", true),
            (#"{"maximum":0.1}"#, "0.10000000000000000001", false),
            (#"{"minimum":-1e3}"#, "-1000.0", true), (#"{"const":1}"#, "1.00", true),
            (#"{"exclusiveMinimum":0}"#, "-0", false), (#"{"type":"integer"}"#, "1e2", true),
            (#"{"type":"integer"}"#, "1e-2", false), (#"{"uniqueItems":true}"#, "[1,1.0]", false),
        ]
        for (text, value, isValid) in cases {
            let faults = try schema(text).violations(
                in: JSON(parsing: Array(value.utf8)), stepsMax: 100)
            #expect(faults.isEmpty == isValid, "\(text) \(value)")
        }
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "1099511627776"])
    func `A number beyond all measure breaks bounds, and nothing else`(_ exponent: String) throws {
        let number = try JSON(parsing: Array("1e\(exponent)".utf8))
        for text in [#"{"maximum":5}"#, #"{"minimum":5}"#, #"{"multipleOf":1}"#] {
            #expect(try !schema(text).violations(in: number, stepsMax: 100).isEmpty)
        }
        for text in [#"{"uniqueItems":true}"#, #"{"type":"number"}"#, #"{"enum":[1,"a"]}"#] {
            _ = try schema(text).violations(in: [number, 1], stepsMax: 100)
            _ = try schema(text).violations(in: number, stepsMax: 100)
        }
        for keyword in ["maximum", "exclusiveMinimum", "multipleOf", "minLength", "maxItems"] {
            #expect(throws: JSONSchema.Fault.self) { try schema("{\"\(keyword)\":\(number)}") }
        }
        _ = try schema("{\"enum\":[\(number)]}").violations(in: number, stepsMax: 100)
    }

    @Test func `Elements that change places are looked at where places have schemas`() throws {
        let schema = try schema(#"{"prefixItems":[{"required":["a"]},{"required":["b"]}]}"#)
        let value: JSON = [["a": 1], ["b": 1]]
        let patch = try JSONPatch([["op": "move", "from": "/0", "path": "/1"]] as JSON)
        let moved = try value.applying(patch).tree
        #expect(try schema.violations(in: moved, since: value, stepsMax: 100).count == 2)
    }

    @Test(arguments: [
        (
            #"{"items":{"anyOf":[{"required":["a","b","c","d","e","f","g","h"]},true]}}"#,
            "[{},{},{},{},{},{}]"
        ),
        (
            #"{"allOf":[{"minLength":1},{"minLength":1}]}"#,
            "\"\(String(repeating: "a", count: 2_000))\""
        ),
        (#"{"enum":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21]}"#, "21"),
        (#"{"uniqueItems":true}"#, "[\"\(String(repeating: "a", count: 2_000))\",1]"),
        (#"{"prefixItems":[true]}"#, "[\((0..<400).map { "\($0)" }.joined(separator: ","))]"),
    ])
    func `Each piece of work is counted`(_ text: String, _ value: String) throws {
        let value = try JSON(parsing: Array(value.utf8))
        let schema = try schema(text)
        #expect(throws: JSONSchema.Overrun.self) {
            try schema.violations(in: value, stepsMax: 20)
        }
    }

    @Test func `Names compare as bytes`() throws {
        let schema = try schema("{\"required\":[\"\u{e9}\"]}")
        let other = try JSON(parsing: Array("{\"e\u{301}\":1}".utf8))
        #expect(try !schema.violations(in: other, stepsMax: 100).isEmpty)
    }
}

/// Makes schemas, values and edits at random, small enough to meet.
private struct Maker {
    var random: SeededGenerator

    mutating func isOneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    private mutating func name() -> String { ["a", "b", "c", "dd"].randomElement(using: &random)! }

    mutating func schema(_ depth: Int) -> JSON {
        var members: [(String, JSON)] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) { members.append(keyword(depth)) }
        return JSON(members: members)
    }

    private mutating func schemas(_ depth: Int) -> JSON {
        JSON(elements: [schema(depth - 1), schema(depth - 1)])
    }

    private mutating func keyword(_ depth: Int) -> (String, JSON) {
        let plain = Int.random(in: 0..<9, using: &random)
        if depth == 0 || isOneIn(2) {
            switch plain {
            case 0:
                let types: [JSON] = ["integer", "string", "object", "array"]
                return ("type", JSON(elements: types.shuffled(using: &random).prefix(3)))
            case 1: return ("required", JSON(elements: [JSON(name())]))
            case 2: return ("maximum", JSON(Int.random(in: 2...5, using: &random)))
            case 3: return ("minItems", JSON(Int.random(in: 0...2, using: &random)))
            case 4: return ("maxProperties", JSON(Int.random(in: 1...3, using: &random)))
            case 5: return ("uniqueItems", true)
            case 6: return ("pattern", "^[a-c]*$")
            case 7:
                return (
                    "dependentRequired", JSON(members: [(name(), JSON(elements: [JSON(name())]))])
                )
            default: return ("maxLength", 1)
            }
        }
        let inner = depth - 1
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1:
            return (
                "properties", JSON(members: [(name(), schema(inner)), (name(), schema(inner))])
            )
        case 2: return ("additionalProperties", schema(inner))
        case 3, 4: return ("items", schema(inner))
        case 5: return ("prefixItems", schemas(depth))
        case 6: return ("allOf", schemas(depth))
        case 7: return ("anyOf", schemas(depth))
        case 8: return ("oneOf", schemas(depth))
        case 9: return ("not", schema(inner))
        case 10: return ("if", schema(inner))
        case 11: return ("then", schema(inner))
        case 12: return ("dependentSchemas", JSON(members: [(name(), schema(inner))]))
        case 13: return ("patternProperties", JSON(members: [("^[ab]", schema(inner))]))
        case 14: return (isOneIn(2) ? "unevaluatedProperties" : "contains", schema(inner))
        default: return ("propertyNames", ["maxLength": 1])
        }
    }

    mutating func value(_ depth: Int) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 6 : 3), using: &random) {
        case 0: return JSON(Int.random(in: 0...6, using: &random))
        case 1: return JSON(name())
        case 2: return isOneIn(2) ? .null : 1
        case 3, 4:
            // Now and then enough for more than one node.
            let count = isOneIn(8) ? 200 : Int.random(in: 0...4, using: &random)
            return JSON(
                members: (0..<count).map { index in
                    (index < 4 ? name() : "k\(index)", value(count > 4 ? 0 : depth - 1))
                })
        default:
            let count = isOneIn(8) ? 80 : Int.random(in: 0...4, using: &random)
            return JSON(elements: (0..<count).map { _ in value(count > 4 ? 0 : depth - 1) })
        }
    }

    /// The value with one place changed, which shares the rest.
    mutating func edited(_ value: JSON) -> JSON {
        var (here, pointer) = (value, "")
        while here.count > 0, !isOneIn(3) {
            if let members = here.members, let member = members.randomElement(using: &random) {
                (here, pointer) = (member.value, pointer + "/" + member.name)
            } else {
                let index = Int.random(in: 0..<here.count, using: &random)
                (here, pointer) = (here[index] ?? .null, pointer + "/\(index)")
            }
        }
        let new = self.value(2).description
        let operation: String
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where !pointer.isEmpty: operation = #"{"op":"remove","path":"\#(pointer)"}"#
        case 1 where here.kind == .object:
            operation = #"{"op":"add","path":"\#(pointer)/\#(name())","value":\#(new)}"#
        case 1 where here.kind == .array:
            let index = Int.random(in: 0...here.count, using: &random)
            operation = #"{"op":"add","path":"\#(pointer)/\#(index)","value":\#(new)}"#
        default: operation = #"{"op":"replace","path":"\#(pointer)","value":\#(new)}"#
        }
        let patch = try? JSONPatch(JSON(parsing: Array("[\(operation)]".utf8)))
        return patch.flatMap { try? value.applying($0).tree } ?? value
    }
}
