/// A document's name, as the client wrote it.
///
/// Names compare as UTF-8 bytes: two spellings that look alike are two documents.
public struct DocumentID: Sendable, Hashable, CustomStringConvertible {
    /// The longest name, in bytes: it must fit into one path segment everywhere.
    public static let bytesMax = 256

    public let name: String

    /// `nil` if the name is empty or too long.
    public init?(_ name: String) {
        guard !name.isEmpty, name.utf8.count <= DocumentID.bytesMax else { return nil }
        self.name = name
    }

    public var description: String { name }

    public static func == (left: DocumentID, right: DocumentID) -> Bool {
        let (left, right) = (left.name.utf8.span, right.name.utf8.span)
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }

    public func hash(into hasher: inout Hasher) {
        // Equal bytes hash alike; that some unequal ones do, too, does no harm.
        hasher.combine(name)
    }
}
