import Naming

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
        Name(left.name) == Name(right.name)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(Name(name))
    }
}

extension DocumentID: Comparable {
    /// The order of the names' bytes.
    public static func < (left: DocumentID, right: DocumentID) -> Bool {
        Name(left.name) < Name(right.name)
    }
}
