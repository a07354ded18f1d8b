import SwiftSyntax

/// The members that make an `enum` versionable: the name of its case, and a property for each
/// associated value.
struct EnumExpansion {
    private struct Value {
        /// The property's name: `high_reason`, or `high_0` without a label.
        let property: String
        let label: String?
        let type: String
    }

    private struct Case {
        let name: String
        let values: [Value]
    }

    private let cases: [Case]
    private let access: String

    init(_ declaration: EnumDeclSyntax) {
        access = declaration.modifiers.access
        let elements = declaration.memberBlock.members
            .compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }.flatMap(\.elements)
        cases = elements.map { element in
            let name = element.name.trimmedDescription
            let parameters = element.parameterClause?.parameters.map { $0 } ?? []
            let values = parameters.enumerated().map { index, parameter in
                let written = parameter.firstName?.trimmedDescription
                let label = written == "_" ? nil : written
                let plain = name.filter { $0 != "`" }
                let suffix = label.map { $0.filter { $0 != "`" } } ?? String(index)
                return Value(
                    property: "\(plain)_\(suffix)", label: label,
                    type: parameter.type.trimmedDescription)
            }
            return Case(name: name, values: values)
        }
    }

    var members: String {
        let properties = cases.flatMap { item in
            item.values.indices.map { property(item, $0) }
        }
        return ([addReversions] + (cases.isEmpty ? [] : [caseNames, caseName]) + properties)
            .joined(separator: "\n\n")
    }

    /// Another case is put back as a whole; in the same case only what changed in it.
    private var addReversions: String {
        if cases.isEmpty { return VersionableMacro.addReversions(access: access, []) }
        let check = [
            "    guard reverter.hasChanged(at: \\.caseName) == false else {",
            "        reverter.appendOverwriteReversion(at: \\.self)",
            "        return",
            "    }",
        ]
        let values = cases.flatMap(\.values).map {
            "    reverter.appendReversion(at: \\.\($0.property))"
        }
        return VersionableMacro.addReversions(access: access, check + values)
    }

    private var caseNames: String {
        (["private enum CaseName {"] + cases.map { "    case \($0.name)" } + ["}"])
            .joined(separator: "\n")
    }

    private var caseName: String {
        let branches = cases.flatMap { ["    case .\($0.name):", "        .\($0.name)"] }
        return
            (["private var caseName: CaseName {", "    switch self {"]
            + branches.map { $0 } + ["    }", "}"]).joined(separator: "\n")
    }

    /// Reads and sets one associated value, as an optional: `nil` in every other case. A value that
    /// is optional itself becomes a double optional, so that it can be set to `nil`.
    private func property(_ item: Case, _ index: Int) -> String {
        let value = item.values[index]
        let names = item.values.map(\.property)
        let bound = names.enumerated().map { $0 == index ? $1 : "_" }.joined(separator: ", ")
        let others = names.enumerated().map { $0 == index ? "_" : $1 }.joined(separator: ", ")
        let arguments = item.values.enumerated().map { place, value in
            (value.label.map { "\($0): " } ?? "") + (place == index ? "newValue" : value.property)
        }.joined(separator: ", ")
        let pattern = names.count > 1 ? "case let .\(item.name)(\(others))" : "case .\(item.name)"
        return """
            private var \(value.property): (\(value.type))? {
                get {
                    guard case let .\(item.name)(\(bound)) = self else {
                        return nil
                    }
                    return \(value.property)
                }
                set {
                    guard \(pattern) = self, let newValue else {
                        return
                    }
                    self = .\(item.name)(\(arguments))
                }
            }
            """
    }
}
