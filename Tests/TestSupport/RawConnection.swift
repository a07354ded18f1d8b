import Foundation
import Glibc

/// A TCP connection on which a test says exactly what it wants, byte by byte.
public final class RawConnection {
    private var descriptor: Int32
    private var buffer: [UInt8] = []

    public struct Failed: Error {
        let what: String
    }

    public init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failed(what: "connect: \(errno)") }
        wait(seconds: RawConnection.silenceMax)
    }

    /// How long the other side may send nothing.
    private static let silenceMax = 20
    /// How long an answer may take, however busy the machine is.
    private static let answerMax = 300

    private func wait(seconds: Int) {
        var timeout = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// Ends the connection as a process that is killed does: what it has not read is thrown away.
    public func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Ends the sending side. Received data is still read.
    public func endSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    public func send(_ text: String) {
        send(Array(text.utf8))
    }

    public func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            sent += count
        }
    }

    /// Reads more bytes; `false` at the end or when nothing comes.
    private func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer.append(contentsOf: chunk[..<count])
        return true
    }

    /// Whether the other side has closed the connection, all answers read.
    public var isClosed: Bool {
        while fill() {}
        return buffer.isEmpty
    }

    /// All that comes until the other side closes the connection.
    public func rest() -> [UInt8] {
        while fill() {}
        defer { buffer = [] }
        return buffer
    }

    /// Sends a request whose answer does not end, and reads its head.
    public func open(_ target: String, _ fields: [String: String] = [:]) throws -> Answer {
        var text = "GET \(target) HTTP/1.1\r\nHost: localhost\r\n"
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        send(text + "\r\n")
        guard let answer = receive(hasBody: false) else { throw Failed(what: "no answer") }
        return answer
    }

    private var decoded: [UInt8] = []

    /// The next line of an answer in chunks; `nil` at its end.
    public func line() -> String? {
        while true {
            if let end = decoded.firstIndex(of: 0x0a) {
                let line = String(decoding: decoded[..<end], as: UTF8.self)
                decoded.removeFirst(end + 1)
                return line
            }
            guard let chunk = chunk(), !chunk.isEmpty else { return nil }
            decoded += chunk
        }
    }

    private func chunk() -> [UInt8]? {
        let mark = Array("\r\n".utf8)
        while true {
            if let end = buffer.firstRange(of: mark),
                let size = Int(
                    String(decoding: buffer[..<end.lowerBound], as: UTF8.self), radix: 16),
                buffer.count >= end.upperBound + size + 2
            {
                let chunk = Array(buffer[end.upperBound..<(end.upperBound + size)])
                buffer.removeFirst(end.upperBound + size + 2)
                return chunk
            }
            guard fill() else { return nil }
        }
    }

    /// The next answer, or `nil` if the connection ends first.
    public func receive(hasBody: Bool = true) -> Answer? {
        let end = Array("\r\n\r\n".utf8)
        var headEnd = buffer.firstRange(of: end)
        while headEnd == nil {
            guard fill() else { return nil }
            headEnd = buffer.firstRange(of: end)
        }
        guard let headEnd else { return nil }
        let head = String(decoding: buffer[..<headEnd.lowerBound], as: UTF8.self)
        buffer.removeFirst(headEnd.upperBound)
        var answer = Answer(head)
        let length = hasBody ? answer["content-length"].flatMap { Int($0) } ?? 0 : 0
        while buffer.count < length {
            guard fill() else { return nil }
        }
        answer.body = Array(buffer[..<length])
        buffer.removeFirst(length)
        return answer
    }

    /// Sends a request and waits for its answer.
    public func request(
        _ method: String, _ target: String, _ fields: [String: String] = [:], body: String? = nil
    ) throws -> Answer {
        try request(method, target, fields, bytes: body.map { Array($0.utf8) })
    }

    /// Sends a request and waits for its answer.
    public func request(
        _ method: String, _ target: String, _ fields: [String: String] = [:], bytes: [UInt8]?
    ) throws -> Answer {
        var text = "\(method) \(target) HTTP/1.1\r\n"
        if fields["Host"] == nil { text += "Host: localhost\r\n" }
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        if let bytes { text += "Content-Length: \(bytes.count)\r\n" }
        send(Array((text + "\r\n").utf8) + (bytes ?? []))
        wait(seconds: RawConnection.answerMax)
        defer { wait(seconds: RawConnection.silenceMax) }
        guard let answer = receive(hasBody: method != "HEAD") else {
            throw Failed(what: "no answer")
        }
        return answer
    }
}

/// An HTTP answer as it came over the wire.
public struct Answer: Sendable {
    public let status: Int
    public let fields: [(name: String, value: String)]
    public var body: [UInt8] = []

    init(_ head: String) {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
        fields = lines.dropFirst().map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            let value = line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
            return (name: line[..<colon].lowercased(), value: value)
        }
    }

    public subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    public var text: String { String(decoding: body, as: UTF8.self) }
}
