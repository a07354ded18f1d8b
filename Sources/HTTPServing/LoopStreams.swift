import Threading

/// The endless responses of an event loop, and which of them have a turn next.
///
/// Thousands of streams may be ready at once. Each turn of the loop resumes a few of them, so that
/// other requests are not delayed.
struct LoopStreams {
    /// The limit on streams resumed in a turn: few while other requests are under way, which need
    /// two or three turns each; otherwise more, since libmicrohttpd scans all suspended connections
    /// in each turn.
    private static let resumedMax = (beside: 32, alone: 128)
    /// Streams that are asked in a turn whether they were silent for too long, and of those, how
    /// many may say something.
    private static let silencesMax = (looked: 256, broken: 32)

    /// By the descriptors of their connections.
    private var all: [Int32: HTTPStream] = [:]
    /// Streams that are to run again, the next one first.
    private var resuming = FIFO<HTTPStream>()
    /// Streams that may have been silent for too long, the next one first.
    private var quiet = FIFO<HTTPStream>()

    var count: Int { all.count }

    /// Whether some have something to do in the next turn.
    var hasTurns: Bool { !resuming.isEmpty || !quiet.isEmpty }

    var hasSuspended: Bool { all.values.contains(where: \.isSuspended) }

    /// The stream of a connection.
    subscript(descriptor: Int32) -> HTTPStream? { all[descriptor] }

    mutating func insert(_ stream: HTTPStream) {
        all[stream.descriptor] = stream
    }

    /// Returns whether it was there.
    mutating func remove(_ stream: HTTPStream) -> Bool {
        guard all[stream.descriptor] === stream else { return false }
        all[stream.descriptor] = nil
        return true
    }

    /// These are to run again, after those before them.
    mutating func resumeLater(_ streams: [HTTPStream]) {
        for stream in streams { resuming.append(stream) }
    }

    mutating func resumeSome(besideOthers: Bool) {
        let most =
            besideOthers ? LoopStreams.resumedMax.beside : LoopStreams.resumedMax.alone
        for _ in 0..<most {
            guard let stream = resuming.popFirst() else { return }
            stream.resume()
        }
    }

    /// Begins to look which have been silent for too long, if that is not still going on.
    mutating func lookForSilences() {
        guard quiet.isEmpty else { return }
        for stream in all.values { quiet.append(stream) }
    }

    mutating func breakSomeSilences(at now: Duration) {
        var broken = 0
        for _ in 0..<LoopStreams.silencesMax.looked {
            guard broken < LoopStreams.silencesMax.broken, let stream = quiet.popFirst() else {
                return
            }
            if stream.sendIfQuiet(at: now) { broken += 1 }
        }
    }

    func finish() {
        for stream in all.values { stream.finish() }
    }
}
