import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Versionable`: names every stored `var` of a `struct`, or every associated value of an `enum`.
struct VersionableMacro: ExtensionMacro {
    /// The conformance, in an extension.
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let members: String
        if let structure = declaration.as(StructDeclSyntax.self) {
            members = structMembers(structure)
        } else if let enumeration = declaration.as(EnumDeclSyntax.self) {
            members = EnumExpansion(enumeration).members
        } else {
            context.remark(
                .error("@Versionable works on a struct or an enum: versions need values"), at: node)
            return []
        }
        let conformance: DeclSyntax = """
            extension \(type.trimmed): Versionable {
            \(raw: members)
            }
            """
        return conformance.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
    }

    private static func structMembers(_ declaration: StructDeclSyntax) -> String {
        let tracked = Property.all(in: declaration.memberBlock.members).filter {
            !$0.isConstant && !$0.isStatic && !$0.isComputed
                && !$0.hasAttribute(["VersionableIgnored"])
        }
        let lines = tracked.map { "    reverter.appendReversion(at: \\.\($0.name))" }
        return addReversions(access: declaration.modifiers.access, lines)
    }

    static func addReversions(access: String, _ lines: [String]) -> String {
        let head = "\(access)func addReversions(into reverter: inout some Reverter<Self>) {"
        return ([head] + lines + ["}"]).joined(separator: "\n")
    }
}

/// `@VersionableIgnored`: a mark that `@Versionable` reads.
struct VersionableIgnoredMacro: PeerMacro {
    /// Nothing: the mark itself is what counts.
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let isProperty = declaration.is(VariableDeclSyntax.self)
        let isInStruct = context.lexicalContext.first?.is(StructDeclSyntax.self) ?? true
        if !isProperty || !isInStruct {
            context.remark(
                .error("@VersionableIgnored works on the properties of a struct"), at: node)
        }
        return []
    }
}
