import ArgumentParser
import Documents
import Foundation
import HTTPServing
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
    /// The file that says what holds for many documents; empty for none.
    var rules: String
    /// Whether all clients have all rights without a token.
    var openAccess: Bool
    /// An additional local socket; empty for none.
    var socket: String
    var socketMode: UInt32
    var tlsCertificate: String
    var tlsKey: String
    /// Web pages that may use the daemon.
    var origins: Set<String>
    /// The URL of the documentation site, for links to it; empty for none.
    var documentation: String
    /// Proxies in front that say where requests came from.
    var trustedProxies: [HTTPAddressRange]
    var streamsMax: Int
    /// Whether the daemon ends when nothing can be stored any more, instead of serving what is.
    var exitOnJournalFailure: Bool
    /// Whether old entries are packed in the background.
    var packing: Bool

    enum LogFormat: String, Sendable {
        case text, json
    }

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
        host = sources.text("host")
        hosts = sources.texts("hosts").map { $0.lowercased() }
        port = UInt16(try sources.number("port"))
        directory = sources.text("directory")
        journal = sources.text("journal")
        packing = sources.flag("packing")
        exitOnJournalFailure = sources.flag("exitOnJournalFailure")
        loops = try sources.number(
            "loops", else: max(1, ProcessInfo.processInfo.activeProcessorCount - 1))
        connectionsMax = try sources.number("connectionsMax")
        // On loopback all clients have one address.
        let perAddress = try sources.number(
            "connectionsPerAddressMax",
            else: Settings.isLocal(host) ? 0 : max(1, connectionsMax / 4))
        connectionsPerAddressMax = perAddress == 0 ? nil : perAddress
        streamsMax = try sources.number("streamsMax", else: connectionsMax / 2)
        idleSeconds = try sources.number("idleSeconds")
        drainSeconds = try sources.number("drainSeconds")
        drainDelaySeconds = try sources.number("drainDelaySeconds")
        bodyBytesMax = try sources.number("bodyBytesMax")
        documentBytesMax = try sources.number("documentBytesMax")
        valuesMax = try sources.number("valuesMax")
        depthMax = try sources.number("depthMax")
        operationsMax = try sources.number("operationsMax")
        loadedDocumentsMax = try sources.number("loadedDocumentsMax")
        loadedBytesMax = try Settings.loadedBytesMax(sources)
        logLevel = try sources.value(
            "logLevel", "trace, debug, info, notice, warning or error"
        ) { Logger.Level(rawValue: $0) }
        logFormat = try sources.value("logFormat", "text or json") { LogFormat(rawValue: $0) }
        tokens = sources.text("tokens")
        rules = sources.text("rules")
        makesToken = sources.flag("makesToken")
        openAccess = sources.flag("openAccess")
        socket = sources.text("socket")
        socketMode = try sources.value("socketMode", "like 600 or 660") { text in
            UInt32(text, radix: 8).flatMap { $0 <= 0o777 ? $0 : nil }
        }
        tlsCertificate = sources.text("tlsCertificate")
        tlsKey = sources.text("tlsKey")
        origins = Set(sources.texts("origins"))
        documentation = try sources.value("documentation", "a URL like https://docs.example/") {
            $0.isEmpty || $0.hasPrefix("https://") || $0.hasPrefix("http://") ? $0 : nil
        }
        trustedProxies = try sources.texts("trustedProxies").map { text in
            guard let range = HTTPAddressRange(text) else {
                throw CannotRun.configuration(
                    "trustedProxies: \(text) is not an address like 10.0.0.7 or 10.0.0.0/8")
            }
            return range
        }
        try checkAccess()
    }

    private static func loadedBytesMax(_ sources: SettingSources) throws -> Int {
        let set = try sources.number("loadedBytesMax")
        if set == 0 { return MemoryLimit.share(4, most: 1 << 30) }
        guard set >= 1 << 20 else {
            throw CannotRun.configuration("loadedBytesMax must be 0 or at least \(1 << 20)")
        }
        return set
    }

    private func checkAccess() throws {
        guard isLocal || !tokens.isEmpty || openAccess else {
            throw CannotRun.configuration(
                """
                \(host) is reachable from other machines, and without tokens all clients have all \
                rights. Create tokens (versiond token create) and set "tokens" to the file, or \
                set openAccess if a proxy authenticates clients.
                """)
        }
        guard !makesToken || !tokens.isEmpty else {
            throw CannotRun.configuration("makesToken requires tokens, the file to create")
        }
        guard tlsCertificate.isEmpty == tlsKey.isEmpty else {
            throw CannotRun.configuration("tlsCertificate and tlsKey require each other")
        }
        for origin in origins where !origin.hasPrefix("http://") && !origin.hasPrefix("https://") {
            throw CannotRun.configuration("\(origin) is not an origin like https://app.example")
        }
    }
}
