import CMicroHTTPD

/// One request in C's hands and its response.
///
/// Made when the head has come and released when libmicrohttpd says that the request is over.
// @unchecked: everything but `state` is touched on the loop's thread only; `state` under the
// lock of the loop's mailbox.
@safe final class Exchange: HTTPResponder, @unchecked Sendable {
    /// The state of the response.
    private enum State {
        case none
        case awaited
        case ready(Reply)
        case given
    }

    /// The state of the connection.
    private enum Phase {
        /// The request has not come whole.
        case receiving
        /// libmicrohttpd has asked for the response in this number of turns.
        case waiting(turns: Int)
        case suspended
        /// libmicrohttpd sends the response.
        case sending
        /// Of a stream, its source decides when there is more to send.
        case streaming
        case over
    }

    /// The response: a whole, or a source that continues.
    enum Reply {
        case whole(HTTPResponse)
        /// Written down when it is sent.
        case made(@Sendable () -> HTTPResponse)
        case stream(HTTPResponse, any HTTPStreamSource)
    }

    /// How much is read of a body that is refused. Browsers take a response only after they have
    /// sent the body: a page would not learn why it was refused.
    static let refusedBytesMax = 64 << 20
    /// A connection that waits longer is suspended. One that waits for a quick commit is not:
    /// suspending makes libmicrohttpd take it out of its epoll set, put it back, and read bytes
    /// that have not arrived, which is a tenth of the CPU of a small change.
    private static let turnsMax = 8

    let head: HTTPRequestHead
    /// The handler's data from admitting the request.
    private let context: (any Sendable)?
    let connection: OpaquePointer
    private let client: ClientConnection
    // Strong: a late response needs a loop that ignores it, even after the server has ended.
    private let loop: EventLoop
    private let bodyBytesMax: Int
    private var body: [UInt8] = []
    /// How much of the body was taken in.
    private(set) var bodyBytes = 0
    private var receivedBytes = 0
    /// The response to a client whose body is read and discarded.
    private var refusal: HTTPResponse?
    private var phase = Phase.receiving
    private var state = State.none
    /// Whether the client went away before the response came; under the lock of the replies.
    private var isAbandoned = false
    /// The callback if no response arrives in time; under the lock of the replies.
    private var reminder: (due: Duration, body: @Sendable () -> Void)?

    init(
        _ head: HTTPRequestHead, _ context: (any Sendable)?, bodyBytesMax: Int,
        refusal: HTTPResponse?, connection: OpaquePointer, client: ClientConnection, loop: EventLoop
    ) {
        self.head = head
        self.context = context
        self.bodyBytesMax = bodyBytesMax
        self.refusal = refusal
        unsafe self.connection = connection
        self.client = client
        self.loop = loop
    }

    /// Stores a part of the body. Returns `false` if it exceeds the limit, and the connection must
    /// be closed.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        receivedBytes += bytes.count
        client.received(receivedBytes, at: loop.now())
        if refusal == nil, let fault = unsafe keep(bytes) { throwAway(fault) }
        return refusal == nil || receivedBytes <= max(Exchange.refusedBytesMax, bodyBytesMax)
    }

    private func keep(_ bytes: UnsafeRawBufferPointer) -> HTTPFault? {
        guard body.count + bytes.count <= bodyBytesMax else {
            return .bodyTooLarge(max: bodyBytesMax)
        }
        unsafe body.append(contentsOf: bytes)
        bodyBytes += bytes.count
        return loop.hold(bytes.count) ? nil : .tooMuchToReceive
    }

    private func throwAway(_ fault: HTTPFault) {
        loop.release(bodyBytes)
        (bodyBytes, body) = (0, [])
        refusal = loop.handler.refuse(fault, head.fields)
    }

    /// The body is complete: hands the request on. libmicrohttpd asks again in each turn until
    /// there is a response, or the connection is suspended.
    func finish(_ handler: any HTTPHandler) -> MHD_Result {
        switch phase {
        case .receiving: return handOver(to: handler)
        case .waiting(let turns): return wait(turns: turns + 1)
        // The response could not be queued: the connection is closed.
        case .suspended, .sending, .streaming, .over: return .NO
        }
    }

    private func handOver(to handler: any HTTPHandler) -> MHD_Result {
        loop.received()
        client.handling()
        if loop.isRefusing {
            send(handler.refuse(.stopping, head.fields))
        } else if let refusal {
            send(refusal)
        } else {
            let request = HTTPRequest(head: head, body: body, context: context)
            body = []
            handler.handle(request, self)
        }
        let (reply, isLong) = loop.withReplies { () -> (Reply?, Bool) in
            if case .ready(let reply) = state {
                state = .given
                return (reply, false)
            }
            state = .awaited
            return (nil, reminder != nil)
        }
        if let reply { return queue(reply) }
        loop.waits(self)
        return wait(turns: isLong ? Exchange.turnsMax : 0)
    }

    private func wait(turns: Int) -> MHD_Result {
        if turns < Exchange.turnsMax {
            phase = .waiting(turns: turns)
        } else {
            phase = .suspended
            loop.suspends()
            unsafe MHD_suspend_connection(connection)
        }
        return .YES
    }

    /// The request is over, one way or another.
    func end() {
        switch phase {
        case .receiving: loop.received()
        case .waiting:
            // The client has left. Its request continues without a response.
            loop.stopsWaiting(self, wasSuspended: false)
            abandon()
        case .sending: loop.endsResponse()
        case .suspended, .streaming, .over: break
        }
        phase = .over
    }

    var hasGone: Bool {
        // Under the lock: once abandoned, the descriptor may be closed, and another client's.
        loop.withReplies { isAbandoned || client.hasGone }
    }

    func send(_ response: HTTPResponse) {
        respond(with: .whole(response))
    }

    func send(_ make: @escaping @Sendable () -> HTTPResponse) {
        respond(with: .made(make))
    }

    func stream(_ head: HTTPResponse, from source: any HTTPStreamSource) {
        respond(with: .stream(head, source))
    }

    private func respond(with reply: Reply) {
        let before = loop.withReplies { () -> State in
            let before = state
            switch before {
            case .none: state = .ready(reply)
            case .awaited: state = .given
            case .ready, .given: return before
            }
            _ = takeReminder()
            return before
        }
        switch before {
        case .none: break
        case .awaited: loop.complete(self, with: reply)
        case .ready, .given: endSource(of: reply)
        }
    }

    /// Ends the source of a stream that has no client.
    private func endSource(of reply: Reply) {
        if case .stream(_, let source) = reply { source.end() }
    }

    func remind(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> Bool {
        let due = loop.now() + delay
        let (isTaken, isOver) = loop.withReplies { () -> (Bool, Bool) in
            if isAbandoned { return (true, true) }
            guard loop.endless.mayWaitLong else { return (false, false) }
            loop.waitsLong(1)
            reminder = (due, body)
            return (true, false)
        }
        if isOver { body() }
        return isTaken
    }

    /// Under the lock of the replies.
    private func takeReminder() -> (@Sendable () -> Void)? {
        guard let body = reminder?.body else { return nil }
        loop.waitsLong(-1)
        reminder = nil
        return body
    }

    /// Calls the reminder of a request that waits too long, or whose wait is over. On the loop's
    /// thread.
    func remindIfDue(at now: Duration, isOver: Bool) {
        let body = loop.withReplies { () -> (@Sendable () -> Void)? in
            guard let reminder, reminder.due <= now || isOver || client.hasGone else { return nil }
            return takeReminder()
        }
        body?()
    }

    /// The client no longer waits for the response. A reminder that is due later is called at once.
    private func abandon() {
        let body = loop.withReplies { () -> (@Sendable () -> Void)? in
            isAbandoned = true
            return takeReminder()
        }
        body?()
    }

    /// Gives the response to a connection that waits for it. On the loop's thread, just before it
    /// runs.
    func resume(with reply: Reply) {
        let wasSuspended: Bool
        switch phase {
        case .waiting: wasSuspended = false
        case .suspended: wasSuspended = true
        case .receiving, .sending, .streaming, .over: return drop(reply)
        }
        loop.stopsWaiting(self, wasSuspended: wasSuspended)
        if queue(reply) != .YES { client.cut() }
        if wasSuspended { unsafe MHD_resume_connection(connection) }
    }

    /// The client does not get the reply. It is made all the same, since making it logs the
    /// request.
    private func drop(_ reply: Reply) {
        switch reply {
        case .whole: break
        case .made(let make): _ = make()
        case .stream: endSource(of: reply)
        }
    }

    /// Whether libmicrohttpd sends a stream as chunks, in the clear.
    private var isChunked: Bool {
        let closes = head.fields["connection"]?.lowercased().contains("close") ?? false
        return client.isHTTP11 && !closes && loop.settings.encryption == nil
    }

    private func queue(_ reply: Reply) -> MHD_Result {
        if case .stream(let head, let source) = reply, loop.hasRoomForStream {
            phase = .streaming
            let stream = unsafe HTTPStream(
                source, connection, client, loop, isChunked: isChunked)
            return unsafe loop.queue(head, stream, on: connection)
        }
        phase = .sending
        loop.beginsResponse()
        return send(reply)
    }

    private func send(_ reply: Reply) -> MHD_Result {
        switch reply {
        case .whole(let response):
            let count = response.body.count
            guard count >= LargeBody.bytesMin else {
                client.sending(count, at: loop.now())
                return unsafe loop.queue(response, on: connection)
            }
            // A request that may have changed something always gets a response.
            let isQuestion = head.method == .get || head.method == .head
            guard !isQuestion || loop.mayStartSending(count) else {
                return send(.whole(loop.handler.refuse(.tooMuchToSend, head.fields)))
            }
            client.sendingPart(0, at: loop.now())
            let body = LargeBody(response.body, client, loop)
            return unsafe loop.queue(response, body, on: connection)
        case .made(let make): return send(.whole(make()))
        case .stream:
            endSource(of: reply)
            let fault = HTTPFault.tooManyStreams(max: loop.endless.max)
            return send(.whole(loop.handler.refuse(fault, head.fields)))
        }
    }
}
