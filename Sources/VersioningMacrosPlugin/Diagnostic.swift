import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// A macro's message about code that it cannot process.
struct Remark: DiagnosticMessage {
    let message: String
    let severity: DiagnosticSeverity
    var diagnosticID: MessageID { MessageID(domain: "VersioningMacros", id: message) }

    static func error(_ message: String) -> Remark {
        Remark(message: message, severity: .error)
    }

    static func warning(_ message: String) -> Remark {
        Remark(message: message, severity: .warning)
    }
}

extension MacroExpansionContext {
    func remark(_ remark: Remark, at node: some SyntaxProtocol) {
        diagnose(Diagnostic(node: node, message: remark))
    }
}
