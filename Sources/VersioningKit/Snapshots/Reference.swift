/// A computed property that belongs to the snapshots of its object.
public struct Reference<Owner> {
    /// The name that the property has in snapshots.
    public let name: String
    let keyPath: AnyKeyPath
    let read: () -> Any?
    let write: (Any) -> Void

}

extension Reference where Owner: AnyObject {
    /// The property at `keyPath` of `owner`, which is held weakly. Without a setter it is saved,
    /// but not put back.
    public init<Value>(owner: Owner, name: String, keyPath: KeyPath<Owner, Value>) {
        self.name = name
        self.keyPath = keyPath
        read = { [weak owner] in owner?[keyPath: keyPath] }
        write = { [weak owner] value in
            guard let settable = keyPath as? ReferenceWritableKeyPath<Owner, Value>,
                let value = value as? Value
            else { return }
            owner?[keyPath: settable] = value
        }
    }
}

/// Lets `references` list one reference a line.
@resultBuilder
public enum ReferenceBuilder<Owner> {
    /// One line.
    public static func buildExpression(_ reference: Reference<Owner>) -> [Reference<Owner>] {
        [reference]
    }

    /// A line that is a list.
    public static func buildExpression(_ references: [Reference<Owner>]) -> [Reference<Owner>] {
        references
    }

    /// All lines.
    public static func buildBlock(_ lines: [Reference<Owner>]...) -> [Reference<Owner>] {
        lines.flatMap { $0 }
    }
}
