/// A request target (RFC 9112 section 3.2.1): path segments and query, decoded one by one.
public struct HTTPTarget: Sendable {
    /// The longest target, in bytes: room for a document, a tag and a query, or for the names of
    /// documents that a page follows; proxies take as much.
    public static let bytesMax = 8192

    /// The path's segments, percent-decoded; a slash inside a segment stays inside.
    public let segments: [String]
    public let query: [(name: String, value: String)]
    /// Whether it is `*`: the server as a whole.
    public let isServer: Bool
    /// The authority that it names, as a request to a proxy does.
    public let authority: String?

    public init(segments: [String], query: [(name: String, value: String)] = []) {
        self.segments = segments
        self.query = query
        isServer = false
        authority = nil
    }

    /// Reads a target as it is in the request line.
    public init(parsing bytes: [UInt8]) throws(HTTPFault) {
        guard bytes.count <= HTTPTarget.bytesMax else {
            throw .targetTooLong(max: HTTPTarget.bytesMax)
        }
        isServer = bytes.elementsEqual("*".utf8)
        let (named, bytes) = isServer ? (nil, Array("/".utf8)) : HTTPTarget.originForm(bytes)
        authority = named
        guard bytes.first == UInt8(ascii: "/") else { throw .badTarget("it does not begin with /") }
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }) else {
            throw .badTarget("it has characters that must be percent-encoded")
        }
        let mark = bytes.firstIndex(of: UInt8(ascii: "?"))
        segments = try HTTPTarget.segments(bytes[1..<(mark ?? bytes.endIndex)])
        query =
            try mark.map { mark throws(HTTPFault) in try HTTPTarget.query(bytes[(mark + 1)...]) }
            ?? []
    }

    private static func segments(_ path: ArraySlice<UInt8>) throws(HTTPFault) -> [String] {
        var segments: [String] = []
        segments.reserveCapacity(usualSegments)
        var start = path.startIndex
        while start <= path.endIndex {
            var end = start
            while end < path.endIndex, path[end] != UInt8(ascii: "/") { end += 1 }
            let segment = try decode(path[start..<end])
            guard segment != "." && segment != ".." else {
                throw .badTarget("it has a segment of dots")
            }
            segments.append(segment)
            start = end + 1
        }
        if segments.last == "" { segments.removeLast() }
        return segments
    }

    /// `v1`, `documents`, a name, and a word or two.
    private static let usualSegments = 5

    /// RFC 9112 section 3.2.2: a target may name scheme and authority.
    private static func originForm(
        _ bytes: [UInt8]
    ) -> (authority: String?, origin: [UInt8]) {
        if bytes.first == UInt8(ascii: "/") { return (nil, bytes) }
        let schemes = [Array("http://".utf8), Array("https://".utf8)]
        guard let scheme = schemes.first(where: { bytes.starts(with: $0) }) else {
            return (nil, bytes)
        }
        let rest = bytes.dropFirst(scheme.count)
        let end = rest.firstIndex(of: UInt8(ascii: "/"))
        let authority = String(decoding: rest[..<(end ?? rest.endIndex)], as: UTF8.self)
        return (authority, end.map { Array(rest[$0...]) } ?? Array("/".utf8))
    }

    private static func query(
        _ bytes: ArraySlice<UInt8>
    ) throws(HTTPFault) -> [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        for item in bytes.split(separator: UInt8(ascii: "&")) {
            let mark = item.firstIndex(of: UInt8(ascii: "="))
            let name = try decode(item[..<(mark ?? item.endIndex)])
            let value = try mark.map { mark throws(HTTPFault) in
                try decode(spaced(item[(mark + 1)...]))
            }
            items.append((name: name, value: value ?? ""))
        }
        return items
    }

    /// A plus is a space, as forms and most libraries write one.
    private static func spaced(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard bytes.contains(UInt8(ascii: "+")) else { return bytes }
        return bytes.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }[...]
    }

    private static func decode(_ bytes: ArraySlice<UInt8>) throws(HTTPFault) -> String {
        // The target is printable ASCII; without a % there is nothing to decode.
        guard bytes.contains(UInt8(ascii: "%")) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexadecimal),
                let low = rest.popFirst().flatMap(hexadecimal)
            else { throw .badTarget("it has a % without two hexadecimal digits") }
            decoded.append(high << 4 | low)
        }
        guard !decoded.contains(0) else { throw .badTarget("it has a NUL character") }
        guard let text = String(validating: decoded, as: UTF8.self) else {
            throw .badTarget("it is not UTF-8")
        }
        return text
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// The first value of a query item.
    public subscript(name: String) -> String? {
        for item in query where item.name == name { return item.value }
        return nil
    }
}
