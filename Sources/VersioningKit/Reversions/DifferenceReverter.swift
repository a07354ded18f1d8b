/// Compares two versions of a value, property by property.
struct DifferenceReverter<Root>: Reverter {
    private let current: Root
    private let previous: Root
    private var pieces: [any Piece<Root>] = []

    init(current: Root, previous: Root) {
        self.current = current
        self.previous = previous
    }

    /// The difference, if any.
    var piece: (any Piece<Root>)? {
        pieces.count > 1 ? Pieces(pieces: pieces) : pieces.first
    }

    func hasChanged<Value: Equatable>(at keyPath: KeyPath<Root, Value>) -> Bool {
        current[keyPath: keyPath] != previous[keyPath: keyPath]
    }

    mutating func append<Value>(
        at keyPath: WritableKeyPath<Root, Value>,
        comparing compare: (Value, Value) -> Reversion<Value>?
    ) {
        let reversion = compare(current[keyPath: keyPath], previous[keyPath: keyPath])
        guard let reversion else { return }
        pieces.append(PropertyPiece(keyPath: keyPath, piece: reversion.piece))
    }
}
