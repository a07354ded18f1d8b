import CMicroHTTPD
import Glibc
import Synchronization

/// One stream: asks its source for more whenever the client can take it, and suspends the
/// connection while there is nothing to send.
///
/// While the connection is suspended, libmicrohttpd has nothing in flight, and resuming one makes
/// it scan all suspended connections. So the thread that wakes the stream sends the new data
/// directly: thousands of followers then do not occupy the event loop.
// @unchecked: everything that changes is touched by the stream's holder only, of whom there is one
// at a time (`state`), but for `isSuspended`, which belongs to the loop's thread.
@safe final class HTTPStream: @unchecked Sendable {
    /// The holder of the stream, and whether there may be data that the holder has not read.
    private enum State {
        /// libmicrohttpd, on the loop's thread; or the loop, which will have it run.
        static let running = 0
        static let runningWithNews = 1
        /// No holder until the source has data. The connection is suspended.
        static let waiting = 2
        /// A thread that sends what the source has. The connection is suspended.
        static let sending = 3
        static let sendingWithNews = 4
    }

    private let source: any HTTPStreamSource
    private let connection: OpaquePointer
    private let client: ClientConnection
    // Strong: a source may wake the stream after the server has ended.
    private let loop: EventLoop
    /// Whether libmicrohttpd sends what it reads here as chunks, in the clear.
    private let isChunked: Bool
    private let state = Atomic(State.running)
    private let isFinished = Atomic(false)
    private var pending: [UInt8] = []
    private var sent = 0
    private var lastPart: Duration
    /// Has this stream asked again. Made once, since it is handed out for each part; it keeps the
    /// stream until the response is over.
    private var wake: Wake?

    /// Not the bare closure: Swift would wrap an optional closure again at each access.
    private struct Wake {
        let call: @Sendable () -> Void
    }

    /// Whether the connection is suspended. On the loop's thread.
    private(set) var isSuspended = false
    /// Whether the client has closed its side, and nothing was sent since. On the loop's thread.
    private var isClientInDoubt = false

    init(
        _ source: any HTTPStreamSource, _ connection: OpaquePointer, _ client: ClientConnection,
        _ loop: EventLoop, isChunked: Bool
    ) {
        self.isChunked = isChunked
        self.source = source
        unsafe self.connection = connection
        self.client = client
        self.loop = loop
        lastPart = loop.now()
    }

    /// The descriptor of its connection.
    var descriptor: Int32 { client.descriptor }

    /// The client has closed its side: it has gone, or it has sent all that it had to send and
    /// still reads. Only sending shows which: the system of a client that has gone reports an
    /// error. On the loop's thread.
    func doubtClient(at now: Duration) {
        isClientInDoubt = true
        _ = sendIfQuiet(at: now)
    }

    /// No client reads the stream any more: the response ends. On the loop's thread.
    func loseClient() {
        client.cut()
        finish()
    }

    /// No more is asked of the source; the response ends.
    func finish() {
        isFinished.store(true, ordering: .sequentiallyConsistent)
        notice()
    }

    /// The response is over, one way or another.
    func ended() {
        loop.goesOn()
        wake = nil
        // The source may still hold the closure that wakes the stream.
        pending = []
        source.end()
    }

    /// Runs again after it was suspended. On the loop's thread, which has been handed the stream.
    func resume() {
        isSuspended = false
        loop.goesOn()
        unsafe MHD_resume_connection(connection)
    }

    /// There may be news: sends them, or leaves that to the holder. From any thread.
    private func notice() {
        while true {
            // In one order with `isFinished`: who finishes sets that first and then looks here, who
            // sends does it the other way round.
            let now = state.load(ordering: .sequentiallyConsistent)
            let next: Int
            switch now {
            case State.running: next = State.runningWithNews
            case State.waiting: next = State.sending
            case State.sending: next = State.sendingWithNews
            default: return
            }
            guard change(now, to: next) else { continue }
            if next == State.sending { send() }
            return
        }
    }

    private func change(_ old: Int, to new: Int) -> Bool {
        state.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing)
            .exchanged
    }

    /// Sends the available data, as the holder of a suspended connection, and gives up the stream.
    /// The stream continues to wait if the client has taken everything; otherwise libmicrohttpd
    /// continues.
    private func send() {
        while isChunked && !isFinished.load(ordering: .sequentiallyConsistent) && sendAll() {
            if change(State.sending, to: State.waiting) { return }
            // The source has new data meanwhile.
            state.store(State.sending, ordering: .sequentiallyConsistent)
        }
        // It asks the source in any case, so no news are lost.
        state.store(State.running, ordering: .releasing)
        loop.run(self)
    }

    /// Sends all available parts. Returns whether all were sent; libmicrohttpd sends the pending
    /// rest.
    private func sendAll() -> Bool {
        while true {
            switch next() {
            case .bytes(let bytes):
                if bytes.count <= HTTPStream.partMax && client.sendChunk(bytes) { continue }
                pending = bytes
                sent = 0
                return false
            case .end: return false
            case .nothing: return true
            }
        }
    }

    /// Larger parts may not fit into the kernel's buffer at once.
    private static let partMax = Int(versiond_chunk_bytes_max)

    /// Breaks a silence that has lasted too long, or at once where the client is in doubt. Returns
    /// whether something was sent.
    func sendIfQuiet(at now: Duration) -> Bool {
        guard isSuspended, change(State.waiting, to: State.sending) else { return false }
        if isClientInDoubt {
            isClientInDoubt = false
            lastPart = now - source.quietMax
        }
        let isQuiet = now - lastPart >= source.quietMax
        if !isQuiet && change(State.sending, to: State.waiting) { return false }
        send()
        return true
    }

    /// The source's next part, without empty ones: behind an empty part there may be more.
    private func next() -> HTTPStreamPart {
        let now = loop.now()
        let wake = wake ?? Wake { self.notice() }
        self.wake = wake
        while true {
            let part = source.next(isQuiet: now - lastPart >= source.quietMax, wake: wake.call)
            switch part {
            case .bytes(let bytes) where bytes.isEmpty: continue
            case .bytes: lastPart = now
            case .end: isFinished.store(true, ordering: .sequentiallyConsistent)
            case .nothing: break
            }
            return part
        }
    }

    /// Fills libmicrohttpd's buffer; suspends the connection if there is nothing to say.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if sent == pending.count {
            (pending, sent) = ([], 0)
            state.store(State.running, ordering: .sequentiallyConsistent)
            guard !isFinished.load(ordering: .sequentiallyConsistent) else {
                return versiond_end_of_stream
            }
            switch next() {
            case .bytes(let bytes): pending = bytes
            case .end: return versiond_end_of_stream
            case .nothing:
                suspend()
                return 0
            }
        }
        let count = min(buffer.count, pending.count - sent)
        unsafe pending[sent..<(sent + count)].withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
        sent += count
        client.sending(count, at: loop.now())
        loop.goesOn()
        return count
    }

    private func suspend() {
        client.handling()
        isSuspended = true
        unsafe MHD_suspend_connection(connection)
        if change(State.running, to: State.waiting) { return }
        // New data arrived before any thread could send it.
        state.store(State.sending, ordering: .sequentiallyConsistent)
        send()
    }
}

extension Callbacks {
    /// libmicrohttpd can send more of a stream.
    static let read: MHD_ContentReaderCallback = { context, _, buffer, size in
        guard let context = unsafe context, let buffer = unsafe buffer else { return 0 }
        let stream = unsafe Unmanaged<HTTPStream>.fromOpaque(context).takeUnretainedValue()
        return unsafe stream.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
    }

    /// libmicrohttpd needs a stream no more.
    static let free: MHD_ContentReaderFreeCallback = { context in
        guard let context = unsafe context else { return }
        let stream = unsafe Unmanaged<HTTPStream>.fromOpaque(context).takeRetainedValue()
        stream.leave()
    }
}

extension HTTPStream {
    /// Leaves the loop.
    func leave() {
        loop.ended(self)
        ended()
    }
}
