import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Versioning`: wraps properties with `@Versioned`, or gives an observable object a controller
/// for each.
struct VersioningMacro {
    /// How a type publishes its changes.
    enum Style {
        case plain, observable, observableObject

        init(_ declaration: some DeclGroupSyntax) {
            let isObservable = declaration.attributes.contains { attribute in
                guard case .attribute(let attribute) = attribute else { return false }
                return attribute.attributeName.lastName == "Observable"
            }
            let inherited = declaration.inheritanceClause?.inheritedTypes ?? []
            let isObject = inherited.contains { $0.type.lastName == "ObservableObject" }
            self = isObservable ? .observable : isObject ? .observableObject : .plain
        }
    }

    private static let wrappers: Set<String> = ["Versioned", "ThrowingVersioned", "_Versioned"]
    private static let ignored: Set<String> = ["ObservationIgnored", "VersionableIgnored"]

    /// The properties to track: the named ones, or all that can be.
    static func tracked(
        _ arguments: VersioningArguments, in declaration: some DeclGroupSyntax,
        remark: (Remark) -> Void
    ) -> [Property] {
        let all = Property.all(in: declaration.memberBlock.members)
        guard !arguments.properties.isEmpty else {
            return all.filter {
                !$0.isConstant && !$0.isStatic && !$0.isComputed
                    && $0.name != arguments.errorProperty
                    && !$0.hasAttribute(wrappers.union(ignored))
            }
        }
        return arguments.properties.compactMap { name in
            guard let property = all.first(where: { $0.name == name }) else {
                remark(.warning("Property \"\(name)\" does not exist; it is not tracked"))
                return nil
            }
            let reason: String? =
                property.isStatic
                ? "is static"
                : property.isConstant
                    ? "is a constant"
                    : property.isReadOnly ? "has no setter" : nil
            if let reason {
                remark(.warning("Property \"\(name)\" \(reason); it is not tracked"))
                return nil
            }
            return property.hasAttribute(wrappers) ? nil : property
        }
    }
}

extension TypeSyntax {
    /// The name without module and generic arguments.
    fileprivate var lastName: String {
        let name = trimmedDescription.split(separator: "<")[0]
        return name.split(separator: ".").last.map(String.init) ?? String(name)
    }
}

extension VersioningMacro: MemberAttributeMacro {
    /// The wrapper of one property.
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard case .plain = Style(declaration), let variable = member.as(VariableDeclSyntax.self),
            let arguments = VersioningArguments(node, remark: { _ in })
        else { return [] }
        // Members arrive without their context; names distinguish them.
        let names = Property.all(in: [MemberBlockItemSyntax(decl: variable)]).map(\.name)
        let tracked = tracked(arguments, in: declaration) { _ in }.filter { !$0.isComputed }
        guard tracked.contains(where: { names.contains($0.name) }) else { return [] }
        let wrapper = arguments.errorMode == .throwing ? "ThrowingVersioned" : "Versioned"
        let interval = arguments.debounceMilliseconds.map {
            "(debounceInterval: .milliseconds(\($0)))"
        }
        return ["@\(raw: wrapper + (interval ?? ""))"]
    }
}

extension VersioningMacro: MemberMacro {
    /// The controllers of an observable object; and everything that there is to say.
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        func remark(_ remark: Remark) { context.remark(remark, at: node) }
        guard !declaration.is(ProtocolDeclSyntax.self), !declaration.is(ExtensionDeclSyntax.self)
        else {
            remark(.error("@Versioning works on a struct, class or actor"))
            return []
        }
        guard let arguments = VersioningArguments(node, remark: remark) else { return [] }
        let tracked = tracked(arguments, in: declaration, remark: remark)
        let style = Style(declaration)
        if case .plain = style {
            plainRemarks(arguments, tracked, remark)
            return []
        }
        return ControllerExpansion(
            arguments: arguments, properties: tracked, style: style
        ).members(in: declaration, context)
    }

    private static func plainRemarks(
        _ arguments: VersioningArguments, _ tracked: [Property], _ remark: (Remark) -> Void
    ) {
        if case .assigning(let name?) = arguments.errorMode {
            remark(
                .warning(
                    "The name \"\(name)\" is not used: @Versioned stores errors at $property.error"
                ))
        }
        for property in tracked where property.isComputed {
            remark(
                .warning(
                    "Property \"\(property.name)\" is computed and cannot be wrapped; it is not "
                        + "tracked"))
        }
    }
}
