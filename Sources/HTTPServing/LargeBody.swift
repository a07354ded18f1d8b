import CMicroHTTPD

/// A large response that is sent in parts, so that libmicrohttpd needs no copy of it, and so that
/// it shows when its client reads no more.
// @unchecked: touched on the loop's thread only.
@safe final class LargeBody: @unchecked Sendable {
    /// Smaller bodies are copied: that is faster than a call for each part.
    static let bytesMin = 64 << 10
    /// The size of one part.
    static let partBytes = 64 << 10

    private let bytes: [UInt8]
    private let client: ClientConnection
    private let loop: EventLoop

    init(_ bytes: [UInt8], _ client: ClientConnection, _ loop: EventLoop) {
        self.bytes = bytes
        self.client = client
        self.loop = loop
    }

    var count: Int { bytes.count }

    /// Fills libmicrohttpd's buffer. The part before this one has been taken by the client.
    fileprivate func read(from position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard position < bytes.count else { return versiond_end_of_stream }
        let part = bytes[position...].prefix(buffer.count)
        unsafe part.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
        client.sendingPart(part.count, at: loop.now())
        return part.count
    }

    fileprivate func ended() {
        loop.sent(count)
    }
}

extension Callbacks {
    /// libmicrohttpd can send more of a large body.
    static let readLarge: MHD_ContentReaderCallback = { context, position, buffer, size in
        guard let context = unsafe context, let buffer = unsafe buffer else { return 0 }
        let body = unsafe Unmanaged<LargeBody>.fromOpaque(context).takeUnretainedValue()
        return unsafe body.read(
            from: Int(clamping: position),
            into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
    }

    /// libmicrohttpd needs a large body no more.
    static let freeLarge: MHD_ContentReaderFreeCallback = { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<LargeBody>.fromOpaque(context).takeRetainedValue().ended()
    }
}
