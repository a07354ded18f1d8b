// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of versiond neither resolve nor build it.
let package = Package(
    name: "versiond-benchmarks",
    platforms: [.macOS(.v26)],
    dependencies: [.package(name: "versiond", path: "..")],
    targets: [
        // The measured variants: the allocator, and compression of a stored history.
        .systemLibrary(
            name: "CMeasure", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .executableTarget(
            name: "versiond-bench",
            dependencies: [
                "CMeasure",
                .product(name: "JSONTree", package: "versiond"),
                .product(name: "SelectiveUndo", package: "versiond"),
                .product(name: "VersioningKit", package: "versiond"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
