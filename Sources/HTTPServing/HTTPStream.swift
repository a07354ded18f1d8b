import CMicroHTTPD
import Glibc

/// One stream: asks its source for more whenever the client can take it, and suspends the
/// connection while there is nothing to send.
// @unchecked: everything is touched on the loop's thread only; `wake` goes through its mailbox.
@safe final class HTTPStream: @unchecked Sendable {
    private let source: any HTTPStreamSource
    private let connection: OpaquePointer
    private let client: ClientConnection
    // Strong: somebody may wake the stream when the server is gone.
    private let loop: EventLoop
    /// Whether libmicrohttpd sends what it reads here as chunks, in the clear.
    private let isChunked: Bool
    private var pending: [UInt8] = []
    private var sent = 0
    private var isFinished = false
    private var lastPart: Duration
    /// Has this stream asked again. Made once, since it is handed out for each part; it keeps the
    /// stream until the response is over.
    private var wake: Wake?

    /// Not the bare closure: as an optional it would be wrapped anew wherever it is taken out.
    private struct Wake {
        let call: @Sendable () -> Void
    }

    /// Whether the connection is suspended.
    private(set) var isWaiting = false
    /// Whether it is in the loop's mailbox already; under the mailbox's lock.
    var isWoken = false

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

    /// No more is asked of the source; the response ends.
    func finish() {
        isFinished = true
        resume()
    }

    /// The response is over, one way or another.
    func ended() {
        loop.goesOn()
        wake = nil
        source.end()
    }

    /// Sends what there is to send, if the connection waits. It goes on waiting if the client has
    /// taken everything; otherwise it runs again.
    func resume() {
        guard isWaiting, isFinished || !isChunked || !sendWhileWaiting() else { return }
        isWaiting = false
        loop.goesOn()
        unsafe MHD_resume_connection(connection)
    }

    /// Sends parts past libmicrohttpd, which has nothing to send while the connection is suspended,
    /// and which looks at all suspended connections when one of them is to run again. Returns
    /// whether that was all; what is pending then, libmicrohttpd sends.
    private func sendWhileWaiting() -> Bool {
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
    private static let partMax = 4 << 10

    /// Breaks a silence that has lasted too long.
    func resumeIfQuiet(at now: Duration) {
        if isWaiting && now - lastPart >= source.quietMax { resume() }
    }

    /// What the source has now, if not an empty part.
    private func next() -> HTTPStreamPart {
        let now = loop.now()
        let wake = wake ?? Wake { self.loop.wake(self) }
        self.wake = wake
        let part = source.next(isQuiet: now - lastPart >= source.quietMax, wake: wake.call)
        switch part {
        case .bytes(let bytes) where bytes.isEmpty: return .nothing
        case .bytes: lastPart = now
        case .end: isFinished = true
        case .nothing: break
        }
        return part
    }

    /// Fills libmicrohttpd's buffer; suspends the connection if there is nothing to say.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if sent == pending.count {
            guard !isFinished else { return versiond_end_of_stream }
            switch next() {
            case .bytes(let bytes):
                pending = bytes
                sent = 0
            case .end: return versiond_end_of_stream
            case .nothing:
                client.handling()
                isWaiting = true
                unsafe MHD_suspend_connection(connection)
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
}

extension Callbacks {
    /// libmicrohttpd can send more of an stream.
    static let read: MHD_ContentReaderCallback = { context, _, buffer, size in
        guard let context = unsafe context, let buffer = unsafe buffer else { return 0 }
        let stream = unsafe Unmanaged<HTTPStream>.fromOpaque(context).takeUnretainedValue()
        return unsafe stream.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
    }

    /// libmicrohttpd needs an stream no more.
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
