import ArgumentParser
import Documents
import Foundation
import JSONTree
import Logging
import VersiondAPI

/// Everything that can be configured: flags, then environment, then file, then defaults.
struct Settings: Sendable {
    var host: String
    var port: UInt16
    /// More names under which requests are taken.
    var hosts: [String]
    var directory: String
    /// The URL of a database to store in, instead of the directory; empty for none.
    var journal: String
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
        "host", "hosts", "port", "directory", "journal", "loops", "connectionsMax",
        "connectionsPerAddressMax", "idleSeconds",
        "drainSeconds", "drainDelaySeconds", "makesToken",
        "bodyBytesMax", "documentBytesMax", "valuesMax", "depthMax", "operationsMax",
        "loadedDocumentsMax",
        "loadedBytesMax", "logLevel", "logFormat", "tokens", "openAccess", "socket", "socketMode",
        "tlsCertificate", "tlsKey", "origins", "streamsMax", "exitOnJournalFailure", "packing",
    ]

    static let texts: Set = [
        "host", "hosts", "directory", "journal", "logLevel", "logFormat", "tokens", "socket",
        "socketMode", "tlsCertificate", "tlsKey", "origins",
    ]
    static let flags: Set = [
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

    static func load(_ options: ServeOptions) throws -> Settings {
        try Settings(SettingSources(options))
    }

    /// The settings that are others.
    func differences(from other: Settings) -> Set<String> {
        let pairs = zip(Mirror(reflecting: self).children, Mirror(reflecting: other).children)
        return Set(
            pairs.compactMap { mine, theirs in
                "\(mine.value)" == "\(theirs.value)" ? nil : mine.label
            })
    }

    init(_ sources: SettingSources) throws {
        func number(_ key: String, _ range: ClosedRange<Int>, default value: Int) throws -> Int {
            let number = sources.number(key) ?? value
            guard range.contains(number) else {
                throw CannotRun.configuration(
                    "\(key) must be from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        let cores = ProcessInfo.processInfo.activeProcessorCount
        host = sources.text("host") ?? "127.0.0.1"
        hosts = (sources.text("hosts") ?? "").split(separator: ",").map {
            $0.filter { $0 != " " }.lowercased()
        }
        port = UInt16(try number("port", 0...65_535, default: 8_080))
        directory = sources.text("directory") ?? "versiond-data"
        journal = sources.text("journal") ?? ""
        loops = try number("loops", 1...64, default: max(1, cores - 1))
        connectionsMax = try number("connectionsMax", 1...1_000_000, default: 4_096)
        idleSeconds = try number("idleSeconds", 1...3_600, default: 15)
        drainSeconds = try number("drainSeconds", 0...3_600, default: 10)
        drainDelaySeconds = try number("drainDelaySeconds", 0...3_600, default: 0)
        makesToken = sources.flag("makesToken") ?? false
        bodyBytesMax = try number("bodyBytesMax", 1_024...(256 << 20), default: 16 << 20)
        documentBytesMax = try number("documentBytesMax", 1_024...(256 << 20), default: 64 << 20)
        valuesMax = try number("valuesMax", 100...100_000_000, default: 1_000_000)
        depthMax = try number("depthMax", 1...1_000, default: 128)
        operationsMax = try number("operationsMax", 1...1_000_000, default: 10_000)
        loadedDocumentsMax = try number("loadedDocumentsMax", 1...10_000_000, default: 10_000)
        let isDerived = (sources.number("loadedBytesMax") ?? 0) == 0
        loadedBytesMax =
            isDerived
            ? MemoryLimit.share(4, most: 1 << 30)
            : try number("loadedBytesMax", 1 << 20...(1 << 50), default: 1 << 30)
        let level = sources.text("logLevel") ?? "info"
        guard let logLevel = Logger.Level(rawValue: level) else {
            throw CannotRun.configuration(
                "logLevel must be trace, debug, info, notice, warning or error")
        }
        self.logLevel = logLevel
        guard let format = LogFormat(rawValue: sources.text("logFormat") ?? "text")
        else { throw CannotRun.configuration("logFormat must be text or json") }
        logFormat = format
        tokens = sources.text("tokens") ?? ""
        openAccess = sources.flag("openAccess") ?? false
        socket = sources.text("socket") ?? ""
        guard let mode = UInt32(sources.text("socketMode") ?? "600", radix: 8),
            mode <= 0o777
        else { throw CannotRun.configuration("socketMode must be like 600 or 660") }
        socketMode = mode
        tlsCertificate = sources.text("tlsCertificate") ?? ""
        tlsKey = sources.text("tlsKey") ?? ""
        origins = Set(
            (sources.text("origins") ?? "").split(separator: ",").map {
                String($0.filter { $0 != " " })
            })
        // On loopback all clients have one address.
        let perAddress = try number(
            "connectionsPerAddressMax", 0...1_000_000,
            default: Settings.isLocal(host) ? 0 : max(1, connectionsMax / 4))
        connectionsPerAddressMax = perAddress == 0 ? nil : perAddress
        streamsMax = try number("streamsMax", 1...1_000_000, default: connectionsMax / 2)
        exitOnJournalFailure = sources.flag("exitOnJournalFailure") ?? false
        packing = sources.flag("packing") ?? true
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
}
