import Glibc
import HTTPServing
import Logging
import SQLiteJournaling
import Threading
import VersiondAPI

/// The metrics of the daemon, and its log of requests.
final class Measurements: RequestObserver {
    let board = MetricsBoard(Metric.all)
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
