import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import VersioningMacrosExpansion

/// The output of the macros, and their messages about code that they cannot process.
@Suite struct ExpansionTests {
    private func expand(
        _ source: String, _ expanded: String, _ remarks: [DiagnosticSpec] = [], line: Int = #line
    ) {
        assertMacroExpansion(
            source, expandedSource: expanded, diagnostics: remarks,
            macroSpecs: [
                "Versionable": MacroSpec(
                    type: VersionableMacro.self, conformances: ["Versionable"]),
                "VersionableIgnored": MacroSpec(type: VersionableIgnoredMacro.self),
                "Versioning": MacroSpec(type: VersioningMacro.self),
            ],
            indentationWidth: .spaces(4),
            failureHandler: { failure in
                Issue.record(
                    "\(failure.message)",
                    sourceLocation: SourceLocation(
                        fileID: #fileID, filePath: #filePath, line: line, column: 1))
            })
    }

    private func remark(
        _ message: String, line: Int = 1, column: Int = 1, isError: Bool = false
    ) -> DiagnosticSpec {
        DiagnosticSpec(
            message: message, line: line, column: column, severity: isError ? .error : .warning)
    }

    @Test func `a struct names its stored variables`() {
        expand(
            """
            @Versionable
            public struct Item {
                let id = 0
                var title = "", count = 1
                var observed = 1 { didSet {} }
                static var shared = 0
                var computed: Int { 1 }
                @VersionableIgnored var lastUpdated = 0
            }
            """,
            """
            public struct Item {
                let id = 0
                var title = "", count = 1
                var observed = 1 { didSet {} }
                static var shared = 0
                var computed: Int { 1 }
                var lastUpdated = 0
            }

            extension Item: Versionable {
                public func addReversions(into reverter: inout some Reverter<Self>) {
                    reverter.appendReversion(at: \\.title)
                    reverter.appendReversion(at: \\.count)
                    reverter.appendReversion(at: \\.observed)
                }
            }
            """)
    }

    private static let priority =
        """
        enum Priority {
            case low
            case high(Date, reason: String)
        }

        extension Priority: Versionable {
            func addReversions(into reverter: inout some Reverter<Self>) {
                guard reverter.hasChanged(at: \\.caseName) == false else {
                    reverter.appendOverwriteReversion(at: \\.self)
                    return
                }
                reverter.appendReversion(at: \\.high_0)
                reverter.appendReversion(at: \\.high_reason)
            }

            private enum CaseName {
                case low
                case high
            }

            private var caseName: CaseName {
                switch self {
                case .low:
                    .low
                case .high:
                    .high
                }
            }

            private var high_0: (Date)? {
                get {
                    guard case let .high(high_0, _) = self else {
                        return nil
                    }
                    return high_0
                }
                set {
                    guard case let .high(_, high_reason) = self, let newValue else {
                        return
                    }
                    self = .high(newValue, reason: high_reason)
                }
            }

            private var high_reason: (String)? {
                get {
                    guard case let .high(_, high_reason) = self else {
                        return nil
                    }
                    return high_reason
                }
                set {
                    guard case let .high(high_0, _) = self, let newValue else {
                        return
                    }
                    self = .high(high_0, reason: newValue)
                }
            }
        }
        """

    @Test func `an enum names its case and its associated values`() {
        expand(
            """
            @Versionable
            enum Priority {
                case low
                case high(Date, reason: String)
            }
            """, ExpansionTests.priority)
    }

    @Test func `only structs and enums are versionable`() {
        expand(
            "@Versionable final class Model {}", "final class Model {}",
            [
                remark(
                    "@Versionable works on a struct or an enum: versions need values", isError: true
                )
            ])
    }

    @Test func `properties are wrapped, all or the named ones`() {
        expand(
            """
            @Versioning
            struct Model {
                var first = 1
                @Versioned var second = 2
                let third = 3
            }
            """,
            """
            struct Model {
                @Versioned
                var first = 1
                @Versioned var second = 2
                let third = 3
            }
            """)
        expand(
            """
            @Versioning("second", errorMode: .throwErrors, debounceMilliseconds: 100)
            actor Model {
                var first = 1
                var second = 2
            }
            """,
            """
            actor Model {
                var first = 1
                @ThrowingVersioned(debounceInterval: .milliseconds(100))
                var second = 2
            }
            """)
    }

    @Test func `an observable object gets controllers and a place for errors`() {
        expand(
            """
            @Observable
            @Versioning(debounceMilliseconds: 100)
            final class Model {
                public var state = 1
            }
            """,
            """
            @Observable
            final class Model {
                public var state = 1

                var versioningError: (any Error)?

                @ObservationIgnored
                public private(set) lazy var _$state = VersioningController(
                    on: self,
                    at: \\.state,
                    storingErrorsAt: \\.versioningError,
                    using: _$observationRegistrar,
                    debounceInterval: .milliseconds(100)
                )
            }
            """)
        expand(
            """
            @Versioning(errorMode: .throwErrors)
            final class Model: ObservableObject {
                @Published var state = 1
            }
            """,
            """
            final class Model: ObservableObject {
                @Published var state = 1

                private(set) lazy var _$state = VersioningController(
                    on: self,
                    at: \\.state
                )
            }
            """)
    }

    @Test func `an error property of one's own is used, if it can be`() {
        func model(_ error: String) -> String {
            "final class Model: ObservableObject {\n    \(error)\n}"
        }
        let attribute = "@Versioning(errorMode: .assignErrors(\"failure\"))\n"
        expand(attribute + model("var failure: (any Error)?"), model("var failure: (any Error)?"))
        for (declared, fault) in [
            ("let failure: (any Error)? = nil", "is a \"var\""),
            ("var failure: MyError?", "is of type \"(any Error)?\""),
            ("var failure: (any Error)? { nil }", "has a setter"),
        ] {
            expand(
                attribute + model(declared), model(declared),
                [
                    remark(
                        "The property for errors, \"failure\", \(fault)", line: 3, column: 5,
                        isError: true)
                ])
        }
    }

    static let remarks: [(String, String, Bool)] = [
        ("(\"missing\")", "Property \"missing\" does not exist; it is not tracked", false),
        ("(\"constant\")", "Property \"constant\" is a constant; it is not tracked", false),
        ("(\"shared\")", "Property \"shared\" is static; it is not tracked", false),
        ("(\"readOnly\")", "Property \"readOnly\" has no setter; it is not tracked", false),
        (
            "(\"computed\")",
            "Property \"computed\" is computed and cannot be wrapped; it is not tracked", false
        ),
        (
            "(\"shared\", errorMode: mode)",
            "errorMode is written out here: .throwErrors or .assignErrors", true
        ),
        (
            "(errorMode: .assignErrors(\"\"))",
            "The error property's name is a string literal, and not empty", true
        ),
        ("(debounceMilliseconds: 0)", "debounceMilliseconds is a positive integer literal", true),
        (
            "(debounceMilliseconds: wait)", "debounceMilliseconds is a positive integer literal",
            true
        ),
        (
            "(errorMode: .assignErrors(\"e\"))",
            "The name \"e\" is not used: @Versioned stores errors at $property.error", false
        ),
    ]

    @Test(arguments: remarks)
    func `what cannot be tracked is said`(arguments: String, message: String, isError: Bool) {
        let body = """
            struct Model {
                let constant = 1
                static var shared = 2
                var readOnly: Int { 1 }
                var computed: Int { get { 1 } set {} }
            }
            """
        expand("@Versioning\(arguments)\n\(body)", body, [remark(message, isError: isError)])
    }
}
