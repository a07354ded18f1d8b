import Glibc
import HTTPServing
import Logging
import SQLiteJournaling
import Threading
import VersiondAPI

/// What the daemon counts, and the requests that it logs.
final class Measurements: RequestObserver {
    let board = MetricsBoard(Measurements.descriptions)
    fileprivate let logger: Logger
    private let proxies: TrustedProxies
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private let requests = Lock<[RequestKey: RequestMeter]>([:])
    private let counters = Lock<[CounterKey: Number]>([:])
    /// Tags that were warned of, by document and version.
    private let holdingTags = Lock<Set<String>>([])
    private static let holdingTagsMax = 1_000

    private struct RequestKey: Hashable {
        let method: String
        let route: String
        let status: Int
    }

    /// What is kept of the requests of a kind. Those of one method and route share the durations,
    /// whatever their status: that would be as many buckets for each.
    private struct RequestMeter {
        let durations: Histogram
        let counter: Number
    }

    private struct CounterKey: Hashable {
        let name: String
        let value: String
    }

    /// Names, kinds and meanings. Names follow Prometheus, and OpenTelemetry for HTTP.
    private static let descriptions = [
        ("versiond_build_info", "gauge", "Versions, as labels; always 1."),
        (
            "http_server_request_duration_seconds", "histogram",
            "From the end of a request to its response."
        ),
        ("http_server_requests_total", "counter", "Responses, by status."),
        ("http_server_active_requests", "gauge", "Requests under way, streams included."),
        ("versiond_connections_open", "gauge", "Connections."),
        ("versiond_streams_active", "gauge", "Clients that follow a feed."),
        ("versiond_request_body_bytes", "gauge", "Bodies of requests that are held in memory."),
        (
            "versiond_problems_total", "counter",
            "Requests that were refused, by the problem's code."
        ),
        ("versiond_events_total", "counter", "Changes that were made, by kind."),
        ("versiond_idempotent_replays_total", "counter", "Answers that were given again."),
        ("versiond_commit_duration_seconds", "histogram", "One commit, its fsync included."),
        (
            "versiond_sync_duration_seconds", "histogram",
            "Writing a commit to the log, until the disk confirmed it."
        ),
        (
            "versiond_checkpoint_duration_seconds", "histogram",
            "Moving the write-ahead log into the database."
        ),
        ("versiond_commit_batch_events", "histogram", "Changes that rode in one commit."),
        ("versiond_commit_errors_total", "counter", "Commits that failed, by error."),
        ("versiond_commit_queue_depth", "gauge", "Changes that wait for a commit."),
        (
            "versiond_quota_used", "gauge",
            "What is stored under a prefix, of what its quota measures."
        ), ("versiond_quota_limit", "gauge", "What may be stored under a prefix."),
        ("versiond_documents_open", "gauge", "Documents in memory."),
        ("versiond_documents_stored", "gauge", "Documents there are or were."),
        ("versiond_journal_bytes", "gauge", "The size of the database."),
        (
            "versiond_feed_lag_changes", "gauge",
            "Changes that the follower furthest behind has not received."
        ),
        ("versiond_wal_bytes", "gauge", "The size of the write-ahead log."),
        ("versiond_disk_free_bytes", "gauge", "Room where everything is stored."),
        (
            "versiond_last_backup_timestamp_seconds", "gauge",
            "When the last `versiond backup` of the directory was done, since 1970; 0 for never."
        ),
        (
            "versiond_next_token_expiry_timestamp_seconds", "gauge",
            "When the next token is worth nothing any more, since 1970; 0 for never."
        ),
        (
            "versiond_certificate_expiry_timestamp_seconds", "gauge",
            "When the certificate ends, since 1970; 0 without one."
        ),
        ("versiond_database_up", "gauge", "Whether the database can be reached; else 0."),
        (
            "versiond_database_listening", "gauge",
            "Whether the database says when others have written; else it is asked."
        ),
        (
            "versiond_database_clock_lead_seconds", "gauge",
            "How far this machine's clock is ahead of the database's."
        ),
        (
            "versiond_database_reconnects_total", "counter",
            "How often the connection to the database was lost, or could not be made."
        ),
        (
            "versiond_tail_lag_changes", "gauge",
            "Changes in the database that are not yet published here."
        ),
        ("process_resident_memory_bytes", "gauge", "Memory in use."),
        ("process_cpu_seconds_total", "counter", "Processor time used."),
        ("process_open_fds", "gauge", "Open descriptors."),
        ("process_max_fds", "gauge", "The limit on open descriptors."),
        ("process_start_time_seconds", "gauge", "When the process began, since 1970."),
    ].map { (name: $0.0, kind: $0.1, help: $0.2) }

    init(logger: Logger, proxies: TrustedProxies) {
        self.logger = logger
        self.proxies = proxies
        start = clock.now
    }

    func now() -> Duration { clock.now - start }

    /// How long the disk takes, for the journal to say.
    var ofDisk: some JournalObserver { DiskMeasurements(self) }

    func responded(_ record: RequestRecord) {
        let key = RequestKey(method: record.method, route: record.route, status: record.status)
        let meter = requests.withLock { requests in
            if let known = requests[key] { return known }
            let meter = makeMeter(key)
            requests[key] = meter
            return meter
        }
        meter.counter.increment()
        meter.durations.record(record.duration)
        if let code = record.problem { count("versiond_problems_total", "code", code) }
        log(record)
    }

    private func makeMeter(_ key: RequestKey) -> RequestMeter {
        let labels = [("http_request_method", key.method), ("http_route", key.route)]
        return RequestMeter(
            durations: board.histogram("http_server_request_duration_seconds", labels),
            counter: board.number(
                "http_server_requests_total",
                labels + [("http_response_status_code", String(key.status))]))
    }

    func refused(_ code: String) {
        count("versiond_problems_total", "code", code)
    }

    func changed(_ kind: String, isRepeated: Bool) {
        if isRepeated {
            count("versiond_idempotent_replays_total", "kind", kind)
        } else {
            count("versiond_events_total", "kind", kind)
        }
    }

    /// Once for each tag: the bounds are applied again and again.
    func kept(_ version: Int, of document: String, by tag: String) {
        let isNew = holdingTags.withLock { known in
            if known.count >= Measurements.holdingTagsMax { known = [] }
            return known.insert("\(document)/\(version)").inserted
        }
        guard isNew else { return }
        logger.warning(
            "a tag keeps versions that retention would forget",
            metadata: ["document": "\(document)", "tag": "\(tag)", "version": "\(version)"])
    }

    func count(_ name: String, _ label: String, _ value: String) {
        let key = CounterKey(name: name, value: value)
        let counter = counters.withLock { counters in
            if let known = counters[key] { return known }
            let counter = board.number(name, [(label, value)])
            counters[key] = counter
            return counter
        }
        counter.increment()
    }

    /// Faults of ours aloud, refused clients as a notice, everything else for those who debug.
    private func log(_ record: RequestRecord) {
        let level: Logger.Level =
            switch record.status {
            case 500...: .error
            case 401, 403, 429: .notice
            default: .debug
            }
        guard level >= logger.logLevel else { return }
        var metadata: Logger.Metadata = [
            "method": "\(record.method)", "route": "\(record.route)",
            "status": .stringConvertible(record.status), "request_id": "\(record.requestID)",
            "duration_ms": .stringConvertible(
                (record.duration / .microseconds(1)).rounded() / 1_000),
        ]
        if let peer = record.client {
            metadata["client"] = "\(proxies.client(peer: peer, forwarded: record.forwarded))"
        }
        if let document = record.document { metadata["document"] = "\(document)" }
        if !record.actor.isEmpty { metadata["actor"] = "\(record.actor)" }
        if let problem = record.problem { metadata["problem"] = "\(problem)" }
        if let trace = record.trace {
            metadata["trace_id"] = "\(trace.traceID)"
            metadata["span_id"] = "\(trace.spanID)"
        }
        logger.log(level: level, "request", metadata: metadata)
    }
}

/// How long the disk takes.
private struct DiskMeasurements: JournalObserver {
    private let measurements: Measurements
    private let syncs, checkpoints: Histogram

    init(_ measurements: Measurements) {
        self.measurements = measurements
        syncs = measurements.board.histogram("versiond_sync_duration_seconds")
        checkpoints = measurements.board.histogram("versiond_checkpoint_duration_seconds")
    }

    func now() -> Duration { measurements.now() }

    func synced(in time: Duration) {
        syncs.record(time)
    }

    func checkpointed(in time: Duration) {
        checkpoints.record(time)
    }

    func checkpointFailed(_ reason: String) {
        measurements.logger.warning(
            "the log of the journal grows, since it cannot be moved: \(reason)")
    }
}
