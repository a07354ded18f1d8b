// swift-tools-version: 6.2
import PackageDescription

/// The house rules as a package of their own: they read sources and need nothing of them built.
let package = Package(
    name: "tidy",
    targets: [.testTarget(name: "TidyTests", path: ".", exclude: ["style.txt"])],
    swiftLanguageModes: [.v6]
)
