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
    /// Many clients may leave at once: a turn handles as many of them as it may resume streams next
    /// to other requests.
    private static let eventsMax = 32
    private struct Mailbox {
        var replies: [(Exchange, Exchange.Reply)] = []
        var streams: [HTTPStream] = []
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
    private var streams = LoopStreams()
    private var lastLook: Duration = .zero
    private(set) var isQuiesced = false
    private let active = Atomic(0)
    private let longWaits = Atomic(0)
    private let bodyBytes = Atomic(0)
    private let connections = Atomic(0)
    private let suspended = Atomic(0)
    private var sendingBytes = 0
    /// Requests whose head has come, but not all of their body.
    private var receiving = 0
    /// Responses that libmicrohttpd has and has not sent to their end, but for endless ones.
    private var sending = 0
    /// Connections that wait for a response and are not suspended.
    private var unsuspended = 0
    /// Whether libmicrohttpd continues with a connection in the next turn.
    private var hasMore = false
    /// Whether a connection was closed in the last turn.
    private var hasClosed = false
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
        guard wakeUp >= 0, poll >= 0 else { throw .cannotStart("no descriptors left") }
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
        watch(unsafe versiond_epoll_descriptor(daemon), EPOLLIN.rawValue)
        watch(wakeUp, EPOLLIN.rawValue)
    }

    deinit {
        close(wakeUp)
        close(poll)
    }

    private func watch(_ descriptor: Int32, _ events: UInt32) {
        var event = unsafe epoll_event(events: events, data: epoll_data_t(fd: descriptor))
        unsafe epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event)
    }

    /// The client of a stream has closed its side, or the connection has ended. Edge-triggered:
    /// otherwise the loop would never sleep while such a client still reads.
    private static let clientLeaves = EPOLLRDHUP.rawValue | EPOLLET.rawValue
    private static let connectionEnded = EPOLLERR.rawValue | EPOLLHUP.rawValue

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

    /// Resumes a stream's connection; the caller gives up the stream. From any thread.
    func run(_ stream: HTTPStream) {
        let isFirst = mailbox.withLock { mailbox in
            mailbox.streams.append(stream)
            return mailbox.streams.count == 1
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

    func began() {
        active.add(1, ordering: .relaxed)
        receiving += 1
    }

    /// All of a request's body has come, or will never.
    func received() {
        receiving -= 1
    }

    /// libmicrohttpd has a response.
    func beginsResponse() {
        sending += 1
    }

    /// A response is over; what comes behind it on the same connection is read in another turn.
    func endsResponse() {
        sending -= 1
        hasMore = true
    }

    /// libmicrohttpd continues with a stream in the next turn, whatever happens.
    func goesOn() {
        hasMore = true
    }

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

    /// An exchange waits for its response, at first without being suspended.
    func waits(_ exchange: Exchange) {
        waiting[ObjectIdentifier(exchange)] = exchange
        unsuspended += 1
    }

    /// One that waits is suspended.
    func suspends() {
        unsuspended -= 1
        suspended.add(1, ordering: .relaxed)
    }

    func stopsWaiting(_ exchange: Exchange, wasSuspended: Bool) {
        waiting[ObjectIdentifier(exchange)] = nil
        if wasSuspended {
            suspended.subtract(1, ordering: .relaxed)
        } else {
            unsuspended -= 1
        }
    }

    var endless: EndlessReplies { settings.endless }

    func waitsLong(_ change: Int) {
        longWaits.add(change, ordering: .relaxed)
        endless.countLongWait(change)
    }

    var hasRoomForStream: Bool { endless.streamCount < endless.max && !isQuiesced }

    func ended(_ stream: HTTPStream) {
        guard streams.remove(stream) else { return }
        endless.countStream(-1)
        // The connection may continue with another request.
        unsafe epoll_ctl(poll, EPOLL_CTL_DEL, stream.descriptor, nil)
    }
}

// MARK: The loop

extension EventLoop {
    private func run() {
        guard let daemon = unsafe daemon else { return }
        var events = unsafe [epoll_event](repeating: epoll_event(), count: EventLoop.eventsMax)
        while true {
            let sleep = unsafe sleepMax(daemon)
            (hasMore, hasClosed) = (false, false)
            let count = unsafe epoll_wait(poll, &events, Int32(EventLoop.eventsMax), sleep)
            let happened = unsafe events.prefix(Int(max(0, count)))
            // Before libmicrohttpd closes connections, whose descriptors then are others'.
            for event in unsafe happened { unsafe noteLeaving(event) }
            let isRung = unsafe happened.contains { unsafe $0.data.fd == wakeUp }
            if isRung { unsafe takeMail(daemon) }
            streams.resumeSome(besideOthers: hasOthers)
            if isRefusing {
                if waiting.isEmpty && !streams.hasSuspended { break }
                refuseWaiting()
            }
            unsafe MHD_run(daemon)
            let now = now()
            lookAround(at: now)
            streams.breakSomeSilences(at: now)
        }
        if !isQuiesced { unsafe quiesce(daemon) }
        // Lets replies that were just given reach the wire: one turn for the head, one for sending.
        for _ in 0..<EventLoop.lastTurns { unsafe MHD_run(daemon) }
        unsafe MHD_stop_daemon(daemon)
    }

    /// Handles an event of a stream's client, if it has left. libmicrohttpd does not watch
    /// suspended connections.
    private func noteLeaving(_ event: epoll_event) {
        guard let stream = unsafe streams[event.data.fd] else { return }
        if unsafe event.events & EventLoop.connectionEnded != 0 {
            stream.loseClient()
        } else {
            stream.doubtClient(at: now())
        }
    }

    /// How long to sleep, in milliseconds, if nothing happens.
    private func sleepMax(_ daemon: OpaquePointer) -> Int32 {
        guard !streams.hasTurns, !hasClosed else { return 0 }
        var timeout: UInt64 = 0
        guard unsafe MHD_get_timeout(daemon, &timeout) == .YES else { return 1_000 }
        if timeout > 0 || unsuspended == 0 || receiving + sending > 0 || hasMore {
            return Int32(min(timeout, 1_000))
        }
        // libmicrohttpd never sleeps while a connection waits, though it has nothing to do.
        return EventLoop.waitingMillisecondsMax
    }

    private static let lastTurns = 2

    /// The longest delay of a half-read head while connections wait: only libmicrohttpd knows of
    /// such heads.
    private static let waitingMillisecondsMax: Int32 = 4

    /// Whether requests are under way that are not streams and do not wait.
    private var hasOthers: Bool {
        activeCount > streams.count + longWaits.load(ordering: .relaxed)
    }

    private func takeMail(_ daemon: OpaquePointer) {
        var count: UInt64 = 0
        _ = unsafe read(wakeUp, &count, 8)
        var replies: [(Exchange, Exchange.Reply)] = []
        let (isDraining, isStopping) = mailbox.withLock { mailbox in
            streams.resumeLater(mailbox.streams)
            mailbox.streams.removeAll(keepingCapacity: true)
            swap(&replies, &mailbox.replies)
            return (mailbox.isDraining, mailbox.isStopping)
        }
        isRefusing = isStopping
        if isDraining && !isQuiesced { unsafe quiesce(daemon) }
        for (exchange, reply) in replies { exchange.resume(with: reply) }
    }

    private func quiesce(_ daemon: OpaquePointer) {
        isQuiesced = true
        unsafe MHD_quiesce_daemon(daemon)
        close(listening)
        // Endless replies end here; their clients come back, elsewhere or later.
        streams.finish()
        for exchange in waiting.values { exchange.remindIfDue(at: now(), isOver: true) }
    }

    /// libmicrohttpd aborts the process if it is stopped with a connection suspended.
    private func refuseWaiting() {
        for exchange in waiting.values {
            exchange.send(handler.refuse(.stopping, exchange.head.fields))
        }
        streams.finish()
    }

    /// Once a second: cuts late clients, reminds waiting requests, and begins the search for silent
    /// connections.
    private func lookAround(at now: Duration) {
        guard now - lastLook >= .seconds(1) else { return }
        lastLook = now
        for client in clients.values { client.cutIfLate(at: now) }
        for exchange in waiting.values { exchange.remindIfDue(at: now, isOver: isQuiesced) }
        streams.lookForSilences()
    }

    func opened(_ client: ClientConnection) {
        clients[ObjectIdentifier(client)] = client
        connections.store(clients.count, ordering: .relaxed)
    }

    func closed(_ client: ClientConnection) {
        clients[ObjectIdentifier(client)] = nil
        connections.store(clients.count, ordering: .relaxed)
        // Where there were as many as may be, libmicrohttpd listens again only in its next turn.
        hasClosed = true
    }

    /// How many connections are suspended until their response is there.
    var suspendedCount: Int { suspended.load(ordering: .relaxed) }

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

    /// A large response is given to libmicrohttpd.
    func sends(_ bytes: Int) {
        sendingBytes += bytes
    }

    /// An endless response is given to libmicrohttpd.
    func sends(_ stream: HTTPStream) {
        streams.insert(stream)
        watch(stream.descriptor, EventLoop.clientLeaves)
        endless.countStream(1)
        goesOn()
    }
}
