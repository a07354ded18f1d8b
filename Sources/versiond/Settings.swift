import ArgumentParser
import Configuration
import Documents
import Foundation
import JSONTree
import Logging
import SystemPackage
import VersiondAPI

/// Everything that can be configured: flags, then environment, then file, then defaults.
struct Settings: Sendable {
    var host: String
    var port: UInt16
    /// More names under which requests are taken.
    var hosts: [String]
    var directory: String
    var loops: Int
    var connectionsMax: Int
    /// `nil`: no limit.
    var connectionsPerAddressMax: Int?
    var idleSeconds: Int
    var drainSeconds: Int
    /// How long `/readyz` says that the daemon is about to stop, before it stops to accept.
    var drainDelaySeconds: Int
    /// Whether the first start makes the file with tokens, and a token in it.
    var makesToken: Bool
    var bodyBytesMax: Int
    var documentBytesMax: Int
    var valuesMax: Int
    var depthMax: Int
    var operationsMax: Int
    var loadedDocumentsMax: Int
    var loadedBytesMax: Int
    var logLevel: Logger.Level
    var logFormat: LogFormat
    /// The file that says who may do what; empty for none.
    var tokens: String
    /// Whether everybody who can reach the daemon may do everything.
    var openAccess: Bool
    /// A local socket to listen on, too; empty for none.
    var socket: String
    var socketMode: UInt32
    var tlsCertificate: String
    var tlsKey: String
    /// Web pages that may use the daemon.
    var origins: Set<String>
    var streamsMax: Int
    /// Whether the daemon ends when nothing can be stored any more, instead of serving what is.
    var exitOnJournalFailure: Bool
    /// Whether old entries are packed in the background.
    var packing: Bool

    enum LogFormat: String, Sendable {
        case text, json
    }

    /// Every key that a file may have. A misspelt one is an error, not a setting that is ignored.
    static let keys: Set<String> = [
        "host", "hosts", "port", "directory", "loops", "connectionsMax", "connectionsPerAddressMax",
        "idleSeconds",
        "drainSeconds", "drainDelaySeconds", "makesToken",
        "bodyBytesMax", "documentBytesMax", "valuesMax", "depthMax", "operationsMax",
        "loadedDocumentsMax",
        "loadedBytesMax", "logLevel", "logFormat", "tokens", "openAccess", "socket", "socketMode",
        "tlsCertificate", "tlsKey", "origins", "streamsMax", "exitOnJournalFailure", "packing",
    ]

    private static let texts: Set = [
        "host", "hosts", "directory", "logLevel", "logFormat", "tokens", "socket", "socketMode",
        "tlsCertificate", "tlsKey", "origins",
    ]
    private static let flags: Set = [
        "openAccess", "exitOnJournalFailure", "packing", "makesToken",
    ]

    /// Whether only this machine can reach the daemon.
    var isLocal: Bool { Settings.isLocal(host) }

    private static func isLocal(_ host: String) -> Bool {
        ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
    }

    /// On loopback only our own names, so that no web page reaches us by a name of its own. Beyond
    /// it any name, unless some are given.
    var acceptedHosts: Set<String>? {
        let local: Set = ["localhost", "127.0.0.1", "[::1]"]
        if !isLocal && hosts.isEmpty { return nil }
        return local.union(hosts).union([host.lowercased()])
    }

    var limits: Limits {
        Limits(
            bodyBytesMax: bodyBytesMax,
            json: JSONLimits(
                depthMax: depthMax, operationsMax: operationsMax,
                documentBytesMax: documentBytesMax, valuesMax: valuesMax))
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

    /// The settings that are others.
    func differences(from other: Settings) -> Set<String> {
        let pairs = zip(Mirror(reflecting: self).children, Mirror(reflecting: other).children)
        return Set(
            pairs.compactMap { mine, theirs in
                "\(mine.value)" == "\(theirs.value)" ? nil : mine.label
            })
    }

    /// Where a setting comes from, in a word.
    func origin(of key: String, _ options: ServeOptions) throws -> String {
        if Settings.flagValues(options)[AbsoluteConfigKey([key])] != nil { return "option" }
        if Settings.environmentNames[key] != nil { return "environment" }
        guard let path = options.config else { return "default" }
        let members = try JSON(parsing: Array(Data(contentsOf: URL(filePath: path)))).members
        return members?.contains { $0.name == key } == true ? path : "default"
    }

    private static func flags(_ options: ServeOptions) -> InMemoryProvider {
        InMemoryProvider(name: "flags", values: flagValues(options))
    }

    private static func flagValues(
        _ options: ServeOptions
    ) -> [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        values["host"] = options.host.map { ConfigValue(.string($0), isSecret: false) }
        values["port"] = options.port.map { ConfigValue(.int($0), isSecret: false) }
        values["directory"] = options.directory.map { ConfigValue(.string($0), isSecret: false) }
        values["loops"] = options.loops.map { ConfigValue(.int($0), isSecret: false) }
        values["tokens"] = options.tokens.map { ConfigValue(.string($0), isSecret: false) }
        values["socket"] = options.socket.map { ConfigValue(.string($0), isSecret: false) }
        if options.openAccess { values["openAccess"] = ConfigValue(.bool(true), isSecret: false) }
        values["logFormat"] = options.logFormat.map { ConfigValue(.string($0), isSecret: false) }
        values["logLevel"] = options.logLevel.map { ConfigValue(.string($0), isSecret: false) }
        return values
    }

    private init(_ reader: ConfigReader) throws {
        func number(_ key: ConfigKey, _ range: ClosedRange<Int>, default value: Int) throws -> Int {
            let number = reader.int(forKey: key, default: value)
            guard range.contains(number) else {
                throw CannotRun.configuration(
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
        drainDelaySeconds = try number("drainDelaySeconds", 0...3_600, default: 0)
        makesToken = reader.bool(forKey: "makesToken", default: false)
        bodyBytesMax = try number("bodyBytesMax", 1_024...(256 << 20), default: 16 << 20)
        documentBytesMax = try number("documentBytesMax", 1_024...(256 << 20), default: 64 << 20)
        valuesMax = try number("valuesMax", 100...100_000_000, default: 1_000_000)
        depthMax = try number("depthMax", 1...1_000, default: 128)
        operationsMax = try number("operationsMax", 1...1_000_000, default: 10_000)
        loadedDocumentsMax = try number("loadedDocumentsMax", 1...10_000_000, default: 10_000)
        let isDerived = reader.int(forKey: "loadedBytesMax", default: 0) == 0
        loadedBytesMax =
            isDerived
            ? MemoryLimit.share(4, most: 1 << 30)
            : try number("loadedBytesMax", 1 << 20...(1 << 50), default: 1 << 30)
        let level = reader.string(forKey: "logLevel", default: "info")
        guard let logLevel = Logger.Level(rawValue: level) else {
            throw CannotRun.configuration(
                "logLevel must be trace, debug, info, notice, warning or error")
        }
        self.logLevel = logLevel
        guard let format = LogFormat(rawValue: reader.string(forKey: "logFormat", default: "text"))
        else { throw CannotRun.configuration("logFormat must be text or json") }
        logFormat = format
        tokens = reader.string(forKey: "tokens", default: "")
        openAccess = reader.bool(forKey: "openAccess", default: false)
        socket = reader.string(forKey: "socket", default: "")
        guard let mode = UInt32(reader.string(forKey: "socketMode", default: "600"), radix: 8),
            mode <= 0o777
        else { throw CannotRun.configuration("socketMode must be like 600 or 660") }
        socketMode = mode
        tlsCertificate = reader.string(forKey: "tlsCertificate", default: "")
        tlsKey = reader.string(forKey: "tlsKey", default: "")
        origins = Set(
            reader.string(forKey: "origins", default: "").split(separator: ",").map {
                String($0.filter { $0 != " " })
            })
        // On loopback all clients have one address.
        let perAddress = try number(
            "connectionsPerAddressMax", 0...1_000_000,
            default: Settings.isLocal(host) ? 0 : max(1, connectionsMax / 4))
        connectionsPerAddressMax = perAddress == 0 ? nil : perAddress
        streamsMax = try number("streamsMax", 1...1_000_000, default: connectionsMax / 2)
        exitOnJournalFailure = reader.bool(forKey: "exitOnJournalFailure", default: false)
        packing = reader.bool(forKey: "packing", default: true)
        try checkAccess()
    }

    private func checkAccess() throws {
        guard isLocal || !tokens.isEmpty || openAccess else {
            throw CannotRun.configuration(
                """
                \(host) can be reached from other machines, and without tokens everybody may do \
                everything. Make tokens (versiond token create) and name the file in "tokens", or \
                say openAccess if a proxy stands in front.
                """)
        }
        guard !makesToken || !tokens.isEmpty else {
            throw CannotRun.configuration("makesToken needs tokens: the file to make")
        }
        guard tlsCertificate.isEmpty == tlsKey.isEmpty else {
            throw CannotRun.configuration("tlsCertificate and tlsKey go together")
        }
        for origin in origins where !origin.hasPrefix("http://") && !origin.hasPrefix("https://") {
            throw CannotRun.configuration("\(origin) is no origin like https://app.example")
        }
    }

    /// The variables that are settings, by the keys of these.
    private static var environmentNames: [String: (name: String, value: String)] {
        var names: [String: (name: String, value: String)] = [:]
        for (name, value) in ProcessInfo.processInfo.environment where name.hasPrefix("VERSIOND_") {
            if isServiceLink(name, value) { continue }
            let words = name.dropFirst(9).lowercased().split(separator: "_")
            let key = words.enumerated().map { $0 == 0 ? String($1) : $1.capitalized }.joined()
            names[key] = (name, value)
        }
        return names
    }

    /// A value in the environment that cannot be read is an error, not a setting that is ignored.
    private static func checkEnvironment() throws {
        for (key, (name, value)) in environmentNames {
            guard keys.contains(key) else { throw CannotRun.configuration("\(name) means nothing") }
            if texts.contains(key) { continue }
            if flags.contains(key) {
                guard ["true", "false"].contains(value) else {
                    throw CannotRun.configuration("\(name) must be true or false")
                }
            } else if Int(value) == nil {
                throw CannotRun.configuration("\(name) must be a number")
            }
        }
    }

    /// Kubernetes puts the addresses of services that are named like us into such variables,
    /// unasked.
    private static func isServiceLink(_ name: String, _ value: String) -> Bool {
        name.contains("_SERVICE_HOST") || name.contains("_SERVICE_PORT")
            || name.contains(/_PORT_[0-9]+_(TCP|UDP|SCTP)/)
            || (name.hasSuffix("_PORT") && value.contains("://"))
    }

    /// Names in the file must be known; those that begin with `//` are comments.
    private static func checkNames(_ path: String) throws {
        guard let text = try? Data(contentsOf: URL(filePath: path)) else {
            throw CannotRun.configuration("\(path) cannot be read")
        }
        guard let members = try? JSON(parsing: Array(text)).members else {
            throw CannotRun.configuration("\(path) must hold one JSON object")
        }
        let unknown = members.map(\.name).sorted().filter {
            !keys.contains($0) && !$0.hasPrefix("//")
        }
        guard unknown.isEmpty else {
            throw CannotRun.configuration(
                "\(path) has unknown settings: \(unknown.joined(separator: ", "))")
        }
        for (name, value) in members where !name.hasPrefix("//") {
            let isRight =
                texts.contains(name)
                ? value.kind == .string
                : value.kind == (flags.contains(name) ? .bool : .number)
            guard isRight else {
                throw CannotRun.configuration("\(path): \(name) is of the wrong type")
            }
        }
    }
}
