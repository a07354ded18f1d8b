/// Puts back the order of elements that are known by their identity, the elements that were taken
/// out, and the changes inside those that stayed.
struct IdentifiedArrayPiece<Element: Identifiable & Versionable>: Piece {
    /// Where an element comes from.
    private enum Source {
        /// From the current array.
        case current(Int)
        /// It was taken out.
        case previous(Element)
    }

    /// Elements at the front whose identities are the same in both versions.
    private let prefix: Int
    /// Elements between front and back in the current version.
    private let count: Int
    private let middle: [Source]
    /// Changes inside elements, by their index in the previous version.
    private let changes: [(index: Int, piece: any Piece<Element>)]

    init?(current: [Element], previous: [Element]) {
        if current == previous { return nil }
        let common = Swift.min(current.count, previous.count)
        var front = 0
        while front < common && current[front].id == previous[front].id { front += 1 }
        var back = 0
        while back < common - front
            && current[current.count - 1 - back].id == previous[previous.count - 1 - back].id
        { back += 1 }
        let range = front..<(previous.count - back)
        let sources = IdentifiedArrayPiece.sources(
            current[front..<(current.count - back)], previous[range])
        var changes: [(index: Int, piece: any Piece<Element>)] = []
        func compare(_ index: Int, with place: Int) {
            if let reversion = current[place].uncheckedReversion(to: previous[index]) {
                changes.append((index, reversion.piece))
            }
        }
        for index in 0..<front { compare(index, with: index) }
        for (index, source) in zip(range, sources) {
            if case .current(let place) = source { compare(index, with: place) }
        }
        for index in range.upperBound..<previous.count {
            compare(index, with: index - previous.count + current.count)
        }
        prefix = front
        count = current.count - front - back
        middle = sources
        self.changes = changes
        if changes.isEmpty && middle.isEmpty && count == 0 { return nil }
    }

    /// The k-th element with an identity comes from the k-th one that has it.
    private static func sources(
        _ current: ArraySlice<Element>, _ previous: ArraySlice<Element>
    ) -> [Source] {
        var places: [Element.ID: [Int]] = [:]
        for index in current.indices.reversed() {
            places[current[index].id, default: []].append(index)
        }
        return previous.map { element in
            places[element.id]?.popLast().map { .current($0) } ?? .previous(element)
        }
    }

    func apply(to root: inout [Element]) throws(ReversionError) {
        guard prefix + count <= root.count else { throw .differentVersion }
        var elements: [Element] = []
        elements.reserveCapacity(middle.count)
        for source in middle {
            switch source {
            case .previous(let element): elements.append(element)
            case .current(let place):
                guard root.indices.contains(place) else { throw .differentVersion }
                elements.append(root[place])
            }
        }
        if !middle.isEmpty || count > 0 {
            root.replaceSubrange(prefix..<(prefix + count), with: elements)
        }
        for (index, piece) in changes {
            guard root.indices.contains(index) else { throw .differentVersion }
            try piece.apply(to: &root[index])
        }
    }
}
