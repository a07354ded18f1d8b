import Foundation
import Testing

/// The code about the code: house rules that a machine can check.
@Suite struct TidyTests {
    struct Source: Sendable, CustomTestStringConvertible {
        let path: String
        let room: String
        let lines: [String]
        var testDescription: String { path }
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    private static func files(in folder: String, endings: [String] = [".swift"]) -> [Source] {
        let all = FileManager.default.enumerator(atPath: "\(root)/\(folder)")?.allObjects ?? []
        let names = all.compactMap { $0 as? String }.sorted()
        return names.filter { name in
            !name.contains(".build/") && endings.contains { name.hasSuffix($0) }
        }.map { name in
            let text = try? String(contentsOfFile: "\(root)/\(folder)/\(name)", encoding: .utf8)
            return Source(
                path: "\(folder)/\(name)", room: String(name.split(separator: "/")[0]),
                lines: (text ?? "").components(separatedBy: "\n"))
        }
    }

    static let sources = files(in: "Sources")
    static let all = sources + files(in: "Tests") + files(in: "Benchmarks/Sources")
    /// The client library: as strict as the rest, though another language.
    static let scripts =
        files(in: "Clients/javascript", endings: [".js", ".ts"])
        + files(in: "Sources/VersiondWeb/Pages", endings: [".js", ".css"])

    /// Every Markdown page, by its path from the root.
    static let pages: [Source] = {
        let top = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let folders = ["Documentation", "Clients", "Sources", "Benchmarks", "Tests"]
        return top.filter { $0.hasSuffix(".md") }.sorted().map { name in
            let text = try? String(contentsOfFile: "\(root)/\(name)", encoding: .utf8)
            return Source(
                path: name, room: "", lines: (text ?? "").components(separatedBy: "\n"))
        }
            + folders.flatMap { files(in: $0, endings: [".md"]) }.filter {
                !$0.path.contains("/node_modules/")
            }
    }()

    /// The entries of the package that are for something else, and what that is.
    static let peers = ["react": "react\"", "codemirror": "@codemirror/"]

    /// The permitted imports. The picture in Documentation/Project/Architecture.md, as a test.
    static let imports: [String: Set<String>] = [
        "Naming": [],
        "JSONTree": ["Synchronization"],
        "AgentTools": ["JSONTree"],
        "Sentences": ["JSONTree"],
        "VersioningKit": [
            "Combine", "FoundationEssentials", "Naming", "Observation", "OpenCombine",
            "Threading",
        ],
        "VersioningMacros": ["VersioningKit"],
        "VersioningMacrosPlugin": [
            "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftParser", "SwiftSyntax",
            "SwiftSyntaxBuilder", "SwiftSyntaxMacros",
        ],
        "SelectiveUndo": ["JSONTree", "Naming"],
        "VersioningClient": [
            "CurlCalling", "Dispatch", "FoundationEssentials", "HTTPCalling", "JSONTree",
            "Observation", "Threading",
        ],
        "Threading": ["Glibc", "Synchronization"],
        "Hashing": ["COpenSSL"],
        "Journaling": ["Compression", "Hashing", "Naming", "Synchronization", "Threading"],
        "SQLiteJournaling": ["CSQLite", "Glibc", "Hashing", "Journaling", "Threading"],
        "PostgreSQLJournaling": [
            "CPostgreSQL", "Glibc", "Hashing", "Journaling", "Naming", "Threading",
        ],
        "AccessControl": [
            "Hashing", "JSONTree", "Naming", "Signatures", "Synchronization", "Threading",
        ],
        "Compression": ["CZlib", "CZstd"],
        "DocumentCore": [
            "Compression", "JSONSchemas", "JSONTree", "Journaling", "Naming", "SelectiveUndo",
            "Threading", "VersioningKit",
        ],
        "Documents": [
            "DocumentCore", "Hashing", "JSONSchemas", "JSONTree", "Journaling", "Naming",
            "SelectiveUndo", "Sentences", "Synchronization", "Threading", "VersioningKit",
        ],
        "HTTPServing": ["CMicroHTTPD", "Glibc", "Synchronization", "Threading"],
        "VersiondAPI": [
            "AccessControl", "AgentTools", "Compression", "Documents", "HTTPServing",
            "JSONSchemas", "JSONTree", "Journaling", "Naming", "Presence", "SelectiveUndo",
            "Sentences", "Synchronization", "VersiondWeb",
            "VersioningKit",
        ],
        "VersiondWeb": ["Compression", "Hashing", "Synchronization"],
        "web-embed": ["Foundation"],
        "versiond": [
            "AccessControl", "ArgumentParser", "Dispatch", "Documents",
            "Foundation", "FoundationEssentials",
            "Glibc", "HTTPServing", "JSONTree", "Journaling", "Logging", "Naming",
            "PostgreSQLJournaling", "Presence", "SQLiteJournaling", "Signatures",
            "Synchronization", "Threading",
            "VersiondAPI",
        ],
        "CurlCalling": ["CCurl", "HTTPCalling"],
        "HTTPCalling": [],
        "Signatures": ["COpenSSL", "Hashing"],
        "Patterns": ["CRE2"],
        "Presence": ["Journaling", "Naming", "Synchronization", "Threading"],
        "JSONSchemas": ["FoundationEssentials", "JSONTree", "Patterns"],
        "versionctl": [
            "AgentTools", "ArgumentParser", "CurlCalling", "Glibc", "HTTPCalling", "Hashing",
            "JSONTree", "Synchronization",
        ],
        "versiond-coverage": ["FuzzTargets", "Glibc"],
        "versiond-fuzz": [
            "Documents", "FuzzTargets", "Glibc", "HTTPServing", "JSONTree", "Journaling", "Naming",
            "SelectiveUndo",
            "TestSupport", "Threading",
            "VersioningKit",
        ],
    ]

    @Test func `there are sources to check`() {
        #expect(TidyTests.sources.count > 60)
        #expect(Set(TidyTests.sources.map(\.room)) == Set(TidyTests.imports.keys))
    }

    private static let importWords: Set = ["public", "package", "@_exported", "internal"]

    @Test(arguments: sources)
    func `rooms import downward only`(source: Source) {
        let allowed = TidyTests.imports[source.room] ?? []
        for line in source.lines {
            let words = line.split(separator: " ")
            guard let place = words.firstIndex(of: "import"), place < 3, words.count == place + 2,
                words[..<place].allSatisfy({ TidyTests.importWords.contains(String($0)) })
            else { continue }
            #expect(allowed.contains(String(words[place + 1])), "\(source.path): \(line)")
        }
    }

    /// `DocumentCore` has entries and locks from the rooms of journals and threads, and no more.
    @Test(arguments: sources.filter { $0.room == "DocumentCore" })
    func `the core names no journal, thread, queue or clock`(source: Source) {
        let impure =
            #/\b(?:any|some) \w*Journal|\b(?:\w+Queue|WorkerThread|ByteBudget|[A-Z]\w*Clock)\b/#
        for (index, line) in source.lines.enumerated() {
            let code = line.prefix(upTo: line.firstRange(of: "//")?.lowerBound ?? line.endIndex)
            #expect(code.firstMatch(of: impure) == nil, "\(source.path):\(index + 1)")
        }
    }

    @Test(arguments: all + scripts)
    func `lines have at most 100 columns and files at most 600 lines`(source: Source) {
        #expect(source.lines.count <= 600)
        // Test names are sentences, and some data does not break.
        let isTest = source.path.hasPrefix("Tests/")
        for (index, line) in source.lines.enumerated() where line.count > 100 && !isTest {
            Issue.record("\(source.path):\(index + 1) has \(line.count) columns")
        }
    }

    @Test(arguments: all)
    func `functions have at most 70 lines`(source: Source) {
        for function in Function.all(in: source.lines) {
            #expect(function.lines <= 70, "\(source.path):\(function.start + 1)")
        }
    }

    @Test(arguments: scripts)
    func `blocks of a script have at most 70 lines, but for classes`(source: Source) {
        for block in Function.blocks(in: source.lines) {
            #expect(block.lines <= 70, "\(source.path):\(block.start + 1)")
        }
    }

    @Test(arguments: scripts)
    func `the client library depends on nothing but itself`(source: Source) {
        for line in source.lines where line.contains(" from \"") && !line.contains("//") {
            // Pages may use its public interface; an entry is for the purpose of its name.
            let isClient = line.hasSuffix(" from \"/client.js\";")
            let file = source.path.split(separator: "/").last ?? ""
            let peer = TidyTests.peers[String(file.prefix { $0 != "." })] ?? "./"
            let isPeer = line.contains(" from \"\(peer)")
            #expect(isClient || isPeer || line.contains(" from \"./"), "\(source.path): \(line)")
        }
    }

    @Test func `there are scripts to check, and their blocks are seen`() {
        #expect(TidyTests.scripts.count > 30)
        #expect(TidyTests.scripts.reduce(0) { $0 + Function.blocks(in: $1.lines).count } > 500)
    }

    @Test(arguments: files(in: "Tests"))
    func `numbers and codes of test names are in the rules`(source: Source) throws {
        let rules = try String(
            contentsOfFile: "\(TidyTests.root)/Documentation/Project/Rules.md", encoding: .utf8)
        for line in source.lines {
            guard let name = line.firstMatch(of: #/func `([0-9]+)([a-h]?): /#) else { continue }
            #expect(rules.contains("\n\(name.1). **"), "\(source.path): rule \(name.1)")
            let hasPart = name.2.isEmpty || rules.contains("\n    - \(name.2). ")
            #expect(hasPart, "\(source.path): rule \(name.1)\(name.2)")
        }
        for line in source.lines {
            for code in line.matches(of: #/func `([A-Z])[0-9]+|\(([A-Z])[0-9]+[^)]*\)`\(/#) {
                let letter = String(code.1 ?? code.2 ?? "")
                let row = rules.split(separator: "\n").contains { line in
                    line.hasPrefix("| ") && line.dropFirst(2).prefix { $0 != "|" }.contains(letter)
                }
                #expect(row, "\(source.path): \(letter)")
            }
        }
    }

    /// Waiting for a condition, bounded; and a kill after a random time, which is what is tested.
    private static let mayPause: Set = [
        "Tests/TestSupport/Until.swift", "Tests/VersiondTests/DurabilityTests.swift",
    ]

    @Test(arguments: files(in: "Tests"))
    func `tests do not sleep`(source: Source) {
        if TidyTests.mayPause.contains(source.path) || source.room == "TidyTests" { return }
        for (index, line) in source.lines.enumerated() {
            let sleeps = line.firstMatch(of: /\b(usleep|Task\.sleep|Thread\.sleep|nanosleep)\(/)
            #expect(sleeps == nil, "\(source.path):\(index + 1)")
        }
    }

    @Test func `every kind of function is seen`() {
        let code = """
            struct Sample {
                init(a: Int) {
                    self.a = a
                }
                subscript(index: Int) -> Int { index }
                deinit {
                    close()
                }
                func wrapped(
                    _ a: Int
                ) throws(Oops) -> Int {
                    a
                }
                func required() -> Int
                static func == (left: Sample, right: Sample) -> Bool {
                    func inner() -> Bool {
                        true
                    }
                    return inner()
                }
            }
            """
        let found = Function.all(in: code.components(separatedBy: "\n"))
        #expect(found.map(\.start) == [1, 4, 5, 8, 14, 15])
        #expect(found.map(\.lines) == [3, 1, 3, 5, 6, 3])
        #expect(TidyTests.sources.reduce(0) { $0 + Function.all(in: $1.lines).count } > 1_500)
    }

    @Test(arguments: sources)
    func `what is public has a promise`(source: Source) {
        for (index, line) in source.lines.enumerated() {
            guard let name = TidyTests.publicName(line), !TidyTests.promised.contains(name) else {
                continue
            }
            let above = source.lines[..<index].last { !$0.drop { $0 == " " }.hasPrefix("@") } ?? ""
            #expect(above.drop { $0 == " " }.hasPrefix("//"), "\(source.path):\(index + 1)")
        }
    }

    /// The rooms that are products: others build on all that is public in them.
    private static let libraries: Set = [
        "JSONTree", "SelectiveUndo", "VersioningKit", "VersioningMacros", "Naming",
    ]

    @Test(arguments: sources.filter { libraries.contains($0.room) })
    func `whatever is public in a library has its documentation`(source: Source) {
        let declaration =
            /^ *public ((static|mutating|convenience|indirect|final|(internal|package)\(set\)) )*(var|let|init|subscript|typealias|case)\b/
        for (index, line) in source.lines.enumerated()
        where line.firstMatch(of: declaration) != nil {
            let above = source.lines[..<index].last { !$0.drop { $0 == " " }.hasPrefix("@") } ?? ""
            #expect(above.drop { $0 == " " }.hasPrefix("//"), "\(source.path):\(index + 1)")
        }
    }

    @Test func `Architecture.md has every room, and no other`() throws {
        let text = try TidyTests.text(of: "Documentation/Project/Architecture.md")
        let table = text.components(separatedBy: "\n## ").first { $0.hasPrefix("Rooms") } ?? ""
        let rooms = table.split(separator: "\n").flatMap { line in
            // The text before the second bar.
            line.hasPrefix("| `")
                ? line.split(separator: "|")[0].matches(of: /`([^`]+)`/).map { String($0.1) } : []
        }
        #expect(rooms.sorted() == TidyTests.imports.keys.sorted())
        #expect(Set(rooms).count == rooms.count)
    }

    @Test func `Architecture.md names each room that has pointers`() throws {
        let text = try TidyTests.text(of: "Documentation/Project/Architecture.md")
        let paragraph = text.components(separatedBy: "\n\n").first { $0.hasPrefix("Pointers ") }
        let named = (paragraph ?? "").matches(of: /`([^`]+)`/).map { String($0.1) }
        let rooms = TidyTests.roomsWithPointers.filter { !$0.hasPrefix("versiond") }
        #expect(rooms.isSubset(of: named))
    }

    /// A former decision may name files that no longer exist.
    @Test func `the files that documents name are there`() throws {
        let named = /`((?:Sources|Tests|Scripts|Config|Benchmarks|Clients)\/[^` {*]+)`/
        let past = ["CHANGELOG.md", "Documentation/Project/Decisions/"]
        for page in TidyTests.pages where !past.contains(where: page.path.hasPrefix) {
            for path in page.lines.joined(separator: "\n").matches(of: named).map(\.1) {
                let file = "\(TidyTests.root)/\(path)"
                #expect(FileManager.default.fileExists(atPath: file), "\(page.path): \(path)")
            }
        }
    }

    private static func text(of page: String) throws -> String {
        try String(contentsOfFile: "\(root)/\(page)", encoding: .utf8)
    }

    /// The name of a public function or type that is declared in a line.
    private static func publicName(_ line: String) -> Substring? {
        let words = line.split(separator: " ")
        guard words.first == "public",
            let kind = words.firstIndex(where: {
                ["func", "struct", "enum", "class", "protocol", "actor"].contains($0)
            }), kind < 5, words.indices.contains(kind + 1)
        else { return nil }
        return words[kind + 1].prefix {
            !"(<:{".contains($0) || $0 == "<" && words[kind + 1] == "<"
        }
    }

    /// Members that the documentation of a protocol describes: of the standard library's, and of
    /// ours.
    private static let promised: Set<Substring> = {
        var names: Set<Substring> = ["==", "<", "hash"]
        for source in sources {
            var isProtocol = false
            for (index, line) in source.lines.enumerated() {
                if line.contains("public protocol ") { isProtocol = true }
                if line == "}" { isProtocol = false }
                let words = line.split(separator: " ")
                let isDocumented =
                    index > 0 && source.lines[index - 1].drop { $0 == " " }.hasPrefix("///")
                if isProtocol, isDocumented, let kind = words.firstIndex(of: "func") {
                    names.insert(words[kind + 1].prefix { !"(<".contains($0) })
                }
            }
        }
        return names
    }()

    @Test(arguments: sources)
    func `danger has its reason on the line above`(source: Source) {
        for (index, line) in source.lines.enumerated() where line.contains("@unchecked Sendable") {
            let above = source.lines[..<index].suffix(3)
            #expect(above.contains { $0.contains("@unchecked") }, "\(source.path):\(index + 1)")
        }
    }

    private static let roomsWithPointers: Set = [
        "Threading", "SQLiteJournaling", "PostgreSQLJournaling", "HTTPServing", "Compression",
        "CurlCalling", "Hashing", "Patterns", "Signatures", "versiond", "versiond-coverage",
    ]

    @Test(arguments: sources)
    func `unsafe code stays in its rooms`(source: Source) {
        let folders = ["Sources/JSONTree/Memory/", "Sources/versionctl/System/"]
        guard !TidyTests.roomsWithPointers.contains(source.room),
            !folders.contains(where: source.path.hasPrefix)
        else { return }
        for (index, line) in source.lines.enumerated()
        where !line.drop(while: { $0 == " " }).hasPrefix("//") {
            #expect(
                !line.contains("unsafe ") && !line.contains("Unsafe"), "\(source.path):\(index + 1)"
            )
        }
    }

    @Test(arguments: all)
    func `nothing is left for later, and only the daemon has real clocks`(source: Source) {
        // Written in parts, so that this file does not find itself.
        var banned = ["TO" + "DO", "FIX" + "ME", "try" + "!", "fatal" + "Error("]
        let isProduct = source.path.hasPrefix("Sources/")
        if isProduct && source.room != "versiond" {
            banned += ["Date()", "ContinuousClock", "SuspendingClock"]
            if !source.room.hasPrefix("versiond-") { banned.append("print(") }
        }
        for (index, line) in source.lines.enumerated() {
            let code = line.components(separatedBy: "//")[0]
            // A library's user may leave the clock out; a test never does.
            let isLibrary = ["VersioningKit", "VersioningClient"].contains(source.room)
            let isDefault = isLibrary && code.contains("= ContinuousClock()")
            for word in banned where (word.count > 5 ? code : line).contains(word) && !isDefault {
                Issue.record("\(source.path):\(index + 1) has \(word)")
            }
        }
    }
}
