/// A name given by a client: of an actor, a tag, a snapshot, a request.
///
/// Names compare as UTF-8 bytes. Swift's strings do not: two that look alike are equal, and then
/// one person could undo what another did, whose name only looks the same.
public struct Name: Sendable, Hashable, Comparable {
    /// The text, as it was given.
    public let text: String

    /// A name with this text.
    @inlinable
    public init(_ text: String) {
        self.text = text
    }

    /// The actor without a name. All clients without names are this one actor, and any client may
    /// change the things that it owns.
    public static let nobody = Name("")

    /// Whether it is the empty name.
    public var isEmpty: Bool { text.isEmpty }

    /// Whether this is another name, or one below it, as `agent/run-17` is one of `agent`. No names
    /// are below the empty one.
    public func isOne(of family: Name) -> Bool {
        if self == family { return true }
        let (name, prefix) = (text.utf8, family.text.utf8)
        return !family.isEmpty && name.count > prefix.count + 1 && name.starts(with: prefix)
            && name.dropFirst(prefix.count).first == UInt8(ascii: "/")
    }

    /// Whether both are the same bytes: names that look alike are two.
    @inlinable
    public static func == (left: Name, right: Name) -> Bool {
        let (left, right) = (left.text.utf8.span, right.text.utf8.span)
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }

    /// Hashes the bytes, as `==` compares them.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        // Equal bytes have equal hashes; collisions do no harm.
        hasher.combine(text)
    }

    /// The order of the bytes.
    public static func < (left: Name, right: Name) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension Name: ExpressibleByStringInterpolation {
    /// A name from a literal.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension Name: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}
