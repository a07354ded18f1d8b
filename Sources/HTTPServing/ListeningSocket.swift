import Glibc

/// Why the server did not start.
public enum HTTPServerError: Error, Equatable, Sendable {
    case addressNotFound(String)
    case cannotListen(String)
    case cannotStart(String)
}

/// Sockets that listen on one address; with more than one, the kernel spreads connections.
struct ListeningSocket {
    let descriptor: Int32
    let port: UInt16

    init(descriptor: Int32, port: UInt16) {
        self.descriptor = descriptor
        self.port = port
    }

    /// A socket that another process created.
    init(given descriptor: Int32) throws(HTTPServerError) {
        var isListening: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        let result = unsafe getsockopt(
            descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size)
        guard result == 0, isListening != 0 else {
            throw .cannotListen("descriptor \(descriptor) does not listen")
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        self.init(descriptor: descriptor, port: ListeningSocket.boundPort(descriptor))
    }

    /// Another descriptor for the same socket.
    func duplicate() throws(HTTPServerError) -> ListeningSocket {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .cannotStart("no descriptors left") }
        return ListeningSocket(descriptor: copy, port: port)
    }

    /// Connections that may wait to be accepted.
    private static let backlog: Int32 = 1024

    static func open(host: String, port: UInt16, count: Int) throws(HTTPServerError)
        -> [ListeningSocket]
    {
        // Sockets that share a port would also share it with another daemon, without an error.
        if port != 0 { close(try open(host: host, port: port, isShared: false).descriptor) }
        var sockets: [ListeningSocket] = []
        for _ in 0..<count {
            // With port 0 the kernel chooses for the first socket; the others follow.
            let port = sockets.first?.port ?? port
            sockets.append(try open(host: host, port: port, isShared: true))
        }
        return sockets
    }

    private static func open(
        host: String, port: UInt16, isShared: Bool
    ) throws(HTTPServerError) -> ListeningSocket {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(host, String(port), &hints, &list)
        guard result == 0, let address = unsafe list else { throw .addressNotFound(host) }
        defer { unsafe freeaddrinfo(address) }
        return try unsafe listen(
            on: address.pointee, "\(host) port \(port)", isShared: isShared)
    }

    private static func listen(
        on address: addrinfo, _ name: String, isShared: Bool
    ) throws(HTTPServerError) -> ListeningSocket {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = unsafe socket(address.ai_family, kind, 0)
        guard descriptor >= 0 else { throw failure(name) }
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if isShared { unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, size) }
        guard unsafe bind(descriptor, address.ai_addr, address.ai_addrlen) == 0,
            Glibc.listen(descriptor, backlog) == 0
        else {
            let error = failure(name)
            close(descriptor)
            throw error
        }
        return ListeningSocket(descriptor: descriptor, port: boundPort(descriptor))
    }

    /// Listens in the file system. A socket without a listener is replaced.
    static func open(_ local: HTTPServer.LocalSocket) throws(HTTPServerError) -> ListeningSocket {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(local.path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard !path.isEmpty, path.count <= room else {
            throw .cannotListen("\(local.path): a socket's path has at most \(room) bytes")
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw failure(local.path) }
        removeStaleSocket(local.path, address)
        // The file gets the mode of its descriptor, so no client connects before the mode is set.
        fchmod(descriptor, local.mode)
        let isBound = unsafe withAddress(&address) { unsafe bind(descriptor, $0, $1) == 0 }
        guard isBound, unsafe chmod(local.path, local.mode) == 0,
            Glibc.listen(descriptor, backlog) == 0
        else {
            let error = failure(local.path)
            close(descriptor)
            throw error
        }
        return ListeningSocket(descriptor: descriptor, port: 0)
    }

    /// A crash leaves its socket behind; one that replies is in use, and stays.
    private static func removeStaleSocket(_ path: String, _ address: sockaddr_un) {
        var address = address
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        defer { close(probe) }
        let isStale = unsafe withAddress(&address) { pointer, size in
            unsafe connect(probe, pointer, size) != 0 && errno == ECONNREFUSED
        }
        if isStale { unsafe unlink(path) }
    }

    private static func withAddress<Result>(
        _ address: inout sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, size)
            }
        }
    }

    private static func failure(_ name: String) -> HTTPServerError {
        unsafe .cannotListen("\(name): \(String(cString: strerror(errno)))")
    }

    private static func boundPort(_ descriptor: Int32) -> UInt16 {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        // The port has the same offset in the IPv4 and the IPv6 form of an address.
        return unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = unsafe getsockname(descriptor, address, &size)
            }
            return unsafe pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                unsafe UInt16(bigEndian: address.pointee.sin_port)
            }
        }
    }
}
