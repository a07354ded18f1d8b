/// The rights of a client. By name, each right includes those before it: a response to a write
/// contains the value, so writing includes reading.
public struct Rights: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Read values, histories and feeds.
    public static let read = Rights(rawValue: 1)
    /// Edit, undo own edits, redo, tag, open scopes, take snapshots.
    public static let write = Rights(rawValue: 2)
    /// Undo other actors' changes, and close their scopes.
    public static let undoOthers = Rights(rawValue: 4)
    /// Delete documents, change settings, and speak for others.
    public static let admin = Rights(rawValue: 8)

    /// Write drafts: documents with a `~` in their names.
    public static let propose = Rights(rawValue: 16)

    public static let all: Rights = [.read, .propose, .write, .undoOthers, .admin]

    /// The words for them, in files and on the command line.
    private static let names: [(name: String, right: Rights)] = [
        ("read", .read), ("propose", .propose), ("write", .write), ("undo-others", .undoOthers),
        ("admin", .admin),
    ]

    /// A right by its name, with those before it.
    public init?(name: String) {
        guard let place = Rights.names.firstIndex(where: { $0.name == name }) else { return nil }
        self = Rights(Rights.names[...place].map(\.right))
    }

    /// The names of the rights. The right to write includes proposing, which is left out.
    public var names: [String] {
        let shown = contains(.write) ? subtracting(.propose) : self
        return Rights.names.filter { shown.contains($0.right) }.map(\.name)
    }

    /// The names that `init(name:)` knows, each right including those before it.
    public static var allNames: [String] { names.map(\.name) }
}
