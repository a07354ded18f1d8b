import SwiftCompilerPlugin
import SwiftSyntax
import SwiftSyntaxMacros
import VersioningMacrosExpansion

/// The macros that the compiler finds here.
///
/// The compiler searches this module for the types, so they are here and forward to a library: a
/// test that depends on a plugin itself makes SwiftPM build everything twice.
@main
struct Plugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        VersionableMacro.self, VersionableIgnoredMacro.self, VersioningMacro.self,
    ]
}

enum VersionableMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        try VersioningMacrosExpansion.VersionableMacro.expansion(
            of: node, attachedTo: declaration, providingExtensionsOf: type,
            conformingTo: protocols, in: context)
    }
}

enum VersionableIgnoredMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try VersioningMacrosExpansion.VersionableIgnoredMacro.expansion(
            of: node, providingPeersOf: declaration, in: context)
    }
}

enum VersioningMacro: MemberAttributeMacro, MemberMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        try VersioningMacrosExpansion.VersioningMacro.expansion(
            of: node, attachedTo: declaration, providingAttributesFor: member, in: context)
    }

    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try VersioningMacrosExpansion.VersioningMacro.expansion(
            of: node, providingMembersOf: declaration, conformingTo: protocols, in: context)
    }
}
