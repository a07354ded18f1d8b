import CMicroHTTPD

/// One request in C's hands and its answer.
///
/// Made when the head has come and released when libmicrohttpd says that the request is over.
// @unchecked: everything but `answer` is touched on the loop's thread only; `answer` under its
// lock.
@safe final class Exchange: HTTPResponder, @unchecked Sendable {
    private enum Answer {
        case none
        /// The connection is suspended until an answer comes.
        case awaited
        case ready(HTTPResponse)
        case given
    }

    /// How far past the limit a body is read and thrown away, so that a 413 can still be answered.
    private static let excessBytesMax = 1 << 20

    let head: HTTPRequestHead
    let connection: OpaquePointer
    private let client: ClientConnection
    // Strong: an answer may come when the server is gone, and must find somebody to ignore it.
    private let loop: EventLoop
    private let bodyBytesMax: Int
    private var body: [UInt8] = []
    /// How much of the body was taken in.
    private(set) var bodyBytes = 0
    private var excess = 0
    private var answer = Answer.none

    init(
        _ head: HTTPRequestHead, bodyBytesMax: Int, connection: OpaquePointer,
        client: ClientConnection, loop: EventLoop
    ) {
        self.head = head
        self.bodyBytesMax = bodyBytesMax
        unsafe self.connection = connection
        self.client = client
        self.loop = loop
    }

    /// Takes in a part of the body. Answers `false` if there is so much that the line must be cut.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let room = bodyBytesMax - body.count
        let taken = min(room, bytes.count)
        unsafe body.append(contentsOf: bytes.prefix(taken))
        excess += bytes.count - taken
        bodyBytes += taken
        client.received(bodyBytes + excess, at: loop.now())
        return loop.hold(taken) && excess <= Exchange.excessBytesMax
    }

    /// The body is complete: hands the request on, and answers or suspends the connection.
    func finish(_ handler: any HTTPHandler) -> MHD_Result {
        // libmicrohttpd asks again where an answer could not be queued: that is the end of the
        // line.
        guard case .none = answer else { return .NO }
        client.handling()
        if loop.isRefusing {
            send(handler.refuse(.stopping))
        } else if excess > 0 {
            send(handler.refuse(.bodyTooLarge(max: bodyBytesMax)))
        } else {
            let request = HTTPRequest(head: head, body: body)
            body = []
            handler.handle(request, self)
        }
        let response = loop.withAnswers { () -> HTTPResponse? in
            if case .ready(let response) = answer {
                answer = .given
                return response
            }
            answer = .awaited
            return nil
        }
        if let response { return queue(response) }
        loop.suspended(self)
        unsafe MHD_suspend_connection(connection)
        return .YES
    }

    func send(_ response: HTTPResponse) {
        let isAwaited = loop.withAnswers { () -> Bool in
            switch answer {
            case .none:
                answer = .ready(response)
                return false
            case .awaited:
                answer = .given
                return true
            case .ready, .given: return false
            }
        }
        if isAwaited { loop.complete(self, with: response) }
    }

    /// Gives the answer to a suspended connection. On the loop's thread, just before it runs.
    func resume(with response: HTTPResponse) {
        if queue(response) != .YES { client.cut() }
        unsafe MHD_resume_connection(connection)
    }

    private func queue(_ response: HTTPResponse) -> MHD_Result {
        client.sending(response.body.count, at: loop.now())
        return unsafe loop.queue(response, on: connection)
    }
}
