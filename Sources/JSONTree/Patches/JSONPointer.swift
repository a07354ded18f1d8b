/// An address inside a JSON value (RFC 6901), such as `/menu/0/price`.
public struct JSONPointer: Sendable, Hashable {
    package var tokens: [MemberName]

    package init(tokens: [MemberName]) {
        self.tokens = tokens
    }

    /// The address of the whole value.
    public static let root = JSONPointer(tokens: [])

    /// Reads a pointer; `nil` if it neither is empty nor begins with `/`, or has a wrong `~`.
    public init?(parsing text: String) {
        self.init(parsing: Array(text.utf8))
    }

    /// Parses the text of an address.
    package init?(parsing bytes: [UInt8]) {
        tokens = []
        guard let first = bytes.first else { return }
        guard first == JSONPointer.slash else { return nil }
        tokens.reserveCapacity(JSONPointer.tokenCount(in: bytes))
        let isPlain = !bytes.contains(UInt8(ascii: "~"))
        var start = 1
        while start <= bytes.count {
            let end = bytes[start...].firstIndex(of: JSONPointer.slash) ?? bytes.count
            if isPlain {
                tokens.append(MemberName(in: bytes, start..<end))
            } else {
                guard let token = JSONPointer.unescape(bytes[start..<end]) else { return nil }
                tokens.append(MemberName(token))
            }
            start = end + 1
        }
    }

    private static let slash = UInt8(ascii: "/")

    /// How many tokens a pointer's text has, without an array of them. O(text).
    static func tokenCount(in bytes: [UInt8]) -> Int {
        bytes.reduce(0) { $1 == slash ? $0 + 1 : $0 }
    }

    private static func unescape(_ token: ArraySlice<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var rest = token
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "~") else {
                result.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "0"): result.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): result.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return result
    }

    /// The address that names and indices lead to, from the outside in.
    public init(names: [String]) {
        tokens = names.map { MemberName($0) }
    }

    /// The number of reference tokens.
    public var count: Int { tokens.count }

    func appending(_ name: MemberName) -> JSONPointer {
        // One array: `+` makes more.
        var longer: [MemberName] = []
        longer.reserveCapacity(tokens.count + 1)
        longer.append(contentsOf: tokens)
        longer.append(name)
        return JSONPointer(tokens: longer)
    }

    func appending(_ index: Int) -> JSONPointer {
        appending(MemberName(String(index)))
    }

    /// This address as it is seen from `place`, if it is `place` or lies inside it.
    public func inside(_ place: JSONPointer) -> JSONPointer? {
        guard place == self || place.isProperPrefix(of: self) else { return nil }
        return JSONPointer(tokens: Array(tokens.dropFirst(place.count)))
    }

    /// Whether one of both is the other, or an address inside it.
    package func meets(_ other: JSONPointer) -> Bool {
        zip(tokens, other.tokens).allSatisfy(==)
    }

    /// The address of the container that this is in; the root's own for the root.
    var above: JSONPointer { JSONPointer(tokens: Array(tokens.dropLast())) }

    /// The addresses of the containers that this is in, from the outside in.
    package var containers: [JSONPointer] {
        tokens.indices.map { JSONPointer(tokens: Array(tokens[..<$0])) }
    }

    /// Whether `other` is an address inside the value that this is the address of.
    func isProperPrefix(of other: JSONPointer) -> Bool {
        tokens.count < other.tokens.count && zip(tokens, other.tokens).allSatisfy(==)
    }

    /// Whether both have the same tokens, as bytes.
    public static func == (left: JSONPointer, right: JSONPointer) -> Bool {
        left.tokens.count == right.tokens.count && zip(left.tokens, right.tokens).allSatisfy(==)
    }

    /// Feeds the hashes of the tokens.
    public func hash(into hasher: inout Hasher) {
        for token in tokens { hasher.combine(token.hash) }
    }

    var text: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(tokens.reduce(0) { $0 + $1.byteCount + 1 })
        append(to: &text) { $1.append($0) }
        return text
    }

    /// Appends the pointer as a JSON string.
    func appendQuoted(to text: inout [UInt8]) {
        text.append(0x22)
        append(to: &text) { byte, text in
            if Quoting.isSpecial(byte) { text += Quoting.escape(byte) } else { text.append(byte) }
        }
        text.append(0x22)
    }

    @inline(__always)
    private func append(to text: inout [UInt8], _ put: (UInt8, inout [UInt8]) -> Void) {
        for token in tokens {
            text.append(UInt8(ascii: "/"))
            token.withBytes { bytes in
                for index in bytes.indices {
                    switch bytes[index] {
                    case UInt8(ascii: "~"): text.append(contentsOf: "~0".utf8)
                    case UInt8(ascii: "/"): text.append(contentsOf: "~1".utf8)
                    default: put(bytes[index], &text)
                    }
                }
            }
        }
    }
}

extension JSONPointer: Comparable {
    /// Token by token; numbers by value and before names, so that an array's elements come in their
    /// order.
    public static func < (left: JSONPointer, right: JSONPointer) -> Bool {
        for (one, other) in zip(left.tokens, right.tokens) where one != other {
            switch (one.index(below: .max), other.index(below: .max)) {
            case (let index?, let second?): return index < second
            case (nil, nil): return one < other
            case (let index, _): return index != nil
            }
        }
        return left.tokens.count < right.tokens.count
    }
}

extension Set<JSONPointer> {
    /// Those that lie in no other one. O(their tokens · depth).
    package var outermost: Set {
        filter { place in
            var above = place
            while above.count > 0 {
                above = above.above
                if contains(above) { return false }
            }
            return true
        }
    }
}

extension JSONPointer: CustomStringConvertible {
    /// The pointer as it is written.
    public var description: String {
        String(decoding: text, as: UTF8.self)
    }
}

extension MemberName {
    /// The array index that a reference token means (RFC 6901 section 4): digits without a leading
    /// zero, below `limit`.
    package func index(below limit: Int) -> Int? {
        withBytes { bytes in
            guard bytes.count > 0, bytes.count <= 18, bytes[0] != 0x30 || bytes.count == 1 else {
                return nil
            }
            var value = 0
            for index in bytes.indices {
                let byte = bytes[index]
                guard byte >= 0x30 && byte <= 0x39 else { return nil }
                value = value * 10 + Int(byte - 0x30)
            }
            return value < limit ? value : nil
        }
    }

    /// Whether the token is `-`, the place behind an array's last element.
    package var isEnd: Bool { isByte(UInt8(ascii: "-")) }

    /// Whether the name is one byte.
    func isByte(_ byte: UInt8) -> Bool { withBytes { $0.count == 1 && $0[0] == byte } }
}

extension JSON {
    /// The value at `pointer`, if there is one. O(length of the pointer · log n).
    public subscript(pointer: JSONPointer) -> JSON? {
        value(at: pointer.tokens[...])
    }

    func value(at tokens: ArraySlice<MemberName>) -> JSON? {
        var value = self
        for token in tokens {
            switch value.storage {
            case .array(let node):
                guard let index = token.index(below: node.count) else { return nil }
                value = node.element(at: index)
            case .object(let node):
                guard let member = node.value(for: token) else { return nil }
                value = member
            default: return nil
            }
        }
        return value
    }
}
