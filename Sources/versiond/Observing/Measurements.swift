import Glibc
import HTTPServing
import Logging
import SQLiteJournaling
import Threading
import VersiondAPI

/// The metrics of the daemon, and its log of requests.
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

    /// The metrics of one kind of request. Those of one method and route share the durations,
    /// whatever their status: otherwise each status would need its own buckets.
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
        ("versiond_build_info", "gauge", "The version in the labels; always 1."),
        (
            "http_server_request_duration_seconds", "histogram",
            "Time from the end of a request to its response."
        ),
        ("http_server_requests_total", "counter", "Responses by status."),
        ("http_server_active_requests", "gauge", "Requests in progress, including streams."),
        ("versiond_connections_open", "gauge", "Connections."),
        ("versiond_streams_active", "gauge", "Open streams of feeds."),
        ("versiond_request_body_bytes", "gauge", "Memory of request bodies in progress."),
        (
            "versiond_problems_total", "counter",
            "Refused requests by the code of the problem."
        ),
        ("versiond_events_total", "counter", "Changes by kind."),
        (
            "versiond_idempotent_replays_total", "counter",
            "Responses that were repeated for an idempotency key."
        ),
        ("versiond_commit_duration_seconds", "histogram", "Time of a commit, including fsync."),
        (
            "versiond_sync_duration_seconds", "histogram",
            "Time to write a commit to the log, until the disk confirms it."
        ),
        (
            "versiond_checkpoint_duration_seconds", "histogram",
            "Time to move the write-ahead log into the database."
        ),
        ("versiond_commit_batch_events", "histogram", "Changes per commit."),
        ("versiond_commit_errors_total", "counter", "Failed commits by error."),
        ("versiond_commit_queue_depth", "gauge", "Changes in the commit queue."),
        (
            "versiond_quota_used", "gauge",
            "Usage of a quota by prefix and measure."
        ), ("versiond_quota_limit", "gauge", "Limit of a quota by prefix and measure."),
        ("versiond_documents_open", "gauge", "Documents in memory."),
        ("versiond_documents_stored", "gauge", "Documents in the journal, including deleted ones."),
        ("versiond_journal_bytes", "gauge", "The size of the database."),
        (
            "versiond_feed_lag_changes", "gauge",
            "Changes that the slowest follower has not received."
        ),
        ("versiond_wal_bytes", "gauge", "The size of the write-ahead log."),
        ("versiond_disk_free_bytes", "gauge", "Free space on the disk of the journal."),
        (
            "versiond_last_backup_timestamp_seconds", "gauge",
            "Unix time of the last `versiond backup` of the directory; 0 for never."
        ),
        (
            "versiond_next_token_expiry_timestamp_seconds", "gauge",
            "Unix time of the next expiry of a token; 0 for none."
        ),
        (
            "versiond_certificate_expiry_timestamp_seconds", "gauge",
            "Unix time of the expiry of the certificate; 0 without one."
        ),
        ("versiond_database_up", "gauge", "1 if the database is reachable, else 0."),
        (
            "versiond_database_listening", "gauge",
            "1 if the database sends notifications; 0 if the daemon polls it."
        ),
        (
            "versiond_database_clock_lead_seconds", "gauge",
            "Difference of the clock of this machine to that of the database."
        ),
        (
            "versiond_database_reconnects_total", "counter",
            "Lost and failed connections to the database."
        ),
        (
            "versiond_tail_lag_changes", "gauge",
            "Changes in the database that this daemon has not published."
        ),
        ("process_resident_memory_bytes", "gauge", "Memory in use."),
        ("process_cpu_seconds_total", "counter", "Processor time used."),
        ("process_open_fds", "gauge", "Open descriptors."),
        ("process_max_fds", "gauge", "The limit on open descriptors."),
        ("process_start_time_seconds", "gauge", "Unix time of the start of the process."),
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
            "a tag protects versions from retention",
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

    /// Faults of the daemon are errors, refused requests notices, all others debug messages.
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
            "cannot move the write-ahead log into the database: \(reason)")
    }
}
