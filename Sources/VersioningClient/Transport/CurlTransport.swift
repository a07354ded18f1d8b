#if canImport(CurlCalling)
    import CurlCalling
    import Dispatch
    public import HTTPCalling
    import Threading

    /// Requests over libcurl: so proxies and certificates are those of curl.
    ///
    /// Each request and each stream has a thread while it lasts, since libcurl's calls block.
    public final class CurlTransport: Transport {
        private let server: ServerAddress
        /// Connections without a request.
        private let idle = Lock<[SentCaller]>([])
        private let queue = DispatchQueue(label: "versiond-client", attributes: .concurrent)

        /// One thread at a time has it.
        // @unchecked: it is taken out of the list before it is used, and returned after.
        private struct SentCaller: @unchecked Sendable {
            let caller: Caller
        }

        /// How long a stream may be silent, in seconds.
        private static let silenceMax = 20

        /// A transport to a server.
        public init(_ server: ServerAddress) {
            self.server = server
        }

        public func send(_ call: HTTPCall) async throws(HTTPCallError) -> HTTPAnswer {
            let result = await withCheckedContinuation { continuation in
                queue.async { [self] in
                    continuation.resume(returning: perform(call))
                }
            }
            return try result.get()
        }

        private func perform(_ call: HTTPCall) -> Result<HTTPAnswer, HTTPCallError> {
            let sent = idle.withLock { $0.popLast() } ?? SentCaller(caller: Caller(server))
            defer { idle.withLock { $0.append(sent) } }
            do throws(HTTPCallError) {
                return .success(try sent.caller.call(call))
            } catch {
                return .failure(error)
            }
        }

        public func stream(_ call: HTTPCall) -> AsyncThrowingStream<[UInt8], any Error> {
            AsyncThrowingStream { continuation in
                queue.async { [server] in
                    do throws(HTTPCallError) {
                        let caller = Caller(server, timeout: CurlTransport.silenceMax)
                        let answer = try caller.stream(call) { part in
                            if case .terminated = continuation.yield(Array(part)) {
                                return false
                            }
                            return true
                        }
                        continuation.finish(
                            throwing: answer.status == 200 ? nil : StreamRefusal(answer))
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
            }
        }
    }
#endif
