import Foundation
import Logging

/// Writes each message as one line of JSON to standard error: `time`, `level`, `message`, and the
/// metadata as further members.
struct JSONLogHandler: LogHandler {
    private static let timeFormat = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    var metadata: Logger.Metadata = [:]
    private let level: LogLevel
    /// Whether each line begins with its level, for the journal of systemd.
    private let isPrefixed: Bool

    init(_ level: LogLevel, isPrefixed: Bool) {
        self.level = level
        self.isPrefixed = isPrefixed
    }

    var logLevel: Logger.Level {
        get { level.current }
        set { level.current = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var object: [String: Any] = [:]
        for (key, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }) {
            object[key] = JSONLogHandler.plain(value)
        }
        object["time"] = Date().formatted(JSONLogHandler.timeFormat)
        object["level"] = event.level.rawValue
        object["message"] = "\(event.message)"
        guard
            let line = try? JSONSerialization.data(
                withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        else { return }
        // One write for one line, so that lines of two threads do not mix.
        let prefix = isPrefixed ? SystemJournal.prefix(event.level) : ""
        FileHandle.standardError.write(Data(prefix.utf8) + line + Data([0x0a]))
    }

    /// Numbers as numbers, all else as text.
    private static func plain(_ value: Logger.Metadata.Value) -> Any {
        switch value {
        case .stringConvertible(let number as Int): number
        case .stringConvertible(let number as Double) where number.isFinite: number
        case .stringConvertible(let flag as Bool): flag
        default: "\(value)"
        }
    }
}
