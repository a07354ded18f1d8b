import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacros

/// The arguments of `@Versioning(…)`.
struct VersioningArguments {
    enum ErrorMode: Equatable {
        case throwing
        /// Into the property with this name, or the usual one.
        case assigning(String?)
    }

    var properties: [String] = []
    var errorMode = ErrorMode.assigning(nil)
    var debounceMilliseconds: Int?

    static let errorPropertyDefault = "versioningError"

    var errorProperty: String {
        if case .assigning(let name?) = errorMode { name } else { Self.errorPropertyDefault }
    }

    /// Reads the arguments; what cannot be read is a remark of the member macro, not of both.
    init?(_ node: AttributeSyntax, remark: (Remark) -> Void) {
        guard case .argumentList(let arguments) = node.arguments else { return }
        for argument in arguments {
            switch argument.label?.text {
            case nil:
                guard let name = argument.expression.literalText else {
                    remark(.error("Properties are named by string literals"))
                    return nil
                }
                properties.append(name)
            case "errorMode":
                guard let mode = Self.errorMode(argument.expression, remark) else { return nil }
                errorMode = mode
            case "debounceMilliseconds":
                if argument.expression.is(NilLiteralExprSyntax.self) { continue }
                let literal = argument.expression.as(IntegerLiteralExprSyntax.self)
                let digits = literal?.literal.text.filter { $0 != "_" }
                guard let value = digits.flatMap({ Int($0) }), value > 0 else {
                    remark(.error("debounceMilliseconds is a positive integer literal"))
                    return nil
                }
                debounceMilliseconds = value
            default: continue
            }
        }
    }

    private static func errorMode(
        _ expression: ExprSyntax, _ remark: (Remark) -> Void
    ) -> ErrorMode? {
        let call = expression.as(FunctionCallExprSyntax.self)
        let member = (call?.calledExpression ?? expression).as(MemberAccessExprSyntax.self)
        switch (member?.declName.baseName.text, call) {
        case ("throwErrors", nil): return .throwing
        case ("assignErrors", nil): return .assigning(nil)
        case ("assignErrors", let call?):
            guard let name = call.arguments.first?.expression.literalText, !name.isEmpty else {
                remark(.error("The error property's name is a string literal, and not empty"))
                return nil
            }
            return .assigning(name)
        default:
            remark(.error("errorMode is written out here: .throwErrors or .assignErrors"))
            return nil
        }
    }
}

extension ExprSyntax {
    /// The content of a string literal without interpolation.
    fileprivate var literalText: String? {
        self.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    }
}
