import ArgumentParser

/// A setting: its name, its kind, its default and its meaning.
///
/// The file, the environment, the help, `config show`, the daemon and the reference use the same
/// table.
struct Setting: Sendable {
    enum Kind: Sendable, Equatable {
        case text(String)
        case flag(Bool)
        /// A whole number in a range. Without a default it depends on others.
        case number(ClosedRange<Int>, Int?)
    }

    let name: String
    let kind: Kind
    let meaning: String

    private static func text(_ name: String, _ value: String, _ meaning: String) -> Setting {
        Setting(name: name, kind: .text(value), meaning: meaning)
    }

    private static func flag(_ name: String, _ value: Bool, _ meaning: String) -> Setting {
        Setting(name: name, kind: .flag(value), meaning: meaning)
    }

    private static func number(
        _ name: String, _ range: ClosedRange<Int>, _ value: Int?, _ meaning: String
    ) -> Setting {
        Setting(name: name, kind: .number(range, value), meaning: meaning)
    }

    /// All settings. An unknown name is an error.
    static let all: [String: Setting] = Dictionary(
        uniqueKeysWithValues: table.map { ($0.name, $0) })

    /// The default as JSON; `nil` if it depends on others.
    var fallback: String? {
        switch kind {
        case .text(let value): "\"\(value)\""
        case .flag(let value): "\(value)"
        case .number(_, let value): value.map { "\($0)" }
        }
    }

    /// The help of the option for a setting.
    static func help(_ name: String) -> ArgumentHelp? {
        guard let setting = all[name] else { return nil }
        let fallback = setting.fallback?.replacing("\"", with: "") ?? ""
        let isShown = !fallback.isEmpty && setting.kind != .flag(false)
        return ArgumentHelp(setting.meaning + (isShown ? " Default: \(fallback)." : ""))
    }
}

extension Setting {
    /// The settings in the order of the file and the reference.
    static let table = [
        text(
            "host", "127.0.0.1",
            """
            The address to listen on. Another address than loopback requires tokens or \
            openAccess.
            """),
        text(
            "hosts", "",
            """
            Additional names, separated by commas, that the field Host may have. By \
            default a daemon on loopback accepts only localhost and its address, and \
            another daemon any name.
            """),
        number(
            "port", 0...65_535, 8_080,
            "The port to listen on; 0 selects a free port."),
        text(
            "tokens", "",
            """
            The file with tokens and rights. versiond token creates it, and SIGHUP \
            reloads it. If empty, all clients have all rights.
            """),
        text(
            "rules", "",
            """
            The file with defaults and quotas by prefix of document names. SIGHUP \
            reloads it.
            """),
        flag(
            "makesToken", false,
            """
            If the token file does not exist, create it with one token that has all \
            rights, and print its secret once.
            """),
        flag(
            "openAccess", false,
            """
            Give all clients all rights, also from other machines; for a daemon behind a \
            proxy that authenticates clients.
            """),
        text(
            "socket", "",
            """
            An additional local socket to listen on; empty for none. The user of the \
            daemon has all rights there.
            """),
        text(
            "socketMode", "600",
            "The file mode of the socket, as for chmod."),
        text(
            "tlsCertificate", "",
            "The certificate chain in PEM, for encrypted connections. Requires tlsKey."),
        text(
            "tlsKey", "",
            "The private key of the certificate in PEM."),
        text(
            "origins", "",
            """
            Origins of web pages that may use the daemon, separated by commas: \
            https://app.example
            """),
        text(
            "trustedProxies", "",
            """
            Addresses or ranges of trusted proxies, separated by commas: 10.0.0.7, \
            10.0.0.0/8. The log takes the address of the client from their \
            X-Forwarded-For.
            """),
        text(
            "documentation", "",
            """
            The URL of a copy of the documentation site (Scripts/docs). The web UI, GET /v1 \
            and /openapi.json link it; empty for none.
            """),
        text(
            "directory", "versiond-data",
            """
            The data directory, which the daemon creates if necessary. Only one daemon \
            at a time can use it.
            """),
        text(
            "journal", "",
            """
            A PostgreSQL database instead of a directory: postgresql://host/database. \
            Several daemons can share it. Put passwords in a file (?passfile=/path) or \
            the environment (PGPASSWORD).
            """),
        number(
            "connectionsMax", 1...1_000_000, 4_096,
            """
            The maximum number of open connections. Each needs a descriptor and about 40 \
            KB.
            """),
        number(
            "connectionsPerAddressMax", 0...1_000_000, nil,
            """
            The maximum number of connections per address; behind a proxy all clients \
            have its address. 0: no limit. Default: a quarter of connectionsMax, and no \
            limit on loopback.
            """),
        number(
            "streamsMax", 1...1_000_000, nil,
            """
            The maximum number of open streams, and of waiting pages. Default: half of \
            connectionsMax.
            """),
        number(
            "idleSeconds", 1...3_600, 15,
            "The maximum idle time of a connection, in seconds."),
        number(
            "drainSeconds", 0...3_600, 10,
            "The maximum time for open requests when the daemon stops, in seconds."),
        number(
            "drainDelaySeconds", 0...3_600, 0,
            """
            The time before drainSeconds in which /readyz returns 503 and the daemon \
            still serves requests, so that a load balancer can react.
            """),
        number(
            "bodyBytesMax", 1_024...(256 << 20), 16 << 20,
            "The maximum size of a request body, in bytes."),
        number(
            "documentBytesMax", 1_024...(256 << 20), 64 << 20,
            "The maximum size of a document as JSON text, in bytes."),
        number(
            "valuesMax", 100...100_000_000, 1_000_000,
            """
            The maximum number of values in a document. Each needs about 100 bytes of \
            memory.
            """),
        number(
            "depthMax", 1...1_000, 128,
            "The maximum nesting of arrays and objects."),
        number(
            "operationsMax", 1...1_000_000, 10_000,
            "The maximum number of operations in a patch."),
        number(
            "loops", 1...64, nil,
            """
            The number of event loops, one thread each. Default: processor cores minus \
            one.
            """),
        number(
            "loadedDocumentsMax", 1...10_000_000, 10_000,
            """
            The maximum number of documents in memory. The daemon unloads the least \
            recently used ones.
            """),
        number(
            "loadedBytesMax", 0...(1 << 50), 0,
            """
            The approximate maximum memory of these documents, in bytes; 0: a quarter of \
            the available memory, at most 1 GiB.
            """),
        flag(
            "exitOnJournalFailure", false,
            """
            Exit if the disk does not confirm a change, so that a supervisor restarts \
            the daemon; otherwise the daemon serves reads and refuses changes.
            """),
        flag(
            "packing", true,
            """
            Compact old changes in the background, which reduces their size on disk 20 \
            to 40 times.
            """),
        text(
            "logLevel", "info",
            "The log level: trace, debug, info, notice, warning or error."),
        text(
            "logFormat", "text",
            "The log format: text or json."),
    ]
}
