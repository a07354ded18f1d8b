/// Puts back the one stretch of a sequence that differs.
struct Stretch<Elements: RangeReplaceableCollection & BidirectionalCollection>: Piece
where Elements.Element: Equatable {
    /// Elements before the stretch.
    private let start: Int
    /// Elements to take out.
    private let count: Int
    /// Elements to put there.
    private let elements: Elements

    init?(current: Elements, previous: Elements) {
        let (new, old) = (Array(current), Array(previous))
        let common = Swift.min(new.count, old.count)
        var front = 0
        while front < common && new[front] == old[front] { front += 1 }
        var back = 0
        while back < common - front && new[new.count - 1 - back] == old[old.count - 1 - back] {
            back += 1
        }
        if front == new.count && front == old.count { return nil }
        start = front
        count = new.count - front - back
        elements = Elements(old[front..<(old.count - back)])
    }

    func apply(to root: inout Elements) throws(ReversionError) {
        guard let lower = root.index(root.startIndex, offsetBy: start, limitedBy: root.endIndex),
            let upper = root.index(lower, offsetBy: count, limitedBy: root.endIndex)
        else { throw .differentVersion }
        root.replaceSubrange(lower..<upper, with: elements)
    }
}

/// Puts back the one stretch of a text that differs, cut between Unicode scalars.
struct TextStretch: Piece {
    private let start: Int
    private let count: Int
    private let text: String

    init?(current: String, previous: String) {
        if current.utf8.elementsEqual(previous.utf8) { return nil }
        let (new, old) = (current.unicodeScalars, previous.unicodeScalars)
        let prefix = zip(new, old).prefix { $0 == $1 }.count
        let suffixMax = Swift.min(new.count, old.count) - prefix
        let suffix = zip(new.reversed(), old.reversed()).prefix(suffixMax).prefix { $0 == $1 }.count
        let lower = old.index(old.startIndex, offsetBy: prefix)
        let upper = old.index(old.endIndex, offsetBy: -suffix)
        start = prefix
        count = new.count - prefix - suffix
        text = String(old[lower..<upper])
    }

    func apply(to root: inout String) throws(ReversionError) {
        let scalars = root.unicodeScalars
        guard
            let lower = scalars.index(
                scalars.startIndex, offsetBy: start, limitedBy: scalars.endIndex),
            let upper = scalars.index(lower, offsetBy: count, limitedBy: scalars.endIndex)
        else { throw .differentVersion }
        root.unicodeScalars.replaceSubrange(lower..<upper, with: text.unicodeScalars)
    }
}

/// Puts back what was taken out of a set, and takes out what was put in.
struct SetPiece<Element: Hashable>: Piece {
    private let inserted: Set<Element>
    private let removed: Set<Element>

    init?(current: Set<Element>, previous: Set<Element>) {
        if current == previous { return nil }
        inserted = current.subtracting(previous)
        removed = previous.subtracting(current)
    }

    func apply(to root: inout Set<Element>) throws(ReversionError) {
        root.subtract(inserted)
        root.formUnion(removed)
    }
}

/// Puts back the values of the keys that differ.
struct DictionaryPiece<Key: Hashable, Value>: Piece {
    private enum Change {
        case remove
        case set(Value)
        case revert(any Piece<Value>)
    }

    private let changes: [(key: Key, change: Change)]

    func apply(to root: inout [Key: Value]) throws(ReversionError) {
        for (key, change) in changes {
            switch change {
            case .remove: root[key] = nil
            case .set(let value): root[key] = value
            case .revert(let piece):
                guard var value = root[key] else { throw .differentVersion }
                try piece.apply(to: &value)
                root[key] = value
            }
        }
    }

    private init?(
        _ current: [Key: Value], _ previous: [Key: Value], _ compare: (Value, Value) -> Change?
    ) {
        var changes: [(key: Key, change: Change)] = []
        for (key, value) in current {
            guard let old = previous[key] else {
                changes.append((key, .remove))
                continue
            }
            if let change = compare(value, old) { changes.append((key, change)) }
        }
        for (key, old) in previous where current[key] == nil { changes.append((key, .set(old))) }
        if changes.isEmpty { return nil }
        self.changes = changes
    }

    static func whole(current: [Key: Value], previous: [Key: Value]) -> DictionaryPiece?
    where Value: Equatable {
        DictionaryPiece(current, previous) { $0 == $1 ? nil : .set($1) }
    }

    static func nested(current: [Key: Value], previous: [Key: Value]) -> DictionaryPiece?
    where Value: Versionable {
        DictionaryPiece(current, previous) { new, old in
            new.uncheckedReversion(to: old).map { .revert($0.piece) }
        }
    }
}

/// Changes what an optional holds.
struct OptionalPiece<Wrapped>: Piece {
    private let piece: any Piece<Wrapped>

    func apply(to root: inout Wrapped?) throws(ReversionError) {
        guard var value = root else { throw .differentVersion }
        try piece.apply(to: &value)
        root = value
    }

    static func between(
        _ current: Wrapped?, _ previous: Wrapped?,
        _ compare: (Wrapped, Wrapped) -> (any Piece<Wrapped>)?
    ) -> Reversion<Wrapped?>? {
        switch (current, previous) {
        case (nil, nil): nil
        case (let new?, let old?): compare(new, old).map { Reversion(OptionalPiece(piece: $0)) }
        default: Reversion(Overwrite(value: previous))
        }
    }
}
