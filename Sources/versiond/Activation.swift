import Glibc
import HTTPServing

/// Sockets on which a supervisor listens for the daemon (sd_listen_fds(3)): clients that connect
/// during a restart are not refused.
enum Activation {
    /// The first descriptor of a supervisor.
    private static let first: Int32 = 3

    /// The sockets, if there are some for this process.
    static func listeners(_ environment: [String: String]) -> HTTPServer.Listeners? {
        guard environment["LISTEN_PID"] == "\(getpid())",
            let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), count > 0, count <= 64
        else { return nil }
        var listeners = HTTPServer.Listeners()
        for descriptor in first..<(first + count) {
            if family(of: descriptor) == sa_family_t(AF_UNIX) {
                listeners.local = descriptor
            } else {
                listeners.network.append(descriptor)
            }
        }
        return listeners
    }

    private static func family(of descriptor: Int32) -> sa_family_t {
        var address = sockaddr()
        var size = socklen_t(MemoryLayout<sockaddr>.size)
        _ = unsafe getsockname(descriptor, &address, &size)
        return address.sa_family
    }
}
