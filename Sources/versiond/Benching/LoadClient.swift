import Glibc

/// One connection to a daemon on this machine: a request, then its response, and so on.
///
/// As little as the daemon's own responses need. Blocks: for threads of a measurement only.
struct LoadClient: ~Copyable {
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    /// Longer than any response takes.
    private static let patience = 10

    init(port: UInt16) throws(CannotRun) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, size)
            }
        }
        guard result == 0 else { throw .cannotListen("the daemon refuses connections") }
        var (isOn, limit) = (Int32(1), timeval(tv_sec: LoadClient.patience, tv_usec: 0))
        unsafe setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Sends a request and waits for the whole response.
    mutating func send(_ request: LoadRequest) throws(CannotRun) {
        let bytes = Array(request.text.utf8)
        guard unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        else { throw .cannotListen("the daemon closed a connection") }
        var received = 0
        while true {
            let room = buffer.count - received
            let count = unsafe buffer.withUnsafeMutableBytes { buffer in
                unsafe recv(descriptor, buffer.baseAddress.map { unsafe $0 + received }, room, 0)
            }
            guard count > 0 else { throw .cannotListen("the daemon does not respond") }
            received += count
            if try LoadClient.isComplete(buffer[..<received]) { return }
        }
    }

    private static func isComplete(_ bytes: ArraySlice<UInt8>) throws(CannotRun) -> Bool {
        guard let end = index(of: Array("\r\n\r\n".utf8), in: bytes) else { return false }
        guard bytes.count > 12, bytes[9] == UInt8(ascii: "2") else {
            throw .cannotListen(
                "the daemon refused: " + String(decoding: bytes.prefix(512), as: UTF8.self))
        }
        let name = Array("Content-Length: ".utf8)
        guard let field = index(of: name, in: bytes[..<end]) else { return true }
        let digits = bytes[(field + name.count)...].prefix { (0x30...0x39).contains($0) }
        let length = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return bytes.count >= end + 4 + length
    }

    private static func index(of pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= pattern.count else { return nil }
        return (bytes.startIndex...(bytes.endIndex - pattern.count)).first { start in
            bytes[start] == pattern[0]
                && bytes[start..<(start + pattern.count)].elementsEqual(pattern)
        }
    }
}

/// A request of a measurement.
struct LoadRequest {
    let text: String

    init(_ method: String, _ path: String, _ body: String = "", type: String = "application/json") {
        let fields =
            body.isEmpty
            ? "" : "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
        text = "\(method) /v1/documents/\(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\(body)"
    }

    /// A change of one member.
    static func patch(_ document: String, _ number: Int) -> LoadRequest {
        LoadRequest(
            "PATCH", document, "{\"n\":\(number)}", type: "application/merge-patch+json")
    }
}
