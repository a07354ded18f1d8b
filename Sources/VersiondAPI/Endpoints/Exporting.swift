import Documents
import HTTPServing

// A backup as a download.

extension DocumentsAPI {
    /// `GET /v1/export`: everything that was committed by now, as `versiond export` prints it.
    func export(_ call: Call) throws(Problem) {
        call.stream(MediaType.lines, from: ExportStream(store.export()))
    }
}

/// An export as a stream of lines.
private final class ExportStream: HTTPStreamSource {
    private let reader: ExportReader

    init(_ reader: ExportReader) {
        self.reader = reader
    }

    /// Reading a page may take long on a busy disk; then an empty line says that the daemon lives.
    var quietMax: Duration { .seconds(15) }

    func next(isQuiet: Bool, wake: @escaping @Sendable () -> Void) -> HTTPStreamPart {
        switch reader.next(wake) {
        case .lines(let bytes): .bytes(bytes)
        case .nothing: isQuiet ? .bytes([0x0a]) : .nothing
        case .end: .end
        // A line that no import takes.
        case .failed(let error): .bytes(Problem(error).json.dropLast() + [0x0a])
        }
    }

    func end() {
        reader.cancel()
    }
}
