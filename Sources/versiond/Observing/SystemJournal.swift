import Glibc
import Logging

/// The journal of systemd, which takes the level of a line from its first letters (sd-daemon(3)).
enum SystemJournal {
    /// Whether standard error leads there.
    static func isStandardError(_ environment: [String: String]) -> Bool {
        var status = stat()
        guard let name = environment["JOURNAL_STREAM"], unsafe fstat(STDERR_FILENO, &status) == 0
        else { return false }
        return name == "\(status.st_dev):\(status.st_ino)"
    }

    /// The prefix of a line of a level.
    static func prefix(_ level: Logger.Level) -> String {
        switch level {
        case .critical: "<2>"
        case .error: "<3>"
        case .warning: "<4>"
        case .notice: "<5>"
        case .info: "<6>"
        case .debug, .trace: "<7>"
        }
    }
}

/// Writes lines for the journal of systemd, which knows their time: level, message, metadata.
struct SystemJournalHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 })
        let words = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        let line = SystemJournal.prefix(event.level) + "\(event.message)" + words + "\n"
        // One write for one line, so that lines of two threads do not mix.
        let bytes = Array(line.utf8)
        _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
    }
}
