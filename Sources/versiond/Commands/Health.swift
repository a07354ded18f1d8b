import ArgumentParser
import Glibc

/// `versiond health`: asks the daemon whether it takes work.
struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check whether the daemon is ready. Exit status 69: it is not.",
        discussion: """
            For health checks of containers and supervisors. Accepts the options of `serve`, reads \
            the environment and the file, and requests /readyz at the address of the daemon; with \
            encrypted connections, at the local socket.
            """)

    @OptionGroup var options: ServeOptions

    /// A daemon that needs longer is not in good health.
    private static let seconds = 3

    func run() async throws {
        let settings = try Settings.load(options)
        let line = try Health.statusLine(settings)
        guard line.hasPrefix("HTTP/1.1 200") else {
            throw CannotRun.cannotListen("the daemon is not ready: \(line)")
        }
        print("ready")
    }

    private static func statusLine(_ settings: Settings) throws -> String {
        guard settings.tlsKey.isEmpty || !settings.socket.isEmpty else {
            throw CannotRun.configuration(
                "with encrypted connections, health requires a local socket (setting socket)")
        }
        let descriptor = try connect(settings)
        defer { close(descriptor) }
        let request = Array(
            "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        guard unsafe send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) > 0
        else {
            throw CannotRun.cannotListen("the daemon does not respond")
        }
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).first.map(String.init) ?? "no reply"
    }

    private static func connect(_ settings: Settings) throws -> Int32 {
        let isLocal = !settings.socket.isEmpty
        let descriptor =
            isLocal ? connectLocally(settings.socket) : connect(settings.host, settings.port)
        guard descriptor >= 0 else {
            throw CannotRun.cannotListen("no daemon listens at the address")
        }
        return descriptor
    }

    /// -1 if no daemon listens.
    private static func connect(_ host: String, _ port: UInt16) -> Int32 {
        let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0,
            let address = unsafe list
        else { return -1 }
        defer { unsafe freeaddrinfo(address) }
        let descriptor = unsafe patientSocket(address.pointee.ai_family)
        let result = unsafe Glibc.connect(
            descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen)
        if result == 0 { return descriptor }
        close(descriptor)
        return -1
    }

    private static func connectLocally(_ path: String) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return -1 }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let descriptor = patientSocket(AF_UNIX)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe Glibc.connect(descriptor, address, size)
            }
        }
        if result == 0 { return descriptor }
        close(descriptor)
        return -1
    }

    /// A socket that does not wait for ever.
    private static func patientSocket(_ family: Int32) -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(descriptor, SOL_SOCKET, option, &limit, size)
        }
        return descriptor
    }
}
