import Journaling
import Threading

/// The connections that read, each for one thread at a time.
final class ReaderPool: Sendable {
    private struct State {
        var idle: [SQLiteReader] = []
        var mode = SQLiteConnection.Mode.readOnly
        /// Whether readers wait, since all connections are about to be closed.
        var isPaused = false

        /// Whether a connection is available or can be made: in the mode `alone` there is exactly
        /// one.
        var isReady: Bool { mode != .alone || !idle.isEmpty }
    }

    /// Connections that are kept.
    private static let countMax = 4

    private let path: String
    private let segments: SegmentCache<Int>
    private let state = Lock(State())

    init(_ path: String, _ segments: SegmentCache<Int>) {
        self.path = path
        self.segments = segments
    }

    /// Opens as many as are kept, at once: later there may be no descriptor left.
    func open(_ mode: SQLiteConnection.Mode) throws(SQLiteError) {
        var readers: [SQLiteReader] = []
        for _ in 0..<ReaderPool.countMax {
            readers.append(try SQLiteReader(path: path, mode: mode, segments))
        }
        state.withLock { $0 = State(idle: readers, mode: mode) }
        state.signal()
    }

    /// Reads with one connection, which is the only one to the file.
    func open(alone connection: SQLiteConnection) throws(SQLiteError) {
        let reader = try SQLiteReader(connection, segments)
        state.withLock { $0 = State(idle: [reader], mode: .alone) }
        state.signal()
    }

    /// Closes the only connection; readers wait until others are open.
    func pause() {
        state.withLock(when: \.isReady) { state in
            (state.idle, state.isPaused) = ([], true)
        }
    }

    /// Each opens a connection of its own again.
    func resume() {
        state.withLock { $0 = State() }
        state.signal()
    }

    func close() {
        state.withLock { $0.idle = [] }
    }

    /// Reads with a connection of its own.
    func reading<Result>(
        _ body: (SQLiteReader) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        let (idle, mode) = state.withLock(
            when: { !$0.isPaused && $0.isReady },
            { ($0.idle.popLast(), $0.mode) })
        let reader: SQLiteReader
        if let idle {
            reader = idle
        } else {
            reader = try SQLiteReader(path: path, mode: mode, segments)
        }
        do throws(SQLiteError) {
            let result = try reader.reading(body)
            giveBack(reader)
            return result
        } catch {
            // Others can be made; the only one cannot.
            if mode == .alone { giveBack(reader) }
            throw error
        }
    }

    private func giveBack(_ reader: SQLiteReader) {
        state.withLock { if $0.idle.count < ReaderPool.countMax { $0.idle.append(reader) } }
        state.signal()
    }
}
