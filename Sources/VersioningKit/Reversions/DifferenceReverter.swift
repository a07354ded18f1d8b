/// Compares two versions of a value, property by property.
struct DifferenceReverter<Root>: Reverter {
    private let current: Root
    private let previous: Root
    private var pieces: [any Piece<Root>] = []

    init(current: Root, previous: Root) {
        self.current = current
        self.previous = previous
    }

    /// What was found, if anything.
    var piece: (any Piece<Root>)? {
        pieces.count > 1 ? Pieces(pieces: pieces) : pieces.first
    }

    func hasChanged<Value: Equatable>(at keyPath: KeyPath<Root, Value>) -> Bool {
        current[keyPath: keyPath] != previous[keyPath: keyPath]
    }

    mutating func appendOverwriteReversion<Value: Equatable>(
        at keyPath: WritableKeyPath<Root, Value>
    ) {
        guard hasChanged(at: keyPath) else { return }
        append(Overwrite(value: previous[keyPath: keyPath]), at: keyPath)
    }

    mutating func appendReversion<Value: Revertible>(at keyPath: WritableKeyPath<Root, Value>) {
        let (new, old) = (current[keyPath: keyPath], previous[keyPath: keyPath])
        append(new.uncheckedReversion(to: old)?.piece, at: keyPath)
    }

    mutating func appendReversion<Element: Identifiable & Versionable>(
        at keyPath: WritableKeyPath<Root, [Element]>
    ) {
        let (new, old) = (current[keyPath: keyPath], previous[keyPath: keyPath])
        append(IdentifiedArrayPiece(current: new, previous: old), at: keyPath)
    }

    mutating func appendReversion<Element: Identifiable & Versionable>(
        at keyPath: WritableKeyPath<Root, [Element]?>
    ) {
        appendOptional(at: keyPath) { IdentifiedArrayPiece(current: $0, previous: $1) }
    }

    mutating func appendReversion<Key: Hashable, Value: Versionable>(
        at keyPath: WritableKeyPath<Root, [Key: Value]>
    ) {
        let (new, old) = (current[keyPath: keyPath], previous[keyPath: keyPath])
        append(DictionaryPiece.nested(current: new, previous: old), at: keyPath)
    }

    mutating func appendReversion<Key: Hashable, Value: Versionable>(
        at keyPath: WritableKeyPath<Root, [Key: Value]?>
    ) {
        appendOptional(at: keyPath) { DictionaryPiece.nested(current: $0, previous: $1) }
    }

    private mutating func append<Value>(
        _ piece: (any Piece<Value>)?, at keyPath: WritableKeyPath<Root, Value>
    ) {
        if let piece { pieces.append(PropertyPiece(keyPath: keyPath, piece: piece)) }
    }

    private mutating func appendOptional<Value: Equatable>(
        at keyPath: WritableKeyPath<Root, Value?>, _ compare: (Value, Value) -> (any Piece<Value>)?
    ) {
        let (new, old) = (current[keyPath: keyPath], previous[keyPath: keyPath])
        append(OptionalPiece.between(new, old, compare), at: keyPath)
    }
}
