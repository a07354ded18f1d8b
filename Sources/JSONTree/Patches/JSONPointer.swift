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

    init?(parsing bytes: [UInt8]) {
        tokens = []
        guard let first = bytes.first else { return }
        guard first == UInt8(ascii: "/") else { return nil }
        let pieces = bytes.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for piece in pieces {
            guard let token = JSONPointer.unescape(piece) else { return nil }
            tokens.append(MemberName(token))
        }
    }

    private static func unescape(_ token: ArraySlice<UInt8>) -> [UInt8]? {
        guard token.contains(UInt8(ascii: "~")) else { return Array(token) }
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
        JSONPointer(tokens: tokens + [name])
    }

    func appending(_ index: Int) -> JSONPointer {
        appending(MemberName(String(index)))
    }

    /// This address as it is seen from `place`, if it is `place` or lies inside it.
    public func inside(_ place: JSONPointer) -> JSONPointer? {
        guard place == self || place.isProperPrefix(of: self) else { return nil }
        return JSONPointer(tokens: Array(tokens.dropFirst(place.count)))
    }

    /// The address of the container that this is in; the root's own for the root.
    var above: JSONPointer { JSONPointer(tokens: Array(tokens.dropLast())) }

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
        text.reserveCapacity(tokens.reduce(0) { $0 + $1.bytes.count + 1 })
        for token in tokens {
            text.append(UInt8(ascii: "/"))
            for byte in token.bytes {
                switch byte {
                case UInt8(ascii: "~"): text.append(contentsOf: "~0".utf8)
                case UInt8(ascii: "/"): text.append(contentsOf: "~1".utf8)
                default: text.append(byte)
                }
            }
        }
        return text
    }
}

extension JSONPointer: Comparable {
    /// Token by token; numbers by value, so that an array's elements come in their order.
    public static func < (left: JSONPointer, right: JSONPointer) -> Bool {
        for (one, other) in zip(left.tokens, right.tokens) where one != other {
            if let index = one.index(below: .max), let second = other.index(below: .max) {
                return index < second
            }
            return one.bytes.lexicographicallyPrecedes(other.bytes)
        }
        return left.tokens.count < right.tokens.count
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
        guard let first = bytes.first, bytes.count <= 18, first != 0x30 || bytes.count == 1 else {
            return nil
        }
        var value = 0
        for byte in bytes {
            guard byte >= 0x30 && byte <= 0x39 else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return value < limit ? value : nil
    }

    /// Whether the token is `-`, the place behind an array's last element.
    package var isEnd: Bool { bytes == [UInt8(ascii: "-")] }
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
