import Documents
import Foundation
import JSONTree
import VersiondAPI

/// The file that says what holds for many documents: defaults and quotas.
enum RulesFile {
    private static let bytesMax = 4 << 20

    /// Reads a file; none is an empty one.
    static func rules(_ path: String) throws -> DocumentRules {
        if path.isEmpty { return DocumentRules() }
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw CannotRun.configuration("cannot read \(path)")
        }
        guard data.count <= bytesMax, let json = try? JSON(parsing: Array(data)) else {
            throw CannotRun.configuration("\(path) must be a JSON object")
        }
        do { return try DocumentRules(reading: json) } catch {
            throw CannotRun.configuration(
                "\(path): \(error.details.prefix(5).joined(separator: " "))")
        }
    }
}
