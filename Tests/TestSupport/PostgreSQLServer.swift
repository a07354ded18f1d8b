import Foundation
import Threading

/// A real PostgreSQL server for all tests of this process, in a directory of its own. It ends with
/// the process, since its standard input ends then.
public final class PostgreSQLServer: Sendable {
    /// Why there is none.
    public struct Missing: Error, CustomStringConvertible {
        public let description: String
    }

    /// The server; started once. Where it cannot be, tests that need it are skipped, but never in
    /// CI: `TEST_REQUIRES_POSTGRESQL` says so, and then they fail. `TEST_WITHOUT_POSTGRESQL` skips
    /// them anyway.
    public static let shared: PostgreSQLServer? = {
        if ProcessInfo.processInfo.environment["TEST_WITHOUT_POSTGRESQL"] != nil { return nil }
        do { return try PostgreSQLServer() } catch {
            print("Tests of PostgreSQL are skipped: \(error)")
            return nil
        }
    }()

    /// Whether tests that need it run: if there is one, and in CI even if there is none.
    public static var isHere: Bool {
        let environment = ProcessInfo.processInfo.environment
        return shared != nil || environment["TEST_REQUIRES_POSTGRESQL"] != nil
    }

    /// A time that advances at each read, by 50 ms: attempts end without waiting.
    public static func time(step: Int = 50) -> @Sendable () -> Duration {
        let looks = Lock(0)
        return {
            .milliseconds(
                looks.withLock {
                    $0 += step; return $0
                })
        }
    }

    private let directory: TemporaryDirectory
    private let input: Pipe
    private let count = Lock(0)

    /// A server of its own, for settings of a whole server.
    public init() throws {
        directory = try TemporaryDirectory()
        input = Pipe()
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: directory.path)
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let (process, output) = (Process(), Pipe())
        process.executableURL = root.appending(path: "Scripts/postgresql")
        // It outlives this process for a moment, and this object is never released.
        process.arguments = ["--temporary", directory.path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let word = output.fileHandleForReading.availableData
        guard String(decoding: word, as: UTF8.self).hasPrefix("ready") else {
            throw Missing(description: "see above")
        }
    }

    /// The URL of a new, empty database.
    public func newDatabase() throws -> String {
        let name = newName()
        try run("CREATE DATABASE \(name)", in: "postgres")
        return url(name)
    }

    /// The URL of a new, empty schema, which is made in a fraction of the time of a database: for
    /// tests in which it does not matter that the journals of other tests are in the same one.
    public func newSchema() throws -> String {
        let name = newName()
        try run("CREATE SCHEMA \(name)", in: "postgres")
        return url("postgres") + "?options=-csearch_path%3D\(name)"
    }

    private func newName() -> String { "test_\(count.withLock { $0 += 1; return $0 })" }

    /// Where it is.
    public var path: String { directory.path }

    /// A proxy in front of it.
    public func proxy() throws -> DatabaseProxy { try DatabaseProxy(to: directory.path) }

    public func url(_ database: String) -> String {
        let host = directory.path.replacingOccurrences(of: "/", with: "%2F")
        return "postgresql://versiond@\(host)/\(database)"
    }

    /// Runs SQL as its owner would, and returns what psql prints.
    @discardableResult
    public func run(_ sql: String, in database: String) throws -> String {
        try psql(["-c", sql], in: database)
    }

    /// Runs the SQL of a file.
    public func run(file: String, in database: String) throws {
        try psql(["-f", file], in: database)
    }

    @discardableResult
    private func psql(_ work: [String], in database: String) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            [
                "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", directory.path, "-U", "versiond",
                "-d", database,
            ] + work
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Missing(description: "psql failed: \(work)")
        }
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}
