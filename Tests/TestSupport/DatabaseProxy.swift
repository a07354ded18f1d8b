import Foundation
import Glibc
import Threading

/// Between a journal and its PostgreSQL server: it loses, holds back and keeps silent what passes,
/// as networks, poolers and load balancers do.
public final class DatabaseProxy: Sendable {
    /// The treatment of the next commit.
    public enum Fault: Sendable {
        /// The daemon's connection ends; the commit is delivered when `deliver` is called.
        case late
        /// The commit is delivered, and nothing comes back on this connection.
        case silent
        /// The commit is delivered, and the connection ends before the answer.
        case unanswered
    }

    private struct State {
        var fault: Fault?
        /// Called before the next commit passes that is not held back.
        var hook: (@Sendable () -> Void)?
        /// The directory of the server.
        var target: String
        /// How many new connections are let through.
        var connectionsLeft = Int.max
        var held: [(bytes: [UInt8], to: Int32)] = []
        /// All that were opened; closed at the end.
        var descriptors: [Int32] = []
    }

    private let state: Lock<State>
    private let directory: TemporaryDirectory
    private let listener: Int32

    /// A proxy to the server of a URL's directory, as `PostgreSQLServer` has them.
    public init(to server: String) throws {
        state = Lock(State(target: server))
        directory = try TemporaryDirectory()
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let path = directory.path + "/.s.PGSQL.5432"
        guard DatabaseProxy.with(path, { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0
        else { throw PostgreSQLServer.Missing(description: "the proxy cannot listen") }
        Thread.detachNewThread { [self] in accept() }
    }

    /// The URL of a database through it.
    public func url(_ database: String) -> String {
        let host = directory.path.replacingOccurrences(of: "/", with: "%2F")
        return "postgresql://versiond@\(host)/\(database)"
    }

    /// Ends all connections; new ones lead to another server.
    public func lead(to server: PostgreSQLServer) {
        let all = state.withLock { state in
            state.target = server.path
            defer { state.descriptors = [] }
            return state.descriptors
        }
        for descriptor in all { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    public func close() {
        let all = state.withLock { state in
            state.connectionsLeft = 0
            defer { state.descriptors = [] }
            return state.descriptors
        }
        for descriptor in [listener] + all { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    /// The treatment of the next commit.
    public func plan(_ fault: Fault) { state.withLock { $0.fault = fault } }

    /// The action before the next commit that passes without a fault.
    public func beforeCommit(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.hook = body }
    }

    /// Whether the plan has been carried out.
    public var isDone: Bool { state.withLock { $0.fault == nil } }

    /// How many new connections are let through; the others are turned away.
    public func admit(_ count: Int) { state.withLock { $0.connectionsLeft = count } }

    /// Delivers what was held back.
    public func deliver() {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for (bytes, server) in held {
            DatabaseProxy.write(bytes, to: server)
        }
    }

    // MARK: Passing on

    private static func with(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { target in
            for (index, byte) in path.utf8.enumerated() { target[index] = byte }
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            if client < 0 { return }
            let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            let target = state.withLock { $0.target }
            let isOpen =
                DatabaseProxy.with(target + "/.s.PGSQL.5432") {
                    connect(server, $0, $1)
                } == 0
            let isAdmitted = state.withLock { state in
                defer { state.connectionsLeft = max(0, state.connectionsLeft - 1) }
                return state.connectionsLeft > 0
            }
            guard isOpen, isAdmitted else {
                Glibc.close(client)
                Glibc.close(server)
                continue
            }
            state.withLock { $0.descriptors += [client, server] }
            let isSilent = Lock(false)
            Thread.detachNewThread { [self] in pass(client, server, isSilent) }
            Thread.detachNewThread {
                while let bytes = DatabaseProxy.read(server) {
                    if !isSilent.withLock({ $0 }) { DatabaseProxy.write(bytes, to: client) }
                }
                if !isSilent.withLock({ $0 }) { shutdown(client, Int32(SHUT_RDWR)) }
            }
        }
    }

    /// From the journal to the server.
    private func pass(_ client: Int32, _ server: Int32, _ isSilent: Lock<Bool>) {
        while let bytes = DatabaseProxy.read(client) {
            let isCommit =
                bytes.firstRange(of: Array("commit\0".utf8)) != nil
                || bytes.firstRange(of: Array("COMMIT\0".utf8)) != nil
            let (fault, hook) = state.withLock { state in
                guard isCommit else { return (nil as Fault?, nil as (@Sendable () -> Void)?) }
                guard let fault = state.fault else {
                    defer { state.hook = nil }
                    return (nil, state.hook)
                }
                state.fault = nil
                if fault == .late { state.held.append((bytes, server)) }
                return (fault, nil)
            }
            hook?()
            switch fault {
            case nil: DatabaseProxy.write(bytes, to: server)
            case .late: return _ = shutdown(client, Int32(SHUT_RDWR))
            case .silent:
                isSilent.withLock { $0 = true }
                DatabaseProxy.write(bytes, to: server)
            case .unanswered:
                isSilent.withLock { $0 = true }
                DatabaseProxy.write(bytes, to: server)
                return _ = shutdown(client, Int32(SHUT_RDWR))
            }
        }
        shutdown(server, Int32(SHUT_RDWR))
    }

    private static func read(_ descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes[..<count]) : nil
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            sent += count
        }
    }
}
