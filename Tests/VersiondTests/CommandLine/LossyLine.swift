import Foundation
import Glibc
import Threading

/// A network between a client and a daemon that loses responses: the daemon has carried out the
/// request, and the client gets no answer.
final class LossyLine: Sendable {
    private struct State {
        var losing: Int
        var lost = 0
        var open: [Int32] = []
    }

    let port: UInt16
    private let target: UInt16
    private let listener: Int32
    private let state: Lock<State>

    /// - Parameters:
    ///   - losing: how many answers are lost before one arrives.
    ///   - isSilent: whether connections are taken, and nothing ever answered.
    init(to target: UInt16, losing: Int, isSilent: Bool = false) throws {
        self.target = target
        state = Lock(State(losing: losing))
        let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = LossyLine.address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(file, $0, size) == 0 && listen(file, 64) == 0
                    && getsockname(file, $0, &size) == 0
            }
        }
        guard isOpen else { throw CocoaError(.fileReadUnknown) }
        listener = file
        port = UInt16(bigEndian: address.sin_port)
        if !isSilent { Thread.detachNewThread { [self] in accept() } }
    }

    /// How many answers were lost.
    var lost: Int { state.withLock { $0.lost } }

    /// Ends all connections; of new ones some responses are also lost.
    func cut(losing: Int) {
        let open = state.withLock { state in
            state.losing = losing
            defer { state.open = [] }
            return state.open
        }
        for file in open { shutdown(file, Int32(SHUT_RDWR)) }
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            if client < 0 { return }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = LossyLine.address(target)
            _ = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            state.withLock { $0.open += [client, server] }
            Thread.detachNewThread { LossyLine.pass(client, server) { true } }
            Thread.detachNewThread { [self] in LossyLine.pass(server, client, isPassed) }
        }
    }

    /// Whether an answer arrives.
    private func isPassed() -> Bool {
        state.withLock { state in
            guard state.lost < state.losing else { return true }
            state.lost += 1
            return false
        }
    }

    /// Forwards all bytes; where some are lost, the connection ends.
    private static func pass(_ from: Int32, _ to: Int32, _ isPassed: () -> Bool) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(from, &bytes, bytes.count, 0)
            guard count > 0, isPassed(), send(to, bytes, count, Int32(MSG_NOSIGNAL)) == count else {
                shutdown(from, Int32(SHUT_RDWR))
                shutdown(to, Int32(SHUT_RDWR))
                return
            }
        }
    }
}
