import Documents
import Foundation
import Glibc
import HTTPServing
import Journaling

/// Numbers that are read at each scrape.
struct Samples: Sendable {
    let measurements: Measurements
    let store: DocumentStore
    let storage: Storage
    let expiryWatch: ExpiryWatch
    private let start = Date().timeIntervalSince1970

    /// Everything that is counted and looked up, as text.
    func text(_ server: Serving?) -> String {
        set("http_server_active_requests", Double(server?.activeCount ?? 0))
        set("versiond_connections_open", Double(server?.connectionCount ?? 0))
        set("versiond_streams_active", Double(server?.streamCount ?? 0))
        set("versiond_request_body_bytes", Double(server?.bodyBytesHeld ?? 0))
        set("versiond_commit_queue_depth", Double(store.queueDepth))
        set("versiond_documents_open", Double(store.loadedCount))
        set("versiond_feed_lag_changes", Double(store.feedLag))
        stored()
        expiries()
        quotas()
        process()
        measurements.board.number(
            "versiond_build_info",
            [
                ("version", Versiond.version), ("commit", Commit.text),
                ("libmicrohttpd", HTTPServer.libraryVersion),
            ] + (reporting?.libraries ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        ).set(1)
        return measurements.board.text
    }

    private func set(_ name: String, _ value: Double) {
        measurements.board.number(name).set(value)
    }

    private func stored() {
        for (name, value) in reporting?.figures ?? [:] { set("versiond_" + name, value) }
        if let path = storage.directory?.path {
            set("versiond_last_backup_timestamp_seconds", DataDirectory.lastBackup(in: path))
        }
        if storage.journal is any SharedJournal {
            set("versiond_tail_lag_changes", Double(store.tailLag))
        }
    }

    private func expiries() {
        let expiries = expiryWatch.expiries
        set(
            "versiond_next_token_expiry_timestamp_seconds",
            expiries.nextToken(after: Date())?.timeIntervalSince1970 ?? 0)
        set(
            "versiond_certificate_expiry_timestamp_seconds",
            expiries.certificate?.timeIntervalSince1970 ?? 0)
    }

    private func quotas() {
        for (rule, account) in store.quotaAccounts {
            let (quota, total, today) = (rule.quota, account.total, account.today)
            set(rule.prefix, "documents", total.documents, quota.documents)
            set(rule.prefix, "bytes", total.bytes, quota.bytes)
            set(rule.prefix, "changes_per_day", today.changes, quota.changesPerDay)
            set(rule.prefix, "documents_per_day", today.documents, quota.documentsPerDay)
            set(rule.prefix, "bytes_per_day", today.bytes, quota.bytesPerDay)
        }
    }

    private func set(_ prefix: String, _ measure: String, _ used: Int, _ max: Int?) {
        guard let max else { return }
        for (name, value) in [("used", used), ("limit", max)] {
            measurements.board.number(
                "versiond_quota_\(name)", [("prefix", prefix), ("measure", measure)]
            ).set(Double(value))
        }
    }

    private var reporting: (any FigureReporting)? { storage.journal as? any FigureReporting }

    private func process() {
        var usage = rusage()
        _ = unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        set("process_cpu_seconds_total", seconds(usage.ru_utime) + seconds(usage.ru_stime))
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
            .split(separator: " ").dropFirst().first.flatMap { Double($0) }
        set("process_resident_memory_bytes", (pages ?? 0) * Double(sysconf(Int32(_SC_PAGESIZE))))
        let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        set("process_open_fds", Double(open?.count ?? 0))
        set("process_max_fds", Double(Descriptors.limit))
        set("process_start_time_seconds", start)
    }
}
