import CCurl
public import HTTPCalling

/// Calls one server, over one connection that is kept. By libcurl: so proxies, certificates and
/// their settings in the environment are those of curl.
///
/// One thread at a time may use it. Calls block.
@safe public final class Caller {
    private let server: ServerAddress
    private let timeout: Int
    private let handle: OpaquePointer

    /// How long a connection may take, in seconds.
    private static let connectTime = 5

    /// - Parameter timeout: how many seconds a call may take; streams may take any time, but not be
    ///   silent for so long.
    public init(_ server: ServerAddress, timeout: Int = 30) {
        self.server = server
        self.timeout = timeout
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        // Fails only without memory.
        guard let made = unsafe curl_easy_init() else { preconditionFailure("there is memory") }
        unsafe handle = OpaquePointer(made)
    }

    deinit {
        unsafe curl_easy_cleanup(UnsafeMutableRawPointer(handle))
    }

    private var curl: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(handle) }

    /// Sends a request, and waits for the answer.
    public func call(_ call: HTTPCall) throws(HTTPCallError) -> HTTPAnswer {
        try perform(call, Collector(take: nil))
    }

    /// Sends a request and passes parts of the body to `take` as they arrive, until it returns
    /// `false`, which is not an error. The body of another status than 200 is in the answer.
    public func stream(
        _ call: HTTPCall, take: @escaping (ArraySlice<UInt8>) -> Bool
    ) throws(HTTPCallError) -> HTTPAnswer {
        try perform(call, Collector(take: take))
    }

    private func perform(
        _ call: HTTPCall, _ collector: Collector
    ) throws(HTTPCallError) -> HTTPAnswer {
        unsafe curl_easy_reset(curl)
        set(CURLOPT_URL, server.base + call.target)
        // A name of dots is the server's to refuse; a shorter path would be another resource.
        set(CURLOPT_PATH_AS_IS, 1)
        if let socket = server.socket { set(CURLOPT_UNIX_SOCKET_PATH, socket) }
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_CONNECTTIMEOUT, Caller.connectTime)
        setTimes(isStream: collector.isStream)
        setMethod(call)
        var list: UnsafeMutablePointer<curl_slist>?
        // curl would wait for a word of the server before it sends a large body.
        for (name, value) in call.fields + [("Expect", "")] {
            unsafe list = curl_slist_append(list, value.isEmpty ? "\(name):" : "\(name): \(value)")
        }
        defer { unsafe curl_slist_free_all(list) }
        unsafe curl_set_pointer(curl, CURLOPT_HTTPHEADER, list)
        return try withExtendedLifetime(collector) { () throws(HTTPCallError) in
            let context = unsafe Unmanaged.passUnretained(collector).toOpaque()
            unsafe curl_set_pointer(curl, CURLOPT_WRITEDATA, context)
            unsafe curl_set_taker(curl, CURLOPT_WRITEFUNCTION, Caller.takeBody)
            unsafe curl_set_pointer(curl, CURLOPT_HEADERDATA, context)
            unsafe curl_set_taker(curl, CURLOPT_HEADERFUNCTION, Caller.takeField)
            return try perform(call.body, collector)
        }
    }

    private func perform(
        _ body: [UInt8]?, _ collector: Collector
    ) throws(HTTPCallError) -> HTTPAnswer {
        if let body { setBody(body) }
        let code = unsafe curl_easy_perform(curl)
        if code == CURLE_OK || collector.hasEnough { return collector.answer }
        let reason = unsafe String(cString: curl_easy_strerror(code))
        var sent = 0
        unsafe curl_get_number(curl, CURLINFO_REQUEST_SIZE, &sent)
        throw sent == 0 ? .unreachable(reason) : .unanswered(reason)
    }

    private func setBody(_ body: [UInt8]) {
        unsafe curl_set_number(curl, CURLOPT_POSTFIELDSIZE, body.count)
        // An empty body also needs an address. The bytes are copied.
        unsafe (body.isEmpty ? [0] : body).withUnsafeBytes { bytes in
            _ = unsafe curl_set_pointer(
                curl, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        }
    }

    private func setTimes(isStream: Bool) {
        guard isStream else { return set(CURLOPT_TIMEOUT, timeout) }
        set(CURLOPT_LOW_SPEED_LIMIT, 1)
        set(CURLOPT_LOW_SPEED_TIME, timeout)
    }

    private func setMethod(_ call: HTTPCall) {
        if call.method == "HEAD" { return set(CURLOPT_NOBODY, 1) }
        if call.body != nil { set(CURLOPT_POST, 1) }
        set(CURLOPT_CUSTOMREQUEST, call.method)
    }

    private func set(_ option: CURLoption, _ value: Int) {
        unsafe curl_set_number(curl, option, value)
    }

    private func set(_ option: CURLoption, _ value: String) {
        unsafe curl_set_text(curl, option, value)
    }

    // MARK: Callbacks of libcurl

    private static let takeBody: curl_taker = { bytes, size, count, context in
        unsafe Caller.taken(bytes, size * count, context) { $0.take($1) }
    }

    private static let takeField: curl_taker = { bytes, size, count, context in
        unsafe Caller.taken(bytes, size * count, context) { collector, bytes in
            collector.note(bytes)
            return true
        }
    }

    private static func taken(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
        _ body: (Collector, [UInt8]) -> Bool
    ) -> Int {
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let collector = unsafe Unmanaged<Collector>.fromOpaque(context).takeUnretainedValue()
        let copy = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
        // Another number than all ends the call.
        return body(collector, copy) ? count : 0
    }
}
