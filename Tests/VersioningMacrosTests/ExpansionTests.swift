import Foundation
import TestSupport
import Testing

/// The output of the macros, and their messages about code that they cannot process, as the
/// compiler prints them.
@Suite struct ExpansionTests {
    @Test func `a struct names its stored variables`() throws {
        let made = try Compilation(
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
            """)
        let item = """
            extension Item: Versionable {
                public func addReversions(into reverter: inout some Reverter<Self>) {
                    reverter.appendReversion(at: \\.title)
                    reverter.appendReversion(at: \\.count)
                    reverter.appendReversion(at: \\.observed)
                }
            }
            """
        #expect(made.expansions == [item] && made.remarks.isEmpty)
    }

    private static let priority =
        """
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

    @Test func `an enum names its case and its associated values`() throws {
        let made = try Compilation(
            """
            @Versionable
            enum Priority {
                case low
                case high(Date, reason: String)
            }
            """)
        #expect(made.expansions == [ExpansionTests.priority] && made.remarks.isEmpty)
    }

    @Test func `only structs and enums are versionable`() throws {
        let made = try Compilation("@Versionable final class Model {}")
        #expect(made.expansions.isEmpty)
        let remark = "@Versionable works on a struct or an enum: versions need values"
        #expect(made.remarks == ["1:1: error: \(remark)"])
    }

    @Test func `properties are wrapped, all or the named ones`() throws {
        let made = try Compilation(
            """
            @Versioning
            struct Model {
                var first = 1
                @Versioned var second = 2
                let third = 3
            }
            @Versioning("second", errorMode: .throwErrors, debounceMilliseconds: 100)
            actor Worker {
                var first = 1
                var second = 2
            }
            """)
        let wrapped = "@ThrowingVersioned(debounceInterval: .milliseconds(100))"
        #expect(made.expansions == ["@Versioned", wrapped] && made.remarks.isEmpty)
    }

    @Test func `an observable object gets controllers and a place for errors`() throws {
        let made = try Compilation(
            """
            @Observable
            @Versioning(debounceMilliseconds: 100)
            final class Model {
                public var state = 1
            }
            @Versioning(errorMode: .throwErrors)
            final class Object: ObservableObject {
                @Published var state = 1
            }
            """)
        let model = """
            var versioningError: (any Error)?

            @ObservationIgnored
            public private(set) lazy var _$state = VersioningController(
                on: self,
                at: \\.state,
                storingErrorsAt: \\.versioningError,
                using: _$observationRegistrar,
                debounceInterval: .milliseconds(100)
            )
            """
        let object = """
            private(set) lazy var _$state = VersioningController(
                on: self,
                at: \\.state
            )
            """
        #expect(made.expansions == [model, object] && made.remarks.isEmpty)
    }

    @Test func `an error property of one's own is used, if it can be`() throws {
        let faults = [
            ("var failure: (any Error)?", nil),
            ("let failure: (any Error)? = nil", "is a \"var\""),
            ("var failure: MyError?", "is of type \"(any Error)?\""),
            ("var failure: (any Error)? { nil }", "has a setter"),
        ]
        let made = try Compilation(
            faults.enumerated().map { index, fault in
                """
                @Versioning(errorMode: .assignErrors("failure"))
                final class Model\(index): ObservableObject {
                    \(fault.0)
                }
                """
            }.joined(separator: "\n"))
        let remarks = faults.enumerated().compactMap { index, fault in
            fault.1.map {
                "\(4 * index + 3):5: error: The property for errors, \"failure\", \($0)"
            }
        }
        #expect(made.expansions.isEmpty && made.remarks == remarks)
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

    @Test func `what cannot be tracked is said`() throws {
        let models = ExpansionTests.remarks.enumerated().map { index, remark in
            """
            @Versioning\(remark.0)
            struct Model\(index) {
                let constant = 1
                static var shared = 2
                var readOnly: Int { 1 }
                var computed: Int { get { 1 } set {} }
            }
            """
        }
        let constants = "let (mode, wait) = (VersioningErrorHandlingMode.throwErrors, 1)"
        let made = try Compilation((models + [constants]).joined(separator: "\n"))
        let remarks = ExpansionTests.remarks.enumerated().map { index, remark in
            "\(7 * index + 1):1: \(remark.2 ? "error" : "warning"): \(remark.1)"
        }
        #expect(made.expansions.isEmpty && made.remarks == remarks)
    }
}

/// The output of the macros in a source, as the compiler prints it.
private struct Compilation {
    /// The code that they make, without what is empty, in the order of the source.
    private(set) var expansions: [String] = []
    /// Each with its place in the source.
    private(set) var remarks: [String] = []

    init(_ source: String) throws {
        let rule = String(repeating: "-", count: 30)
        let remarked = #/source.swift:(\d+)(:.*) \(from macro .*/#
        var lines = try Compilation.output(of: source)[...]
        while let line = lines.popFirst() {
            if line.hasPrefix("@__swiftmacro_"), lines.first == rule {
                let text = lines.dropFirst().prefix { $0 != rule }
                lines = lines.dropFirst(text.count + 2)
                let isOurs = ["10Versioningf", "11Versionablef"].contains(where: line.contains)
                let code = text.joined(separator: "\n")
                if isOurs, !code.isEmpty { expansions.append(code) }
            } else if let remark = line.wholeMatch(of: remarked) {
                remarks.append("\((Int(remark.1) ?? 0) - 1)\(remark.2)")
            }
        }
    }

    /// The lines that the compiler prints. What else is wrong in the source does not matter.
    private static func output(of source: String) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(("import Observation; import VersioningMacros\n" + source).utf8)
            .write(to: folder.appending(path: "source.swift"))
        let plugin = Products.folder.appending(path: "VersioningMacrosPlugin-tool").path
        let output = Pipe()
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "swiftc", "-typecheck", "source.swift", "-swift-version", "6",
            "-I", Products.folder.appending(path: "Modules").path,
            "-load-plugin-executable", plugin + "#VersioningMacrosPlugin",
            "-Xfrontend", "-dump-macro-expansions",
        ]
        compiler.currentDirectoryURL = folder
        compiler.standardOutput = output
        compiler.standardError = output
        try compiler.run()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        compiler.waitUntilExit()
        return String(decoding: printed, as: UTF8.self).components(separatedBy: "\n")
    }
}
