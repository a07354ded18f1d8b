import ArgumentParser
import Configuration
import Documents
import Foundation
import JSONTree
import Logging
import SystemPackage
import VersiondAPI

/// Everything that can be configured: flags over environment over file over what is built in.
struct Settings: Sendable {
    var host: String
    var port: UInt16
    /// More names under which requests are taken.
    var hosts: [String]
    var directory: String
    var loops: Int
    var connectionsMax: Int
    var idleSeconds: Int
    var drainSeconds: Int
    var bodyBytesMax: Int
    var documentBytesMax: Int
    var depthMax: Int
    var operationsMax: Int
    var loadedDocumentsMax: Int
    var loadedBytesMax: Int
    var logLevel: Logger.Level

    /// Every key that a file may have. A misspelt one is an error, not a setting that is ignored.
    static let keys: Set<String> = [
        "host", "hosts", "port", "directory", "loops", "connectionsMax", "idleSeconds",
        "drainSeconds",
        "bodyBytesMax", "documentBytesMax", "depthMax", "operationsMax", "loadedDocumentsMax",
        "loadedBytesMax", "logLevel",
    ]

    private static let texts: Set = ["host", "hosts", "directory", "logLevel"]

    /// On loopback only our own names, so that no web page reaches us by a name of its own. Beyond
    /// it any name, unless some are given.
    var acceptedHosts: Set<String>? {
        let local: Set = ["localhost", "127.0.0.1", "[::1]"]
        let isLocal = local.contains(host) || host == "::1"
        if !isLocal && hosts.isEmpty { return nil }
        return local.union(hosts).union([host.lowercased()])
    }

    var limits: Limits {
        Limits(
            bodyBytesMax: bodyBytesMax,
            json: JSONLimits(
                depthMax: depthMax, operationsMax: operationsMax, documentBytesMax: documentBytesMax
            ))
    }

    static func load(_ options: ServeOptions) async throws -> Settings {
        try checkEnvironment()
        var providers: [any ConfigProvider] = [
            flags(options), EnvironmentVariablesProvider().prefixKeys(with: "versiond"),
        ]
        if let path = options.config {
            try checkNames(path)
            providers.append(
                try await FileProvider<JSONSnapshot>(filePath: FilePath(path)))
        }
        return try Settings(ConfigReader(providers: providers))
    }

    private static func flags(_ options: ServeOptions) -> InMemoryProvider {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        values["host"] = options.host.map { ConfigValue(.string($0), isSecret: false) }
        values["port"] = options.port.map { ConfigValue(.int($0), isSecret: false) }
        values["directory"] = options.directory.map { ConfigValue(.string($0), isSecret: false) }
        values["loops"] = options.loops.map { ConfigValue(.int($0), isSecret: false) }
        values["logLevel"] = options.logLevel.map { ConfigValue(.string($0), isSecret: false) }
        return InMemoryProvider(name: "flags", values: values)
    }

    private init(_ reader: ConfigReader) throws {
        func number(_ key: ConfigKey, _ range: ClosedRange<Int>, default value: Int) throws -> Int {
            let number = reader.int(forKey: key, default: value)
            guard range.contains(number) else {
                throw ValidationError(
                    "\(key) must be from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        let cores = ProcessInfo.processInfo.activeProcessorCount
        host = reader.string(forKey: "host", default: "127.0.0.1")
        hosts = reader.string(forKey: "hosts", default: "").split(separator: ",").map {
            $0.filter { $0 != " " }.lowercased()
        }
        port = UInt16(try number("port", 0...65_535, default: 8_080))
        directory = reader.string(forKey: "directory", default: "versiond-data")
        loops = try number("loops", 1...64, default: max(1, cores - 1))
        connectionsMax = try number("connectionsMax", 1...1_000_000, default: 4_096)
        idleSeconds = try number("idleSeconds", 1...3_600, default: 15)
        drainSeconds = try number("drainSeconds", 0...3_600, default: 10)
        bodyBytesMax = try number("bodyBytesMax", 1_024...(256 << 20), default: 16 << 20)
        documentBytesMax = try number("documentBytesMax", 1_024...(256 << 20), default: 64 << 20)
        depthMax = try number("depthMax", 1...1_000, default: 128)
        operationsMax = try number("operationsMax", 1...1_000_000, default: 10_000)
        loadedDocumentsMax = try number("loadedDocumentsMax", 1...10_000_000, default: 10_000)
        loadedBytesMax = try number("loadedBytesMax", 1 << 20...(1 << 50), default: 1 << 30)
        let level = reader.string(forKey: "logLevel", default: "info")
        guard let logLevel = Logger.Level(rawValue: level) else {
            throw ValidationError("logLevel must be trace, debug, info, notice, warning or error")
        }
        self.logLevel = logLevel
    }

    /// A value in the environment that cannot be read is an error, not a setting that is ignored.
    private static func checkEnvironment() throws {
        for (name, value) in ProcessInfo.processInfo.environment where name.hasPrefix("VERSIOND_") {
            let words = name.dropFirst(9).lowercased().split(separator: "_")
            let key = words.enumerated().map { $0 == 0 ? String($1) : $1.capitalized }.joined()
            guard keys.contains(key), !texts.contains(key), Int(value) == nil else { continue }
            throw ValidationError("\(name) must be a number")
        }
    }

    /// Names in the file must be known; those that begin with `//` are comments.
    private static func checkNames(_ path: String) throws {
        let text = try Data(contentsOf: URL(filePath: path))
        // Not our own parser: it would settle the key of the content hashes, which the journal has.
        guard let members = try? JSONSerialization.jsonObject(with: text) as? [String: Any] else {
            throw ValidationError("\(path) must hold one JSON object")
        }
        let unknown = members.keys.sorted().filter { !keys.contains($0) && !$0.hasPrefix("//") }
        guard unknown.isEmpty else {
            throw ValidationError(
                "\(path) has unknown settings: \(unknown.joined(separator: ", "))")
        }
        for (name, value) in members where !name.hasPrefix("//") {
            let isRight = texts.contains(name) ? value is String : value is Int
            guard isRight else { throw ValidationError("\(path): \(name) is of the wrong type") }
        }
    }
}
