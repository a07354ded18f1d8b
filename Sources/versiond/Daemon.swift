import AccessControl
import Documents
import FoundationEssentials
import Glibc
import HTTPServing
import Journaling
import Logging
import Presence
import Synchronization
import Threading
import VersiondAPI

/// Puts the rooms together, and takes them apart in the right order. The only place with real
/// clocks.
struct Daemon {
    let settings: Settings
    let options: ServeOptions
    let logger: Logger
    let logLevel: LogLevel
    private let storage: Storage
    let store: DocumentStore
    private let presence: PresenceHub
    private let presenceLink: PresenceLink?
    private let scheduler: DeadlineScheduler<ContinuousClock>
    let access: AccessControl
    private let measurements: Measurements
    private let isDraining: DrainFlag
    /// A thread that is there from the start: later there may be none to be had.
    private let upkeep = WorkQueue(name: "upkeep", threads: 1)
    private let packing: Packing?
    private let roomWatch: RoomWatch?
    private let quotaWatch: QuotaWatch?
    let expiryWatch: ExpiryWatch
    let supervisor = Supervisor(ProcessInfo.processInfo.environment)
    /// Ends when nothing can be stored any more.
    private let journalFailure: AsyncStream<Never>

    init(
        _ settings: Settings, _ options: ServeOptions, logger: Logger, logLevel: LogLevel
    ) throws {
        // Neither a reload that is asked for too early nor a client that leaves may end the daemon.
        signal(SIGHUP, SIG_IGN)
        signal(SIGPIPE, SIG_IGN)
        // A write beyond `ulimit -f` fails like one on a full disk.
        signal(SIGXFSZ, SIG_IGN)
        MemoryLimit.tuneAllocator(threads: settings.loops + 1)
        self.settings = settings
        self.options = options
        self.logger = logger
        self.logLevel = logLevel
        // Tokens expire on a date: it is the system's.
        if settings.makesToken { try TokenFile.makeFirst(settings.tokens, logger) }
        let tokens = try Daemon.tokens(settings, logger)
        access = AccessControl(try Daemon.accessList(tokens)) { Timestamp.ofSystem.milliseconds }
        expiryWatch = ExpiryWatch(logger)
        expiryWatch.watch(try Daemon.expiries(settings, tokens))
        let measurements = Measurements(
            logger: logger, proxies: TrustedProxies(ranges: settings.trustedProxies))
        self.measurements = measurements
        storage = try Storage.open(
            settings, acceptingLoss: options.acceptDataLoss, observer: measurements.ofDisk)
        for notice in storage.notices { logger.warning("\(notice)") }
        // Clients may know changes that are not there any more.
        if options.restored || options.acceptDataLoss { try Daemon.cut(storage.journal, logger) }
        packing = Daemon.packing(settings, storage, logger, upkeep)
        roomWatch = (storage.journal as? any RoomWatching).map { [upkeep] in
            RoomWatch(journal: $0, logger: logger, thread: upkeep)
        }
        if let fault = storage.journal.fault {
            let isShared = storage.journal.shared != nil
            let words =
                isShared ? "/readyz returns 503" : "reads work, and changes are refused"
            logger.error("\(words): \(fault)")
        }
        let clock = SteadyClock.ofSystem(
            logger, sharing: storage.journal as? any TimeKeeping)
        let now: @Sendable () -> Timestamp = { clock.now() }
        let presence = PresenceHub { now().milliseconds }
        self.presence = presence
        presenceLink = (storage.journal as? any PresenceSharing).map {
            PresenceLink(hub: presence, store: $0, logger: logger)
        }
        let scheduler = DeadlineScheduler(clock: ContinuousClock(), now: now)
        self.scheduler = scheduler
        let (failure, failed) = AsyncStream.makeStream(of: Never.self)
        journalFailure = failure
        store = DocumentStore(
            journal: MeasuredJournal(storage.journal, measurements, logger) { failed.finish() },
            options: .init(
                limits: settings.limits.json, loadedMax: settings.loadedDocumentsMax,
                loadedBytesMax: settings.loadedBytesMax,
                workBytesMax: MemoryLimit.share(5, most: 1 << 30),
                requestBytesMax: MemoryLimit.share(3, most: 1 << 30),
                undoBytesMax: MemoryLimit.share(10, most: 512 << 20),
                feedBytesMax: MemoryLimit.share(12, most: 256 << 20)),
            now: now, schedule: { scheduler.schedule($0, at: $1) })
        store.rules = try RulesFile.rules(settings.rules)
        quotaWatch = (storage.journal as? any UsageReporting).map { [store, upkeep] in
            QuotaWatch(store: store, journal: $0, logger: logger, thread: upkeep)
        }
        isDraining = DrainFlag()
    }

    private static func cut(_ journal: any Journal, _ logger: Logger) throws {
        let cut = try journal.cut()
        logger.notice(
            """
            the history was cut after \(cut.position) changes; later changes have the mark \
            \(cut.mark)
            """)
    }

    /// Quotas by prefix count what is stored already.
    func recountQuotas() async { await quotaWatch?.recount() }

    /// Runs until `asked` ends: then what is under way ends first.
    func run(until asked: AsyncStream<Never>) async throws {
        // Before the message that the daemon listens: a reload may follow that message at once.
        let hangUps = await SignalSequence(trapping: SIGHUP)
        await recountQuotas()
        let serving = try start(connectionsMax: try connectionsMax())
        let server = serving.server
        let scheme = settings.tlsKey.isEmpty ? "http" : "https"
        logger.info(
            """
            versiond \(Versiond.fullVersion) listens on \
            \(scheme)://\(settings.host):\(server.port) and stores in \(storage.description)
            """
        )
        supervisor?.notify(.ready)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [supervisor] in
                // A thread that holds the lock of an event loop forever is not alive.
                await supervisor?.watch { serving.activeCount >= 0 }
            }
            group.addTask { [scheduler, store] in
                await scheduler.run { store.checkDeadlines($0) }
            }
            group.addTask { await reload(serving, on: hangUps) }
            group.addTask { [presence] in await presence.run(on: ContinuousClock()) }
            if let presenceLink { group.addTask { await presenceLink.run() } }
            if let packing { group.addTask { await packing.run() } }
            if let quotaWatch { group.addTask { await quotaWatch.run() } }
            if let roomWatch { group.addTask { await roomWatch.run() } }
            group.addTask { [expiryWatch] in await expiryWatch.run() }
            await end(asked)
            group.cancelAll()
        }
        await drain(serving)
        logger.info("versiond has stopped; all confirmed changes are stored")
        // A supervisor must see that it was no clean end.
        if let failure = store.failure { throw CannotRun.system("the journal failed: \(failure)") }
    }

    /// Waits for a signal to stop, or for a fault that ends the daemon.
    private func end(_ asked: AsyncStream<Never>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in asked {} }
            if settings.exitOnJournalFailure {
                group.addTask { [journalFailure] in for await _ in journalFailure {} }
            }
            await group.next()
            group.cancelAll()
        }
    }

    private static func packing(
        _ settings: Settings, _ storage: Storage, _ logger: Logger, _ thread: WorkQueue
    ) -> Packing? {
        guard settings.packing else { return nil }
        return (storage.journal as? any Packable).map {
            Packing(journal: $0, logger: logger, thread: thread)
        }
    }

    /// The access control. Without a file all clients have all rights.
    static func accessList(_ tokens: TokenFile?) throws -> AccessList {
        do {
            return try tokens?.accessList(owner: getuid()) ?? .open
        } catch {
            throw CannotRun.configuration(CannotRun.reason(error))
        }
    }

    /// The file of tokens; `nil` if none is wanted.
    static func tokens(_ settings: Settings, _ logger: Logger) throws -> TokenFile? {
        if settings.tokens.isEmpty { return nil }
        do {
            let tokens = try TokenFile(settings.tokens)
            for (path, others) in [(settings.tokens, 0o077)] + tokens.keyPaths {
                var status = stat()
                guard unsafe stat(path, &status) == 0, status.st_mode & others != 0 else {
                    continue
                }
                logger.warning("other users can read or change \(path); run chmod 600")
            }
            for name in tokens.unknownIssuers {
                logger.warning("revoked tokens name the unknown issuer \(name)")
            }
            return tokens
        } catch {
            // A new start would not help.
            throw CannotRun.configuration(CannotRun.reason(error))
        }
    }

    private func start(connectionsMax: Int) throws -> Serving {
        let samples = Samples(
            measurements: measurements, store: store, storage: storage, expiryWatch: expiryWatch)
        // The metrics include the server, which exists only after the API.
        let running = Lock<Serving?>(nil)
        let metrics: @Sendable () -> String = { samples.text(running.withLock { $0 }) }
        let serving = try Serving(
            try Daemon.traits(settings),
            listeners: Activation.listeners(ProcessInfo.processInfo.environment)
        ) { traits, listeners in
            try HTTPServer(
                serverOptions(connectionsMax, traits, listeners), handler: api(traits, metrics))
        }
        running.withLock { $0 = serving }
        return serving
    }

    private func api(
        _ traits: Serving.Traits, _ metrics: @escaping @Sendable () -> String
    ) -> DocumentsAPI {
        DocumentsAPI(
            store: store, presence: presence, access: access, limits: settings.limits,
            hosts: settings.acceptedHosts, origins: traits.origins,
            identity: .init(
                version: Versiond.version, documentation: settings.documentation),
            observer: measurements, metrics: metrics,
            isDraining: { [isDraining] in isDraining.isUp })
    }

    private func serverOptions(
        _ connectionsMax: Int, _ traits: Serving.Traits, _ listeners: HTTPServer.Listeners?
    ) -> HTTPServer.Options {
        let clock = ContinuousClock()
        let start = clock.now
        return .init(
            host: settings.host, port: settings.port,
            localSocket: settings.socket.isEmpty
                ? nil : .init(path: settings.socket, mode: settings.socketMode),
            listeners: listeners, encryption: traits.encryption, loops: settings.loops,
            connectionsMax: connectionsMax,
            connectionsPerAddressMax: settings.connectionsPerAddressMax,
            streamsMax: settings.streamsMax,
            // A body that is allowed finds room in each loop.
            bytesMax: max(
                MemoryLimit.share(8, most: 256 << 20),
                2 * settings.limits.bodyBytesMax * (settings.loops + 1)),
            idleSecondsMax: settings.idleSeconds,
            now: { clock.now - start })
    }

    /// No new connections; what is under way gets its response; then everything is committed and
    /// closed.
    private func drain(_ server: Serving) async {
        supervisor?.notify(.stopping)
        isDraining.raise()
        let clock = ContinuousClock()
        // A load balancer must see it before the port closes.
        if settings.drainDelaySeconds > 0 {
            logger.notice("/readyz returns 503; the port closes in \(settings.drainDelaySeconds) s")
            try? await clock.sleep(for: .seconds(settings.drainDelaySeconds))
        }
        server.drain()
        let time = Duration.seconds(settings.drainSeconds)
        let end = clock.now + time
        // The last fifth is reserved for closing the store, which must complete.
        while server.activeCount > 0 && clock.now < end - time / 5 {
            try? await clock.sleep(for: .milliseconds(10))
        }
        // An erasure of a large document may take longer, and has then not happened.
        let deadline = Task { [store, logger] in
            try await clock.sleep(until: end)
            logger.warning("versiond stops at once; all confirmed changes are stored")
            Glibc._exit(store.failure == nil ? 0 : 74)
        }
        // First the store: what it has taken in is committed and answered; only the rest is
        // refused.
        await upkeep.run { [store] in
            store.close()
            server.stop()
        }
        deadline.cancel()
    }

    /// Connections must leave descriptors for everything else. Returns how many there may be.
    private func connectionsMax() throws -> Int {
        let reserve = Descriptors.reserve(loops: settings.loops)
        let limit = Descriptors.raiseLimit(to: settings.connectionsMax + reserve)
        let room = limit - reserve
        guard room >= Descriptors.connectionsMin else {
            throw CannotRun.system(
                "the limit of \(limit) descriptors is too low: versiond needs \(reserve), and one "
                    + "for each connection; raise the limit (ulimit -n, LimitNOFILE)")
        }
        if room < settings.connectionsMax {
            logger.warning(
                """
                connectionsMax is reduced from \(settings.connectionsMax) to \(room): the limit is \
                \(limit) descriptors (ulimit -n, LimitNOFILE)
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
