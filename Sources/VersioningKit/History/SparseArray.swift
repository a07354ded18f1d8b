/// Elements at some of many places. Copies share almost everything: setting one costs O(log of the
/// largest place), however many there are. A radix tree of 8 places a node.
@usableFromInline struct SparseArray<Element> {
    private static var bits: Int { 3 }
    private static var width: Int { 8 }

    fileprivate enum Node {
        case empty
        case leaf(ContiguousArray<Element?>)
        case inner(ContiguousArray<Node>)
    }

    private var root = Node.empty
    /// The lowest bit of a place that the root uses.
    private var shift = 0

    init() {}

    @usableFromInline subscript(place: Int) -> Element? {
        guard place >> shift < SparseArray.width else { return nil }
        var (node, shift) = (root, shift)
        while true {
            let slot = (place >> shift) & (SparseArray.width - 1)
            switch node {
            case .empty: return nil
            case .leaf(let elements): return elements[slot]
            case .inner(let children): node = children[slot]
            }
            shift -= SparseArray.bits
        }
    }

    /// Puts an element into a place that is not negative.
    @usableFromInline mutating func set(_ place: Int, _ element: Element) {
        while place >> shift >= SparseArray.width {
            if case .empty = root {} else { root = SparseArray.parent(of: root) }
            shift += SparseArray.bits
        }
        SparseArray.set(place, element, &root, shift)
    }

    private static func parent(of node: Node) -> Node {
        var children = ContiguousArray(repeating: Node.empty, count: width)
        children[0] = node
        return .inner(children)
    }

    private static func set(_ place: Int, _ element: Element, _ node: inout Node, _ shift: Int) {
        let slot = (place >> shift) & (width - 1)
        switch node {
        case .leaf(var elements):
            // Emptied first, so that the array is not copied for the second reference.
            node = .empty
            elements[slot] = element
            node = .leaf(elements)
        case .inner(var children):
            node = .empty
            set(place, element, &children[slot], shift - bits)
            node = .inner(children)
        case .empty:
            node =
                shift == 0
                ? .leaf(ContiguousArray(repeating: nil, count: width)) : parent(of: .empty)
            set(place, element, &node, shift)
        }
    }

    /// The places that have an element, in order. O(places).
    var places: [Int] {
        var places: [Int] = []
        SparseArray.add(root, from: 0, shift, to: &places)
        return places
    }

    private static func add(_ node: Node, from first: Int, _ shift: Int, to places: inout [Int]) {
        switch node {
        case .empty: break
        case .leaf(let elements):
            for slot in elements.indices where elements[slot] != nil { places.append(first + slot) }
        case .inner(let children):
            for slot in children.indices {
                add(children[slot], from: first + slot << shift, shift - bits, to: &places)
            }
        }
    }
}

extension SparseArray: Sendable where Element: Sendable {}
extension SparseArray.Node: Sendable where Element: Sendable {}
