import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The macros that the compiler finds here.
@main
struct Plugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        VersionableMacro.self, VersionableIgnoredMacro.self, VersioningMacro.self,
    ]
}
