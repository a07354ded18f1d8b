import CMicroHTTPD

/// Gives responses to libmicrohttpd.
extension EventLoop {
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
        sends(body.count)
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
        sends(stream)
        return unsafe queue(made, like: head, on: connection)
    }

    /// The limit on a read from a stream, which is also the size of its buffer.
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
