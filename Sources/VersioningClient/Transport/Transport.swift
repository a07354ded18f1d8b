public import HTTPCalling

/// The way of requests to a daemon, and of responses back.
///
/// A program may bring its own, over the HTTP library that it has. Requests that change something
/// carry an idempotency key and are sent again after a fault, so a transport need not repeat any.
public protocol Transport: Sendable {
    /// Sends a request, and returns the whole response, whatever its status is. The call ends,
    /// after half a minute at the latest.
    func send(_ call: HTTPCall) async throws(HTTPCallError) -> HTTPAnswer

    /// Sends a request whose response has no end, and returns the parts of its body as they arrive.
    ///
    /// It throws a `StreamRefusal` if the status is not 200, and another error if the connection
    /// breaks or nothing arrives for twenty seconds: the daemon sends a line every eight seconds.
    /// The request ends when the parts are not read any more.
    func stream(_ call: HTTPCall) -> AsyncThrowingStream<[UInt8], any Error>
}

/// The response to a request for a stream that is not one.
public struct StreamRefusal: Error, Sendable {
    public let answer: HTTPAnswer

    public init(_ answer: HTTPAnswer) {
        self.answer = answer
    }
}
