public import JSONTree

/// Something an agent can do: its name, what it is for, and its arguments.
public struct AgentTool: Sendable {
    public let name: String
    let title: String
    let description: String
    var arguments: [Argument] = []
    /// Whether it changes nothing.
    public var isReading = true
    /// The first step of a call, whose arguments were checked.
    let begin: @Sendable (ToolArguments) throws(ToolProblem) -> ToolStep

    struct Argument: Sendable {
        let name: String
        let kind: Kind
        let description: String
        var isRequired = false
    }

    enum Kind: Sendable {
        case text, name, integer, flag, value, patch, texts, places, revisions
        case oneOf([String])
    }

    /// As `tools/list` has it.
    var json: JSON {
        let required = arguments.filter(\.isRequired).map { JSON($0.name) }
        return [
            "name": JSON(name), "title": JSON(title), "description": JSON(description),
            "inputSchema": [
                "type": "object",
                "properties": JSON(members: arguments.map { ($0.name, $0.schema) }),
                "required": JSON(elements: required), "additionalProperties": false,
            ],
            // All that is done can be undone.
            "annotations": [
                "readOnlyHint": JSON(isReading), "destructiveHint": false, "openWorldHint": false,
            ],
        ]
    }

    /// The first step of a call.
    public func step(_ arguments: JSON, _ context: ToolContext) -> ToolStep {
        do throws(ToolProblem) {
            return try begin(ToolArguments(values: arguments, context: context))
        } catch { return .failed(error) }
    }

    /// The fault in the arguments of a call; `nil` if there is none. An unknown name is a fault,
    /// since it may be a misspelt parameter.
    func fault(of values: JSON) -> String? {
        guard let members = values.members else { return "The arguments must be an object." }
        for (name, value) in members {
            guard let argument = arguments.first(where: { $0.name == name }) else {
                let names = arguments.map(\.name).joined(separator: ", ")
                return "\(self.name) has no argument \(name). It has: \(names)."
            }
            if !argument.kind.takes(value) { return "\(name) must be \(argument.kind.words)." }
        }
        let missing = arguments.first { argument in
            argument.isRequired && values[argument.name] == nil
        }
        return missing.map { "\($0.name) is missing: \($0.description)" }
    }
}

extension AgentTool.Argument {
    fileprivate var schema: JSON {
        var members = kind.schema
        members.append(("description", JSON(description)))
        return JSON(members: members)
    }
}

extension AgentTool.Kind {
    fileprivate var schema: [(String, JSON)] {
        switch self {
        case .text: [("type", "string")]
        case .name: [("type", "string"), ("minLength", 1)]
        case .integer: [("type", "integer"), ("minimum", 0)]
        case .flag: [("type", "boolean")]
        case .value: []
        case .patch: AgentTool.Kind.patchSchema
        case .texts: [("type", "array"), ("items", ["type": "string"])]
        case .places:
            [
                ("type", "object"),
                (
                    "additionalProperties",
                    ["anyOf": [["const": true], ["type": "array", "items": ["type": "string"]]]]
                ),
            ]
        case .revisions:
            [("type", "object"), ("additionalProperties", ["type": "integer", "minimum": 0])]
        case .oneOf(let words):
            [("type", "string"), ("enum", JSON(elements: words.map { JSON($0) }))]
        }
    }

    /// A JSON Patch, RFC 6902.
    private static var patchSchema: [(String, JSON)] {
        let operations: JSON = ["add", "remove", "replace", "move", "copy", "test"]
        let properties: JSON = [
            "op": ["type": "string", "enum": operations],
            "path": ["type": "string", "description": "a JSON Pointer: /items/0/name"],
            "from": ["type": "string", "description": "for move and copy: a JSON Pointer"],
            "value": ["description": "for add, replace and test: any JSON"],
        ]
        let operation: JSON = [
            "type": "object", "properties": properties, "required": ["op", "path"],
        ]
        return [("type", "array"), ("items", operation)]
    }

    fileprivate var words: String {
        switch self {
        case .text: "a string"
        case .name: "a string that is not empty"
        case .integer: "a whole number"
        case .flag: "true or false"
        case .value: "JSON"
        case .patch: "a JSON Patch: an array of objects with op and path"
        case .texts: "an array of strings"
        case .places: "an object: for each document true, or an array of JSON Pointers"
        case .revisions: "an object: for each document its revision"
        case .oneOf(let words): "one of " + words.joined(separator: ", ")
        }
    }

    fileprivate func takes(_ value: JSON) -> Bool {
        switch self {
        case .text: value.string != nil
        case .name: value.string.map { !$0.isEmpty } ?? false
        case .integer: value.int.map { $0 >= 0 } ?? false
        case .flag: value.bool != nil
        case .value: true
        case .patch: value.elements?.allSatisfy { $0.members != nil } ?? false
        case .texts: value.elements?.allSatisfy { $0.string != nil } ?? false
        case .places:
            value.members?.allSatisfy {
                $0.value.bool == true || AgentTool.Kind.texts.takes($0.value)
            }
                ?? false
        case .revisions:
            value.members?.allSatisfy { AgentTool.Kind.integer.takes($0.value) } ?? false
        case .oneOf(let words): value.string.map(words.contains) ?? false
        }
    }
}
