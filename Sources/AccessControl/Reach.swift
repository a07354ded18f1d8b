public import Naming

/// Which documents a grant is about.
public struct Reach: Sendable, Equatable {
    /// Those whose names begin so; `nil` for none but `documents`. All, if it is empty.
    public let prefix: String?
    /// These documents as well.
    public let documents: Set<Name>

    public init(prefix: String?, documents: Set<Name> = []) {
        self.prefix = prefix
        self.documents = documents
    }

    /// Whether a token may name documents so: names with a NUL are those of the daemon's own.
    public static func mayName(_ text: String) -> Bool { !text.utf8.contains(0) }

    /// All documents.
    public static let all = Reach(prefix: "")

    /// Whether it is all of them.
    public var isAll: Bool { prefix?.isEmpty == true }

    /// Whether a document of this name is one of them.
    public func contains(_ document: String) -> Bool {
        containsAll(beginningWith: document) || documents.contains(Name(document))
    }

    /// Whether all documents are among them whose names begin so.
    public func containsAll(beginningWith prefix: String) -> Bool {
        guard let own = self.prefix else { return false }
        return prefix.utf8.starts(with: own.utf8)
    }

    /// The part of a prefix that they have; `nil` if that is none. Documents that are named one by
    /// one are in no list.
    public func narrowed(_ prefix: String) -> String? {
        guard let own = self.prefix else { return nil }
        if prefix.utf8.starts(with: own.utf8) { return prefix }
        return own.utf8.starts(with: prefix.utf8) ? own : nil
    }

    /// The documents that are in both.
    func intersection(prefix other: String) -> Reach {
        let outer = Reach(prefix: other)
        return Reach(
            prefix: prefix.flatMap(outer.narrowed),
            documents: documents.filter { outer.contains($0.text) })
    }
}
