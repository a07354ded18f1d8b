import Foundation

/// A setting: its name, its kind and its default.
///
/// The file, the environment, `config show` and the daemon read the same table.
struct Setting: Sendable {
    enum Kind: Sendable, Equatable {
        case text(String)
        case flag(Bool)
        /// A whole number in a range. Without a default it depends on others.
        case number(ClosedRange<Int>, Int?)
    }

    let name: String
    let kind: Kind

    private init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }

    private static func text(_ name: String, _ value: String = "") -> Setting {
        Setting(name, .text(value))
    }

    private static func flag(_ name: String, _ value: Bool) -> Setting {
        Setting(name, .flag(value))
    }

    private static func number(_ name: String, _ range: ClosedRange<Int>, _ value: Int?) -> Setting
    {
        Setting(name, .number(range, value))
    }

    /// All settings. An unknown name is an error.
    static let all: [String: Setting] = Dictionary(
        uniqueKeysWithValues: table.map { ($0.name, $0) })

    private static let table = [
        text("host", "127.0.0.1"), text("hosts"), number("port", 0...65_535, 8_080),
        text("directory", "versiond-data"), text("journal"), flag("packing", true),
        flag("exitOnJournalFailure", false),
        number("loops", 1...64, max(1, ProcessInfo.processInfo.activeProcessorCount - 1)),
        number("connectionsMax", 1...1_000_000, 4_096),
        number("connectionsPerAddressMax", 0...1_000_000, nil),
        number("streamsMax", 1...1_000_000, nil),
        number("idleSeconds", 1...3_600, 15), number("drainSeconds", 0...3_600, 10),
        number("drainDelaySeconds", 0...3_600, 0),
        number("bodyBytesMax", 1_024...(256 << 20), 16 << 20),
        number("documentBytesMax", 1_024...(256 << 20), 64 << 20),
        number("valuesMax", 100...100_000_000, 1_000_000), number("depthMax", 1...1_000, 128),
        number("operationsMax", 1...1_000_000, 10_000),
        number("loadedDocumentsMax", 1...10_000_000, 10_000),
        // 0: a share of the memory that there is.
        number("loadedBytesMax", 0...(1 << 50), 0),
        text("logLevel", "info"), text("logFormat", "text"), text("tokens"),
        flag("makesToken", false), flag("openAccess", false), text("socket"),
        text("socketMode", "600"), text("tlsCertificate"), text("tlsKey"), text("origins"),
        text("trustedProxies"), text("rules"), text("documentation"),
    ]
}
