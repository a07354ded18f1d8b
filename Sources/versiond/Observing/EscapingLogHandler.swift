import Logging

/// Writes log lines in which data of clients can neither look like another line nor move a
/// terminal's cursor: it escapes all characters that are not plain.
struct EscapingLogHandler: LogHandler {
    private var lines: any LogHandler
    private let level: LogLevel

    init(_ lines: any LogHandler, _ level: LogLevel) {
        self.lines = lines
        self.level = level
    }

    var metadata: Logger.Metadata {
        get { lines.metadata }
        set { lines.metadata = newValue }
    }

    var logLevel: Logger.Level {
        get { level.current }
        set { level.current = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { lines[metadataKey: key] }
        set { lines[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        event.message = "\("\(event.message)".escaped)"
        event.metadata = event.metadata?.mapValues { .string("\($0)".escaped) }
        lines.log(event: event)
    }
}

extension String {
    /// The text for a line that people read, with characters escaped that are not plain.
    var escaped: String {
        guard unicodeScalars.contains(where: \.isEscaped) else { return self }
        return unicodeScalars.map { $0.isEscaped ? $0.escaped(asASCII: true) : String($0) }
            .joined()
    }
}

extension Unicode.Scalar {
    /// Whether it controls a terminal or the direction of text, or ends a line.
    fileprivate var isEscaped: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
