import ArgumentParser
import FoundationEssentials
import Glibc
import Logging

/// `versiond serve`: runs the daemon until SIGTERM or SIGINT.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve documents over HTTP (the default).",
        discussion: """
            The configuration file and the environment have the same settings: VERSIOND_PORT, \
            VERSIOND_BODY_BYTES_MAX. Options override the environment, and the environment \
            overrides the file.
            """)

    @OptionGroup var options: ServeOptions

    func run() async throws {
        let settings = try Settings.load(options)
        let level = LogLevel()
        level.current = settings.logLevel
        Serve.bootstrapLogging(settings, level)
        let logger = Logger(label: "versiond")
        // From here on a signal asks, and does not kill.
        let signals = await SignalSequence(trapping: SIGTERM, SIGINT)
        let daemon = try Daemon(settings, options, logger: logger, logLevel: level)
        let (asked, end) = AsyncStream.makeStream(of: Never.self)
        let listening = Task { [logger] in
            await Serve.listen(to: signals, logger) { end.finish() }
        }
        defer { listening.cancel() }
        try await daemon.run(until: asked)
    }

    private static func bootstrapLogging(_ settings: Settings, _ level: LogLevel) {
        let isJSON = settings.logFormat == .json
        let isJournal = SystemJournal.isStandardError(ProcessInfo.processInfo.environment)
        LoggingSystem.bootstrap { label in
            if isJSON { return JSONLogHandler(level, isPrefixed: isJournal) }
            let lines: any LogHandler =
                isJournal ? SystemJournalHandler() : StreamLogHandler.standardError(label: label)
            return EscapingLogHandler(lines, level)
        }
    }

    /// The first signal asks for an orderly end, the second one for the end: every confirmed change
    /// is stored at any time.
    private static func listen(
        to signals: SignalSequence, _ logger: Logger, _ end: () -> Void
    ) async {
        var count = 0
        for await signal in signals {
            count += 1
            if count == 1 {
                end()
                continue
            }
            logger.warning("versiond stops at once; all confirmed changes are stored")
            Glibc._exit(128 + signal)
        }
    }
}

/// The options of the command line.
struct ServeOptions: ParsableArguments, Sendable {
    @Option(name: .shortAndLong, help: "A JSON file with settings; see Config/versiond.json.")
    var config: String?

    @Option(help: Setting.help("host"))
    var host: String?

    @Option(name: .shortAndLong, help: Setting.help("port"))
    var port: Int?

    @Option(name: .shortAndLong, help: Setting.help("directory"))
    var directory: String?

    @Option(help: Setting.help("journal"))
    var journal: String?

    @Option(help: Setting.help("loops"))
    var loops: Int?

    @Option(help: Setting.help("logLevel"))
    var logLevel: String?

    @Option(help: Setting.help("logFormat"))
    var logFormat: String?

    @Option(help: Setting.help("tokens"))
    var tokens: String?

    @Option(help: Setting.help("socket"))
    var socket: String?

    @Flag(help: Setting.help("openAccess"))
    var openAccess = false

    @Flag(help: "Start even if confirmed changes are missing.")
    var acceptDataLoss = false

    @Flag(
        help: """
            Declare that the data is older: the directory or the database was restored from a \
            snapshot or to an earlier time. For one start; see \
            Documentation/Operations/Backup.md.
            """)
    var restored = false
}
