import Glibc

/// Reports the daemon's state to systemd (sd_notify(3)), if systemd started it.
///
/// A datagram of a few words to the socket that `NOTIFY_SOCKET` names; nothing comes back.
struct Supervisor: Sendable {
    /// The reported state.
    enum State: String, Sendable {
        case ready = "READY=1"
        case stopping = "STOPPING=1"
        case reloading = "RELOADING=1"
        case alive = "WATCHDOG=1"
    }

    private let address: [UInt8]
    /// How long the daemon may be silent before it is taken for dead; `nil`: for ever.
    let watchdog: Duration?

    /// From the environment; `nil` if no supervisor expects reports.
    init?(_ environment: [String: String]) {
        guard let name = environment["NOTIFY_SOCKET"], name.utf8.count > 1,
            name.hasPrefix("/") || name.hasPrefix("@")
        else { return nil }
        // A name that begins with @ is in no directory: its first byte is 0.
        address = Array(name.utf8.prefix(1)).map { $0 == 0x40 ? 0 : $0 } + name.utf8.dropFirst()
        let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int($0) }
        watchdog = isMeant ? microseconds.map { .microseconds($0) } : nil
    }

    /// Reports a state. A failure to report is ignored.
    func notify(_ state: State) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        guard address.count < MemoryLayout.size(ofValue: target.sun_path) else { return }
        unsafe withUnsafeMutableBytes(of: &target.sun_path) { path in
            unsafe path.copyBytes(from: address)
        }
        let text = Array(state.rawValue.utf8)
        let size = socklen_t(MemoryLayout<sa_family_t>.size + address.count)
        _ = unsafe withUnsafePointer(to: &target) { target in
            unsafe target.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                unsafe sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), target, size)
            }
        }
    }

    /// Says at half the time that the daemon lives, as long as `isAlive` says so.
    func watch(_ isAlive: @Sendable () async -> Bool) async {
        guard let watchdog else { return }
        while !Task.isCancelled {
            if await isAlive() { notify(.alive) }
            try? await ContinuousClock().sleep(for: watchdog / 2)
        }
    }
}
