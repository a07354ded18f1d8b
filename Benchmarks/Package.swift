// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses versiond resolves or builds it.
let package = Package(
    name: "versiond-benchmarks",
    platforms: [.macOS(.v26)],
    dependencies: [.package(name: "versiond", path: "..")],
    targets: [
        .executableTarget(
            name: "versiond-bench",
            dependencies: [
                .product(name: "JSONTree", package: "versiond"),
                .product(name: "VersioningKit", package: "versiond"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
