public import Foundation

/// The executables that the build made next to the tests.
public enum Products {
    /// The folder that they are in.
    public static let folder: URL = {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") }
        return URL(filePath: bundle ?? CommandLine.arguments[0]).deletingLastPathComponent()
    }()
}
