import AccessControl
import Documents
import FoundationEssentials
import Glibc
import HTTPServing
import Journaling
import Logging
import SQLiteJournaling
import ServiceLifecycle
import Synchronization
import Threading
import UnixSignals
import VersiondAPI

/// Puts the rooms together, and takes them apart in the right order. The only place with real
/// clocks.
struct Daemon: Service {
    private let settings: Settings
    private let logger: Logger
    private let directory: DataDirectory
    private let store: DocumentStore
    private let scheduler: DeadlineScheduler<ContinuousClock>
    private let access: AccessControl
    private let measurements: Measurements
    private let isDraining: DrainFlag
    private let packing: Packing
    private let supervisor = Supervisor(ProcessInfo.processInfo.environment)
    /// Ends when nothing can be stored any more.
    private let journalFailure: AsyncStream<Never>

    init(_ settings: Settings, acceptingLoss: Bool, logger: Logger) throws {
        // Neither a reload that is asked for too early nor a client that leaves may end the daemon.
        signal(SIGHUP, SIG_IGN)
        signal(SIGPIPE, SIG_IGN)
        // A write beyond `ulimit -f` fails like one on a full disk.
        signal(SIGXFSZ, SIG_IGN)
        MemoryLimit.tuneAllocator(threads: settings.loops + 1)
        self.settings = settings
        self.logger = logger
        directory = try DataDirectory(settings.directory, mayCreate: true)
        let clock = SteadyClock.ofSystem(logger)
        let now: @Sendable () -> Timestamp = { clock.now() }
        // Tokens expire on a date: it is the system's.
        access = AccessControl(try Daemon.accessList(settings, logger)) {
            Int(Date().timeIntervalSince1970 * 1_000)
        }
        let scheduler = DeadlineScheduler(clock: ContinuousClock(), now: now)
        self.scheduler = scheduler
        let measurements = Measurements(logger: logger)
        self.measurements = measurements
        let journal = try Daemon.journal(in: directory, acceptingLoss, logger)
        packing = Packing(journal: journal, logger: logger)
        let (failure, failed) = AsyncStream.makeStream(of: Never.self)
        journalFailure = failure
        store = DocumentStore(
            journal: MeasuredJournal(journal, measurements, logger) { failed.finish() },
            options: .init(
                limits: settings.limits.json, loadedMax: settings.loadedDocumentsMax,
                loadedBytesMax: settings.loadedBytesMax,
                workBytesMax: MemoryLimit.share(5, most: 1 << 30)),
            now: now, schedule: { scheduler.schedule($0, at: $1) })
        isDraining = DrainFlag()
    }

    func run() async throws {
        let server = try start(connectionsMax: try connectionsMax())
        let scheme = settings.tlsKey.isEmpty ? "http" : "https"
        logger.info(
            """
            versiond \(Versiond.version) listens on \(scheme)://\(settings.host):\(server.port) \
            and stores in \(directory.path)
            """
        )
        supervisor?.tell(.ready)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [supervisor] in
                // Whoever holds the lock of an event loop for ever is not alive.
                await supervisor?.watch { server.activeCount >= 0 }
            }
            group.addTask { [scheduler, store] in
                await scheduler.run { store.checkDeadlines($0) }
            }
            group.addTask { await reloadOnHangUp() }
            if settings.packing { group.addTask { [packing] in await packing.run() } }
            await end()
            group.cancelAll()
        }
        await drain(server)
        logger.info("versiond has stopped; every confirmed change is stored")
        // A supervisor must see that it was no clean end.
        if let failure = store.failure { throw CannotRun.system("the journal failed: \(failure)") }
    }

    /// Waits until somebody asks for the end, or there is a reason for it.
    private func end() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await gracefulShutdown() }
            if settings.exitOnJournalFailure {
                group.addTask { [journalFailure] in for await _ in journalFailure {} }
            }
            await group.next()
            group.cancelAll()
        }
    }

    private static func journal(
        in directory: DataDirectory, _ isAcceptingLoss: Bool, _ logger: Logger
    ) throws -> SQLiteJournal {
        guard isAcceptingLoss else { return try directory.openJournal() }
        let (journal, copy) = try directory.openJournalAcceptingLoss()
        logger.warning("the journal is used as it is; its files as they were are in \(copy)")
        return journal
    }

    /// Who may do what: everybody everything, if there is no file.
    private static func accessList(
        _ settings: Settings, _ logger: Logger
    ) throws -> AccessList {
        if settings.tokens.isEmpty { return .open }
        var status = stat()
        if unsafe stat(settings.tokens, &status) == 0, status.st_mode & 0o077 != 0 {
            logger.warning("others may read or change \(settings.tokens): chmod 600 prevents that")
        }
        return try TokenFile(settings.tokens).accessList(owner: getuid())
    }

    /// SIGHUP: the tokens are read anew. A file that cannot be read changes nothing.
    private func reloadOnHangUp() async {
        for await _ in await UnixSignalsSequence(trapping: .sighup) {
            do {
                let list = try Daemon.accessList(settings, logger)
                access.replace(with: list)
                logger.info("tokens are read anew", metadata: ["count": "\(list.count)"])
            } catch {
                logger.error("the tokens stay as they were: \(error)")
            }
        }
    }

    private static func encryption(_ settings: Settings) throws -> HTTPServer.Encryption? {
        if settings.tlsKey.isEmpty { return nil }
        return .init(
            key: try String(contentsOfFile: settings.tlsKey, encoding: .utf8),
            certificate: try String(contentsOfFile: settings.tlsCertificate, encoding: .utf8))
    }

    private func start(connectionsMax: Int) throws -> HTTPServer {
        let clock = ContinuousClock()
        let start = clock.now
        let samples = Samples(
            measurements: measurements, store: store, directory: directory.path)
        // The server counts, too, and is there only after the API.
        let running = Lock<HTTPServer?>(nil)
        let api = DocumentsAPI(
            store: store, access: access, limits: settings.limits,
            hosts: settings.acceptedHosts, origins: settings.origins,
            identity: .init(
                version: Versiond.version,
                libraries: [
                    "libmicrohttpd": HTTPServer.libraryVersion,
                    "sqlite": SQLiteJournal.libraryVersion,
                ]),
            observer: measurements,
            metrics: { samples.text(running.withLock { $0 }) },
            isDraining: { [isDraining] in isDraining.isUp })
        let server = try HTTPServer(
            .init(
                host: settings.host, port: settings.port,
                localSocket: settings.socket.isEmpty
                    ? nil : .init(path: settings.socket, mode: settings.socketMode),
                encryption: try Daemon.encryption(settings), loops: settings.loops,
                connectionsMax: connectionsMax,
                connectionsPerAddressMax: settings.connectionsPerAddressMax,
                streamsMax: settings.streamsMax,
                // A body that is allowed finds room in each loop.
                bytesMax: max(
                    MemoryLimit.share(8, most: 256 << 20),
                    2 * settings.limits.bodyBytesMax * (settings.loops + 1)),
                idleSecondsMax: settings.idleSeconds,
                now: { clock.now - start }),
            handler: api)
        running.withLock { $0 = server }
        return server
    }

    /// No new connections; what is under way gets its response; then everything is committed and
    /// closed.
    private func drain(_ server: HTTPServer) async {
        supervisor?.tell(.stopping)
        isDraining.raise()
        server.drain()
        let clock = ContinuousClock()
        let end = clock.now + .seconds(settings.drainSeconds)
        while server.activeCount > 0 && clock.now < end {
            try? await clock.sleep(for: .milliseconds(10))
        }
        // First the store: what it has taken in is committed and answered; only the rest is
        // refused.
        store.close()
        server.stop()
    }

    /// Connections must leave descriptors for everything else. Returns how many there may be.
    private func connectionsMax() throws -> Int {
        let reserve = Descriptors.reserve(loops: settings.loops)
        let limit = Descriptors.raiseLimit(to: settings.connectionsMax + reserve)
        let room = limit - reserve
        guard room >= Descriptors.connectionsMin else {
            throw CannotRun.system(
                "\(limit) descriptors are too few: versiond needs \(reserve) of its own, and one "
                    + "for each connection; raise the limit (ulimit -n, LimitNOFILE)")
        }
        if room < settings.connectionsMax {
            logger.warning(
                """
                connectionsMax is \(room), not \(settings.connectionsMax): the process may open \
                \(limit) descriptors only (ulimit -n, LimitNOFILE)
                """)
        }
        return min(room, settings.connectionsMax)
    }
}

/// Up from the moment the daemon begins to stop.
private final class DrainFlag: Sendable {
    private let flag = Atomic(false)

    var isUp: Bool { flag.load(ordering: .relaxed) }

    func raise() {
        flag.store(true, ordering: .relaxed)
    }
}
