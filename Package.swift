// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// Every room speaks Swift 6 with strict memory safety: a dangerous expression says `unsafe` aloud.
let room: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
]

/// In a safe room a pointer does not compile.
let safeRoom = room + [.treatWarning("StrictMemorySafety", as: .error)]

/// `Scripts/test` and CI optimize the code that laws run most, and keep its assertions. Elsewhere the
/// flags are absent: a package with unsafe flags cannot be a dependency.
let optimized: [SwiftSetting] =
    Context.environment["TEST_OPTIMIZED"] == nil
    ? []
    : [
        .unsafeFlags(
            [
                "-O", "-assert-config", "Debug", "-wmo", "-num-threads", "1",
                "-disable-batch-mode",
            ],
            .when(configuration: .debug))
    ]

let package = Package(
    name: "versiond",
    platforms: [.macOS(.v26)],
    products: [
        .library(name: "JSONTree", targets: ["JSONTree"]),
        .library(name: "SelectiveUndo", targets: ["SelectiveUndo"]),
        .library(name: "VersioningKit", targets: ["VersioningKit"]),
        .library(name: "VersioningMacros", targets: ["VersioningMacros"]),
        .library(name: "VersioningClient", targets: ["VersioningClient"]),
        .executable(name: "versiond", targets: ["versiond"]),
        .executable(name: "versionctl", targets: ["versionctl"]),
    ],
    traits: [
        .trait(
            name: "OpenCombine", description: "ObservableObject models where Combine is missing")
    ],
    dependencies: [
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.0"..<"604.0.0"),
    ],
    targets: [
        // C, behind a module map and a shim.
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        // RE2 is C++: a few functions of C before it.
        .target(name: "CRE2", linkerSettings: [.linkedLibrary("re2")]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        // The options of the allocator that `Scripts/release` links.
        .target(name: "CJemalloc"),

        // Libraries that stand alone.
        .target(name: "Naming", swiftSettings: safeRoom),
        .target(name: "JSONTree", swiftSettings: room + optimized),
        .target(
            name: "VersioningKit",
            dependencies: [
                "Naming", "Threading",
                .product(
                    name: "OpenCombine", package: "OpenCombine",
                    condition: .when(traits: ["OpenCombine"])),
            ],
            swiftSettings: safeRoom),
        .target(
            name: "SelectiveUndo", dependencies: ["JSONTree", "Naming"],
            swiftSettings: safeRoom + optimized),
        // A document as a client has it.
        .target(
            name: "VersioningClient",
            dependencies: [
                "HTTPCalling", "JSONTree",
                .target(name: "CurlCalling", condition: .when(platforms: [.linux])),
                .target(name: "Threading", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: safeRoom + optimized),
        // The tools of agents, as messages and calls: values alone.
        .target(name: "AgentTools", dependencies: ["JSONTree"], swiftSettings: safeRoom),
        // What a change did, as people say it.
        .target(name: "Sentences", dependencies: ["JSONTree"], swiftSettings: safeRoom),
        .target(name: "Threading", swiftSettings: room),
        .target(name: "Hashing", dependencies: ["COpenSSL"], swiftSettings: room),
        .target(name: "Signatures", dependencies: ["COpenSSL", "Hashing"], swiftSettings: room),
        .target(name: "Patterns", dependencies: ["CRE2"], swiftSettings: room),
        // What values must be like.
        .target(
            name: "JSONSchemas", dependencies: ["JSONTree", "Patterns"], swiftSettings: safeRoom),
        .target(name: "Compression", dependencies: ["CZlib", "CZstd"], swiftSettings: room),

        // Macros for VersioningKit, in a product of their own: the daemon never builds swift-syntax.
        .target(
            name: "VersioningMacros", dependencies: ["VersioningKit", "VersioningMacrosPlugin"],
            swiftSettings: safeRoom),
        .macro(
            name: "VersioningMacrosPlugin",
            dependencies: [
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
            ],
            swiftSettings: safeRoom),

        // What a journal promises, and a journal in one file.
        .target(
            name: "Journaling",
            dependencies: [
                "Compression", "Hashing", "Naming", "Threading",
            ],
            swiftSettings: safeRoom),
        .target(
            name: "SQLiteJournaling",
            dependencies: ["Hashing", "Journaling", "Threading", "CSQLite"],
            swiftSettings: room),

        // A journal that many daemons share.
        .target(
            name: "PostgreSQLJournaling",
            dependencies: ["Hashing", "Journaling", "Naming", "Threading", "CPostgreSQL"],
            swiftSettings: room),

        // Who may do what.
        .target(
            name: "AccessControl",
            dependencies: [
                "Hashing", "JSONTree", "Naming", "Signatures", "Threading",
            ],
            swiftSettings: safeRoom),

        // What requests make of a document: values alone.
        .target(
            name: "DocumentCore",
            dependencies: [
                "Compression", "JSONSchemas", "JSONTree", "Journaling", "Naming", "SelectiveUndo",
                "Threading", "VersioningKit",
            ],
            swiftSettings: safeRoom),

        // Living documents.
        .target(
            name: "Documents",
            dependencies: [
                "DocumentCore", "Hashing", "JSONSchemas", "JSONTree", "SelectiveUndo", "Sentences",
                "VersioningKit", "Journaling", "Naming", "Threading",
            ],
            swiftSettings: safeRoom),

        // Who is in which document, now.
        .target(
            name: "Presence", dependencies: ["Journaling", "Naming", "Threading"],
            swiftSettings: safeRoom),

        // HTTP: the carrier, then the words.
        .target(
            name: "HTTPServing", dependencies: ["CMicroHTTPD", "Threading"], swiftSettings: room),
        .target(
            name: "VersiondAPI",
            dependencies: [
                "AccessControl", "AgentTools", "Compression", "Documents", "HTTPServing",
                "JSONSchemas", "JSONTree", "Journaling", "Naming", "Presence", "SelectiveUndo",
                "Sentences", "VersiondWeb",
                "VersioningKit",
            ],
            swiftSettings: safeRoom),

        // What browsers get: pages, and the client library, which is made one file here.
        .target(
            name: "VersiondWeb", dependencies: ["Compression", "Hashing"], swiftSettings: safeRoom,
            plugins: ["EmbedWeb"]),
        .plugin(name: "EmbedWeb", capability: .buildTool(), dependencies: ["web-embed"]),
        .executableTarget(name: "web-embed", swiftSettings: safeRoom),

        // The daemon.
        .executableTarget(
            name: "versiond",
            dependencies: [
                "VersiondAPI", "AccessControl", "CJemalloc", "HTTPServing", "Documents",
                "Journaling", "PostgreSQLJournaling", "Presence", "SQLiteJournaling", "JSONTree",
                "Signatures", "Threading",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: room, plugins: ["EmbedCommit"]),
        .plugin(name: "EmbedCommit", capability: .buildTool()),

        // The command line: a client like any other. It shares nothing with the daemon but JSON.
        .target(name: "HTTPCalling", swiftSettings: safeRoom),
        .target(
            name: "CurlCalling", dependencies: ["CCurl", "HTTPCalling"], swiftSettings: room),
        .executableTarget(
            name: "versionctl",
            dependencies: [
                "AgentTools", "CurlCalling", "HTTPCalling", "Hashing", "JSONTree",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: room),

        .executableTarget(
            name: "versiond-fuzz",
            dependencies: [
                "JSONTree", "SelectiveUndo", "VersioningKit", "Documents", "Journaling",
                "FuzzTargets", "HTTPServing", "Naming", "TestSupport",
            ],
            swiftSettings: room),

        // Guided by coverage; see Scripts/fuzz.
        .executableTarget(
            name: "versiond-coverage", dependencies: ["FuzzTargets"], swiftSettings: room),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "AccessControl", "Compression", "Documents", "HTTPServing", "Hashing", "JSONTree",
                "Journaling", "Naming", "Signatures",
            ],
            path: "Tests/FuzzTargets"),

        // Shared by tests, fuzzers and benchmarks; never by products.
        .target(
            name: "TestSupport",
            dependencies: [
                "Hashing", "JSONTree", "SelectiveUndo", "Journaling", "Naming", "Threading",
                "Documents", "VersioningKit", "HTTPServing",
            ],
            path: "Tests/TestSupport"),
        .testTarget(name: "AgentToolsTests", dependencies: ["AgentTools", "JSONTree"]),
        .testTarget(name: "JSONTreeTests", dependencies: ["JSONTree", "TestSupport"]),
        .testTarget(
            name: "SelectiveUndoTests",
            dependencies: ["SelectiveUndo", "JSONTree", "Naming", "TestSupport"]),
        .testTarget(
            name: "SentencesTests", dependencies: ["Sentences", "JSONTree"],
            exclude: ["names.json"]),
        .testTarget(
            name: "VersioningKitTests", dependencies: ["VersioningKit", "Naming", "TestSupport"]),
        // Without swift-syntax, which would be built a second time: the compiler loads the plugin.
        .testTarget(
            name: "VersioningMacrosTests", dependencies: ["VersioningMacros", "TestSupport"]),
        .testTarget(
            name: "JournalingTests",
            dependencies: [
                "Journaling", "PostgreSQLJournaling", "SQLiteJournaling", "TestSupport",
                "Threading",
            ]),
        .testTarget(
            name: "DocumentsTests",
            dependencies: [
                "DocumentCore", "Documents", "Naming", "SQLiteJournaling", "TestSupport",
                "Threading",
            ]),
        .testTarget(
            name: "VersioningClientTests",
            dependencies: [
                "DocumentCore", "Documents", "HTTPCalling", "JSONTree", "Naming", "SelectiveUndo",
                "TestSupport", "VersioningClient", "VersioningKit",
            ]),
        .testTarget(name: "HTTPServingTests", dependencies: ["HTTPServing", "TestSupport"]),
        .testTarget(
            name: "VersiondAPITests",
            dependencies: [
                "VersiondAPI", "AccessControl", "Compression", "DocumentCore", "JSONSchemas",
                "Naming", "PostgreSQLJournaling", "Presence", "SQLiteJournaling",
                "Signatures", "TestSupport",
            ]),
        .testTarget(name: "SignaturesTests", dependencies: ["Signatures", "Hashing"]),
        .testTarget(
            name: "PresenceTests",
            dependencies: ["Presence", "Journaling", "Naming", "TestSupport"]),
        .testTarget(name: "PatternsTests", dependencies: ["Patterns"]),
        .testTarget(
            name: "JSONSchemasTests", dependencies: ["JSONSchemas", "JSONTree", "TestSupport"],
            exclude: ["Suite"]),
        .testTarget(name: "HashingTests", dependencies: ["Hashing"]),
        .testTarget(name: "CompressionTests", dependencies: ["Compression", "TestSupport"]),
        .testTarget(
            name: "AccessControlTests",
            dependencies: ["AccessControl", "Hashing", "Signatures", "TestSupport"]),
        .testTarget(name: "ThreadingTests", dependencies: ["Threading"]),
        .testTarget(name: "FuzzTargetTests", dependencies: ["FuzzTargets"]),
        .testTarget(name: "SnippetTests", dependencies: ["TestSupport"]),
        .testTarget(
            name: "VersiondTests",
            dependencies: [
                "versiond", "versionctl", "Compression", "CurlCalling", "HTTPCalling", "JSONTree",
                "TestSupport", "Threading", "VersioningClient",
            ],
            exclude: ["Keys"]),
    ],
    swiftLanguageModes: [.v6]
)
