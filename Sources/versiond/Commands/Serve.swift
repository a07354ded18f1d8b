import ArgumentParser
import FoundationEssentials
import Glibc
import Logging

/// `versiond serve`: runs the daemon until SIGTERM or SIGINT.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve documents over HTTP (the default).",
        discussion: """
            Every option can also stand in the configuration file, or in the environment as \
            VERSIOND_ and its name: VERSIOND_PORT, VERSIOND_BODY_BYTES_MAX. Options win over the \
            environment, the environment over the file.
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
            logger.warning("versiond ends at once; every confirmed change is stored")
            Glibc._exit(128 + signal)
        }
    }
}

/// What can be said on the command line.
struct ServeOptions: ParsableArguments, Sendable {
    @Option(name: .shortAndLong, help: "A JSON file with settings; see Config/versiond.json.")
    var config: String?

    @Option(help: "The address to listen on (default 127.0.0.1).")
    var host: String?

    @Option(
        name: .shortAndLong, help: "The port to listen on; 0 lets the kernel choose (default 8080)."
    )
    var port: Int?

    @Option(name: .shortAndLong, help: "Where to store everything (default ./versiond-data).")
    var directory: String?

    @Option(
        help: """
            The database to store in instead, by its URL: postgresql://host/database. Many daemons \
            may share it.
            """)
    var journal: String?

    @Option(
        help: "Event loops, each on a thread of its own (default: one less than there are cores).")
    var loops: Int?

    @Option(help: "How much to log: trace, debug, info, notice, warning or error (default info).")
    var logLevel: String?

    @Option(help: "How to log: text or json (default text).")
    var logFormat: String?

    @Option(help: "The file that says who may do what; see `versiond token`.")
    var tokens: String?

    @Option(help: "A local socket to listen on, too.")
    var socket: String?

    @Flag(help: "Let everybody do everything, even from other machines.")
    var openAccess = false

    @Flag(help: "Start although changes that were once confirmed are missing.")
    var acceptDataLoss = false

    @Flag(
        help: """
            Say that what is stored went back: the directory or the database is of a snapshot, or \
            was recovered to an earlier time. For one start; see \
            Documentation/Operations/Backup.md.
            """)
    var restored = false
}
