import Documents
import HTTPServing
import Synchronization

// A backup as a download.

extension DocumentsAPI {
    /// `GET /v1/export`: everything that was committed by now, as `versiond export` prints it.
    func export(_ call: Call) throws(Problem) {
        call.stream(MediaType.lines, from: ExportStream(store.export(), standing(call)))
    }
}

/// An export as a stream of lines.
private final class ExportStream: HTTPStreamSource {
    private let reader: ExportReader
    private let standing: FollowersStanding
    private let isOver = Atomic(false)

    init(_ reader: ExportReader, _ standing: FollowersStanding) {
        self.reader = reader
        self.standing = standing
    }

    /// Reading a page may take long on a busy disk; then an empty line says that the daemon lives.
    var quietMax: Duration { standing.isInDoubt() ? .zero : .seconds(15) }

    func next(isQuiet: Bool, wake: @escaping @Sendable () -> Void) -> HTTPStreamPart {
        if isOver.load(ordering: .relaxed) { return .end }
        // It was asked because of the doubt, and not after a silence.
        let isQuiet = isQuiet && !standing.isInDoubt()
        if let problem = standing.problem() {
            isOver.store(true, ordering: .relaxed)
            return .bytes(problem.json.dropLast() + [0x0a])
        }
        return part(isQuiet: isQuiet, wake: wake)
    }

    private func part(isQuiet: Bool, wake: @escaping @Sendable () -> Void) -> HTTPStreamPart {
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
