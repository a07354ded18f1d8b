/// Where a server listens: a URL, or a socket of this machine.
public struct ServerAddress: Sendable, Equatable {
    /// Before each target; without a slash at its end.
    public let base: String
    /// The path of the socket; `nil` if it listens on the network.
    public let socket: String?

    /// `http://host:8080`, `https://host/below`, or `unix:/run/versiond.sock`; `nil` if it is none
    /// of them.
    public init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard path.hasPrefix("/") else { return nil }
            (base, socket) = ("http://localhost", path)
            return
        }
        let schemes = ["http://", "https://"]
        guard let scheme = schemes.first(where: text.hasPrefix), text.count > scheme.count,
            !text.utf8.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "#") })
        else { return nil }
        var base = text[...]
        while base.hasSuffix("/") { base = base.dropLast() }
        (self.base, socket) = (String(base), nil)
    }
}

extension ServerAddress: CustomStringConvertible {
    /// As it was written.
    public var description: String { socket.map { "unix:\($0)" } ?? base }
}
