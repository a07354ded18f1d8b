import Documents
import HTTPServing
import Journaling
import Threading

// A backup as a download.

extension DocumentsAPI {
    /// `GET /v1/export`: everything that was committed by now, as `versiond export` prints it.
    func export(_ call: Call) throws(Problem) {
        call.stream(MediaType.lines, from: ExportStream(store, upTo: store.lastSequence))
    }
}

/// Reads page after page, each when the client can take it: so a slow one fills no memory.
private struct ExportStream: HTTPStreamSource {
    private struct State {
        var position = 0
        var count = 0
        var page: [UInt8] = []
        var isReading = false
        /// Nothing comes after `page`.
        var isOver = false

        mutating func finish(with line: String) {
            page = Array((line + "\n").utf8)
            (isReading, isOver) = (false, true)
        }
    }

    private let store: DocumentStore
    private let last: Int
    private let state = Lock(State())

    init(_ store: DocumentStore, upTo last: Int) {
        self.store = store
        self.last = last
    }

    /// Reading a page may take long on a busy disk; then an empty line says that the daemon lives.
    var quietMax: Duration { .seconds(15) }

    func next(isQuiet: Bool, wake: @escaping @Sendable () -> Void) -> HTTPStreamPart {
        let (part, position) = state.withLock { state -> (HTTPStreamPart, Int?) in
            if !state.page.isEmpty {
                defer { state.page = [] }
                return (.bytes(state.page), nil)
            }
            if state.isOver { return (.end, nil) }
            if state.isReading { return (isQuiet ? .bytes([0x0a]) : .nothing, nil) }
            state.isReading = true
            return (.nothing, state.position)
        }
        if let position { read(after: position, wake) }
        return part
    }

    private func read(after position: Int, _ wake: @escaping @Sendable () -> Void) {
        let (state, last) = (state, last)
        guard position < last else {
            state.withLock { $0.finish(with: Transfer.end(changes: $0.count)) }
            return wake()
        }
        store.export(after: position, upTo: last) { result in
            state.withLock { state in
                state.isReading = false
                switch result {
                case .success(let page):
                    state.page = page.bytes
                    state.count += page.count
                    state.position = page.end
                case .failure(let error):
                    // A line that no import takes.
                    let text = Problem(error).json.dropLast()
                    state.finish(with: String(decoding: text, as: UTF8.self))
                }
            }
            wake()
        }
    }

    func end() {}
}
