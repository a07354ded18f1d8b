// The table of metrics.

/// A metric: its name, type, labels and meaning. Names follow Prometheus, and OpenTelemetry for
/// HTTP.
struct Metric: Sendable {
    enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    let name: String
    let kind: Kind
    let labels: [String]
    let meaning: String

    private init(_ name: String, _ kind: Kind, by labels: [String] = [], _ meaning: String) {
        self.name = name
        self.kind = kind
        self.labels = labels
        self.meaning = meaning
    }

    /// The unit, by which the name ends.
    var unit: String {
        let words = name.split(separator: "_")
        return ["seconds", "bytes"].first { words.suffix(2).contains(Substring($0)) } ?? ""
    }

    /// All metrics, in the order of the output.
    static let all = [
        Metric(
            "versiond_build_info", .gauge,
            by: ["version", "commit", "libmicrohttpd", "sqlite", "libpq", "server"],
            "The version in the labels; always 1."),
        Metric(
            "http_server_request_duration_seconds", .histogram,
            by: ["http_request_method", "http_route"],
            "Time from the end of a request to its response."
        ),
        Metric(
            "http_server_requests_total", .counter,
            by: ["http_request_method", "http_route", "http_response_status_code"],
            "Responses by status."),
        Metric("http_server_active_requests", .gauge, "Requests in progress, including streams."),
        Metric("versiond_connections_open", .gauge, "Connections."),
        Metric("versiond_streams_active", .gauge, "Open streams of feeds."),
        Metric("versiond_request_body_bytes", .gauge, "Memory of request bodies in progress."),
        Metric(
            "versiond_problems_total", .counter, by: ["code"],
            "Refused requests by the code of the problem."),
        Metric("versiond_events_total", .counter, by: ["kind"], "Changes by kind."),
        Metric(
            "versiond_idempotent_replays_total", .counter, by: ["kind"],
            "Responses that were repeated for an idempotency key."),
        Metric(
            "versiond_commit_duration_seconds", .histogram, "Time of a commit, including fsync."),
        Metric(
            "versiond_sync_duration_seconds", .histogram,
            "Time to write a commit to the log, until the disk confirms it."),
        Metric(
            "versiond_checkpoint_duration_seconds", .histogram,
            "Time to move the write-ahead log into the database."),
        Metric("versiond_commit_batch_events", .histogram, "Changes per commit."),
        Metric("versiond_commit_errors_total", .counter, by: ["error"], "Failed commits by error."),
        Metric("versiond_commit_queue_depth", .gauge, "Changes in the commit queue."),
        Metric(
            "versiond_quota_used", .gauge, by: ["prefix", "measure"],
            "Usage of a quota by prefix and measure."),
        Metric(
            "versiond_quota_limit", .gauge, by: ["prefix", "measure"],
            "Limit of a quota by prefix and measure."),
        Metric("versiond_documents_open", .gauge, "Documents in memory."),
        Metric(
            "versiond_documents_stored", .gauge, "Documents in the journal, including deleted ones."
        ),
        Metric("versiond_journal_bytes", .gauge, "The size of the database."),
        Metric(
            "versiond_feed_lag_changes", .gauge,
            "Changes that the slowest follower has not received."),
        Metric("versiond_wal_bytes", .gauge, "The size of the write-ahead log."),
        Metric("versiond_disk_free_bytes", .gauge, "Free space on the disk of the journal."),
        Metric(
            "versiond_last_backup_timestamp_seconds", .gauge,
            "Unix time of the last `versiond backup` of the directory; 0 for never."),
        Metric(
            "versiond_next_token_expiry_timestamp_seconds", .gauge,
            "Unix time of the next expiry of a token; 0 for none."),
        Metric(
            "versiond_certificate_expiry_timestamp_seconds", .gauge,
            "Unix time of the expiry of the certificate; 0 without one."),
        Metric("versiond_database_up", .gauge, "1 if the database is reachable, else 0."),
        Metric(
            "versiond_database_listening", .gauge,
            "1 if the database sends notifications; 0 if the daemon polls it."),
        Metric(
            "versiond_database_clock_lead_seconds", .gauge,
            "Difference of the clock of this machine to that of the database."),
        Metric(
            "versiond_database_reconnects_total", .counter,
            "Lost and failed connections to the database."),
        Metric(
            "versiond_tail_lag_changes", .gauge,
            "Changes in the database that this daemon has not published."),
        Metric("process_resident_memory_bytes", .gauge, "Memory in use."),
        Metric("process_cpu_seconds_total", .counter, "Processor time used."),
        Metric("process_open_fds", .gauge, "Open descriptors."),
        Metric("process_max_fds", .gauge, "The limit on open descriptors."),
        Metric("process_start_time_seconds", .gauge, "Unix time of the start of the process."),
    ]
}
