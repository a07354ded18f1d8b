import CMicroHTTPD
import Glibc
import Synchronization
import Threading

/// One thread that serves connections: a libmicrohttpd daemon without threads of its own, and an
/// event descriptor on which other threads hand in replies.
///
/// Every call to libmicrohttpd happens on this thread. Its own epoll loop is not used: it stalls
/// when exactly 128 connections are ready.
// @unchecked: the mailbox is locked; everything else belongs to the loop's thread once it runs.
@safe final class EventLoop: @unchecked Sendable {
    struct Settings: Sendable {
        var connectionsMax: Int
        /// 0: as many as there may be.
        var connectionsPerAddressMax: Int
        var idleSecondsMax: Int
        var endless: EndlessReplies
        var bytesMax: Int
        var encryption: HTTPServer.Encryption?
        var timeouts: ClientConnection.Timeouts
        var now: @Sendable () -> Duration
    }

    /// Bounds the head of a request; beyond it libmicrohttpd replies 414 or 431 itself. It clears
    /// all of it after each request, so more costs time.
    private static let connectionBytesMax = 16 << 10
    private static let eventsMax = 4
    private struct Mailbox {
        var replies: [(Exchange, Exchange.Reply)] = []
        var woken: [HTTPStream] = []
        var isDraining = false
        var isStopping = false
    }

    let handler: any HTTPHandler
    let settings: Settings
    private let mailbox = Lock(Mailbox())
    private let listening: Int32
    private let wakeUp: Int32
    private let poll: Int32
    private var daemon: OpaquePointer?
    private var thread: WorkerThread?
    private var clients: [ObjectIdentifier: ClientConnection] = [:]
    private var waiting: [ObjectIdentifier: Exchange] = [:]
    private var streams: [ObjectIdentifier: HTTPStream] = [:]
    /// Streams that have something to send, the next one first.
    private var woken = FIFO<HTTPStream>()
    private var lastLook: Duration = .zero
    private var isQuiesced = false
    private let active = Atomic(0)
    private let longWaits = Atomic(0)
    private let bodyBytes = Atomic(0)
    private let connections = Atomic(0)
    private var sendingBytes = 0
    /// Whether requests are still handed to the handler. Once not, nothing is suspended any more.
    private(set) var isRefusing = false

    init(
        listening: Int32, handler: any HTTPHandler, settings: Settings
    ) throws(HTTPServerError) {
        self.listening = listening
        self.handler = handler
        self.settings = settings
        wakeUp = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        guard wakeUp >= 0, poll >= 0 else { throw .cannotStart("there are no descriptors left") }
        unsafe daemon = versiond_start(
            listening, UInt32(settings.connectionsMax),
            UInt32(settings.connectionsPerAddressMax), UInt32(settings.idleSecondsMax),
            EventLoop.connectionBytesMax, Callbacks.handle, Callbacks.complete, Callbacks.notify,
            Callbacks.logTarget, Callbacks.unescape, settings.encryption?.key,
            settings.encryption?.certificate, context)
        guard let daemon = unsafe daemon else {
            throw .cannotStart(
                settings.encryption == nil
                    ? "libmicrohttpd did not start"
                    : "libmicrohttpd did not start; the key or the certificate may be wrong")
        }
        watch(unsafe versiond_epoll_descriptor(daemon))
        watch(wakeUp)
    }

    deinit {
        close(wakeUp)
        close(poll)
    }

    private func watch(_ descriptor: Int32) {
        var event = unsafe epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: descriptor))
        unsafe epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event)
    }

    func duplicateListener() throws(HTTPServerError) -> Int32 {
        try ListeningSocket(descriptor: listening, port: 0).duplicate().descriptor
    }

    func start(index: Int) {
        thread = WorkerThread(name: "http-\(index)") { self.run() }
    }

    func now() -> Duration { settings.now() }

    /// Runs `body` while no response can come in.
    func withReplies<Result>(_ body: () -> Result) -> Result {
        mailbox.withLock { _ in body() }
    }

    /// Hands in the response to a suspended exchange. From any thread.
    func complete(_ exchange: Exchange, with reply: Exchange.Reply) {
        let isFirst = mailbox.withLock { mailbox in
            mailbox.replies.append((exchange, reply))
            return mailbox.replies.count == 1
        }
        if isFirst { ring() }
    }

    /// Has a stream ask its source again. From any thread.
    func wake(_ stream: HTTPStream) {
        let isFirst = mailbox.withLock { mailbox in
            if stream.isWoken { return false }
            stream.isWoken = true
            mailbox.woken.append(stream)
            return mailbox.woken.count == 1
        }
        if isFirst { ring() }
    }

    private func ring() {
        var one: UInt64 = 1
        _ = unsafe write(wakeUp, &one, 8)
    }

    /// Accepts no more connections, and closes those there are after their next response.
    func drain() {
        mailbox.withLock { $0.isDraining = true }
        ring()
    }

    /// Answers what still waits, closes all connections, and ends the thread.
    func stop() {
        mailbox.withLock { $0.isStopping = true }
        ring()
        thread?.join()
        thread = nil
    }

    /// How many requests are under way, from their head to the last byte of their response.
    var activeCount: Int { active.load(ordering: .relaxed) }

    /// Bytes of bodies that have come and are held.
    var bodyBytesHeld: Int { bodyBytes.load(ordering: .relaxed) }

    func began() { active.add(1, ordering: .relaxed) }

    func ended(bodyBytes: Int) {
        active.subtract(1, ordering: .relaxed)
        release(bodyBytes)
    }

    /// Makes room for a part of a body. Returns `false` if all bodies together take too much.
    func hold(_ bytes: Int) -> Bool {
        bodyBytes.add(bytes, ordering: .relaxed).newValue <= settings.bytesMax
    }

    /// Bytes of a body were let go before the request is over.
    func release(_ bytes: Int) {
        bodyBytes.subtract(bytes, ordering: .relaxed)
    }

    func suspended(_ exchange: Exchange) {
        waiting[ObjectIdentifier(exchange)] = exchange
    }

    var endless: EndlessReplies { settings.endless }

    func waitsLong(_ change: Int) {
        longWaits.add(change, ordering: .relaxed)
        endless.countLongWait(change)
    }

    var hasRoomForStream: Bool { endless.streamCount < endless.max && !isQuiesced }

    func ended(_ stream: HTTPStream) {
        if streams.removeValue(forKey: ObjectIdentifier(stream)) != nil { endless.countStream(-1) }
    }
}

// MARK: The loop

extension EventLoop {
    private func run() {
        guard let daemon = unsafe daemon else { return }
        var events = unsafe [epoll_event](repeating: epoll_event(), count: EventLoop.eventsMax)
        while true {
            var timeout: UInt64 = 0
            let isLimited = unsafe MHD_get_timeout(daemon, &timeout) == .YES
            let isBusy = !woken.isEmpty
            let wait = isBusy ? 0 : isLimited ? Int32(min(timeout, 1_000)) : 1_000
            _ = unsafe epoll_wait(poll, &events, Int32(EventLoop.eventsMax), wait)
            let (replies, isDraining, isStopping) = takeMail()
            if isDraining && !isQuiesced { unsafe quiesce(daemon) }
            for (exchange, reply) in replies { resume(exchange, reply) }
            resumeSomeStreams()
            isRefusing = isStopping
            if isStopping && waiting.isEmpty && !streams.values.contains(where: \.isWaiting) {
                break
            }
            if isStopping { refuseWaiting() }
            unsafe MHD_run(daemon)
            lookAround()
        }
        if !isQuiesced { unsafe quiesce(daemon) }
        // Lets replies that were just given reach the wire.
        unsafe MHD_run(daemon)
        unsafe MHD_stop_daemon(daemon)
    }

    /// Streams that are resumed in a turn when many have news: few while other requests are under
    /// way, which need two or three turns each; otherwise more, since libmicrohttpd looks at all
    /// that are suspended in each turn.
    private static let streamsResumedMax = (beside: 32, alone: 128)

    private func resumeSomeStreams() {
        let others = activeCount - streams.count - longWaits.load(ordering: .relaxed)
        let most =
            others > 0 ? EventLoop.streamsResumedMax.beside : EventLoop.streamsResumedMax.alone
        for _ in 0..<most {
            guard let stream = woken.popFirst() else { return }
            stream.resume()
        }
    }

    private func takeMail() -> (
        replies: [(Exchange, Exchange.Reply)], isDraining: Bool, isStopping: Bool
    ) {
        var count: UInt64 = 0
        _ = unsafe read(wakeUp, &count, 8)
        return mailbox.withLock { mailbox in
            if !mailbox.woken.isEmpty {
                for stream in mailbox.woken {
                    stream.isWoken = false
                    woken.append(stream)
                }
                mailbox.woken.removeAll(keepingCapacity: true)
            }
            var replies: [(Exchange, Exchange.Reply)] = []
            swap(&replies, &mailbox.replies)
            return (replies, mailbox.isDraining, mailbox.isStopping)
        }
    }

    private func resume(_ exchange: Exchange, _ reply: Exchange.Reply) {
        waiting[ObjectIdentifier(exchange)] = nil
        exchange.resume(with: reply)
    }

    private func quiesce(_ daemon: OpaquePointer) {
        isQuiesced = true
        unsafe MHD_quiesce_daemon(daemon)
        close(listening)
        // Endless replies end here; their clients come back, elsewhere or later.
        for stream in streams.values { stream.finish() }
        for exchange in waiting.values { exchange.remindIfDue(at: now(), isOver: true) }
    }

    /// libmicrohttpd aborts the process if it is stopped with a connection suspended.
    private func refuseWaiting() {
        for exchange in waiting.values { exchange.send(handler.refuse(.stopping)) }
        for stream in streams.values { stream.finish() }
    }

    /// Once a second: cuts clients that are late, reminds those who wait, and breaks silences.
    private func lookAround() {
        let now = now()
        guard now - lastLook >= .seconds(1) else { return }
        lastLook = now
        for client in clients.values { client.cutIfLate(at: now) }
        for exchange in waiting.values { exchange.remindIfDue(at: now, isOver: isQuiesced) }
        for stream in streams.values { stream.resumeIfQuiet(at: now) }
    }

    func opened(_ client: ClientConnection) {
        clients[ObjectIdentifier(client)] = client
        connections.store(clients.count, ordering: .relaxed)
    }

    func closed(_ client: ClientConnection) {
        clients[ObjectIdentifier(client)] = nil
        connections.store(clients.count, ordering: .relaxed)
    }

    /// How many connections are open.
    var connectionCount: Int { connections.load(ordering: .relaxed) }

    /// Whether a large response may be sent now. One alone always may.
    func mayStartSending(_ bytes: Int) -> Bool {
        sendingBytes == 0 || sendingBytes + bytes <= settings.bytesMax
    }

    /// A large response is over, one way or another.
    func sent(_ bytes: Int) {
        sendingBytes -= bytes
    }

    /// Gives a large response to libmicrohttpd.
    func queue(
        _ head: HTTPResponse, _ body: LargeBody, on connection: OpaquePointer
    ) -> MHD_Result {
        let box = unsafe Unmanaged.passRetained(body).toOpaque()
        let made = unsafe MHD_create_response_from_callback(
            UInt64(body.count), LargeBody.partBytes, Callbacks.readLarge, box, Callbacks.freeLarge)
        guard let made = unsafe made else {
            unsafe Unmanaged<LargeBody>.fromOpaque(box).release()
            return .NO
        }
        sendingBytes += body.count
        return unsafe queue(made, like: head, on: connection)
    }

    /// Gives a response to libmicrohttpd.
    func queue(_ response: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
        let made = unsafe response.body.withUnsafeBytes { bytes in
            // Copied, so that C never holds memory of ours.
            unsafe MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                .RESPMEM_MUST_COPY)
        }
        guard let made = unsafe made else { return .NO }
        return unsafe queue(made, like: response, on: connection)
    }

    /// Gives an endless response to libmicrohttpd.
    func queue(
        _ head: HTTPResponse, _ stream: HTTPStream, on connection: OpaquePointer
    ) -> MHD_Result {
        let box = unsafe Unmanaged.passRetained(stream).toOpaque()
        let made = unsafe MHD_create_response_from_callback(
            versiond_unknown_size, EventLoop.streamBytesMax, Callbacks.read, box, Callbacks.free)
        guard let made = unsafe made else {
            unsafe Unmanaged<HTTPStream>.fromOpaque(box).release()
            return .NO
        }
        streams[ObjectIdentifier(stream)] = stream
        endless.countStream(1)
        return unsafe queue(made, like: head, on: connection)
    }

    /// What is read from a stream at once; each stream holds as much.
    private static let streamBytesMax = 4 << 10

    private func queue(
        _ made: OpaquePointer, like response: HTTPResponse, on connection: OpaquePointer
    ) -> MHD_Result {
        defer { unsafe MHD_destroy_response(made) }
        for (name, value) in response.fields {
            // Not passed as they are: short strings would be copied to the heap.
            _ = unsafe name.withCString { name in
                unsafe value.withCString { value in
                    unsafe MHD_add_response_header(made, name, value)
                }
            }
        }
        if isQuiesced { unsafe MHD_add_response_header(made, "Connection", "close") }
        return unsafe MHD_queue_response(connection, UInt32(response.status), made)
    }
}
