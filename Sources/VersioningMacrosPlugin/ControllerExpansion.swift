import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The members that an observable object gets: a controller for each tracked property, and a place
/// for errors.
struct ControllerExpansion {
    let arguments: VersioningArguments
    let properties: [Property]
    let style: VersioningMacro.Style

    func members(
        in declaration: some DeclGroupSyntax, _ context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        guard let errors = errorMember(in: declaration, context) else { return [] }
        return errors + properties.map(controller)
    }

    /// The property for errors, unless it is declared or not wanted; `nil` if it is declared in a
    /// way that cannot be used.
    private func errorMember(
        in declaration: some DeclGroupSyntax, _ context: some MacroExpansionContext
    ) -> [DeclSyntax]? {
        if arguments.errorMode == .throwing { return [] }
        let name = arguments.errorProperty
        let fresh: [DeclSyntax] = ["var \(raw: name): (any Error)?"]
        let declared = Property.all(in: declaration.memberBlock.members).first {
            $0.name == name && !$0.isStatic
        }
        guard let declared else { return fresh }
        let types: Set = ["Error?", "(any Error)?", "(Error)?"]
        let fault: String? =
            declared.isConstant
            ? "is a \"var\""
            : !types.contains(declared.type ?? "")
                ? "is of type \"(any Error)?\"" : declared.isReadOnly ? "has a setter" : nil
        guard let fault else { return [] }
        context.remark(
            .error("The property for errors, \"\(name)\", \(fault)"), at: declared.declaration)
        return nil
    }

    private func controller(_ property: Property) -> DeclSyntax {
        var lines = ["on: self", "at: \\.\(property.name)"]
        if arguments.errorMode != .throwing {
            lines.append("storingErrorsAt: \\.\(arguments.errorProperty)")
        }
        if case .observable = style { lines.append("using: _$observationRegistrar") }
        if let milliseconds = arguments.debounceMilliseconds {
            lines.append("debounceInterval: .milliseconds(\(milliseconds))")
        }
        let isIgnored = if case .observable = style { "@ObservationIgnored\n" } else { "" }
        let access = property.access
        let setter = access == "private " ? "" : "private(set) "
        let name = "\(isIgnored)\(access)\(setter)lazy var _$\(property.name)"
        return """
            \(raw: name) = VersioningController(
                \(raw: lines.joined(separator: ",\n    "))
            )
            """
    }
}
