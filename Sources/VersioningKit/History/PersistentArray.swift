/// An array whose copies share almost everything: changing one element of a copy costs O(log n),
/// not O(n). A radix tree of 8 elements a node, with the last elements in a tail of their own:
/// narrow, since a history that is shared with readers copies its tail for each version.
public struct PersistentArray<Element> {
    @usableFromInline static var bits: Int { 3 }
    @usableFromInline static var width: Int { 8 }

    @usableFromInline enum Node {
        case leaf(ContiguousArray<Element>)
        case inner(ContiguousArray<Node>)
    }

    @usableFromInline var root = Node.inner([])
    /// The lowest bit of an index that the root uses.
    @usableFromInline var shift = PersistentArray.bits
    @usableFromInline var tail: ContiguousArray<Element> = []
    public internal(set) var count = 0
    /// The number of first elements in another store.
    @usableFromInline var packed: (any PackedElements<Element>)?
    /// How many that are.
    public internal(set) var packedCount = 0
    /// Those of them that were changed since.
    @usableFromInline var changed = SparseArray<Element>()

    /// An array without elements.
    public init() {}

    /// An array whose first elements are stored in some other way. O(1).
    public init(packed: any PackedElements<Element>) {
        self.packed = packed
        packedCount = packed.count
        count = packed.count
    }

    /// The store of the first elements, and the indices of those that were changed since.
    public var packedElements: (store: any PackedElements<Element>, changed: [Int])? {
        packed.map { ($0, changed.places) }
    }

    /// An array of these elements. O(n).
    public init(_ elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }

    /// Without the tail, and without what is packed.
    @usableFromInline var treeCount: Int { count - packedCount - tail.count }

    /// Adds an element at the end. O(1) amortized.
    public mutating func append(_ element: Element) {
        if tail.count == PersistentArray.width {
            grow()
            PersistentArray.push(tail, at: treeCount, into: &root, shift: shift)
            tail = []
        }
        tail.append(element)
        count += 1
    }

    /// Adds a level where the tree has no room for the tail.
    private mutating func grow() {
        guard treeCount == 1 << (shift + PersistentArray.bits) else { return }
        root = .inner([root])
        shift += PersistentArray.bits
    }

    private static func push(
        _ leaf: ContiguousArray<Element>, at index: Int, into node: inout Node, shift: Int
    ) {
        guard case .inner(var children) = node else { return }
        // Emptied first, so that the array is not copied for the second reference.
        node = .inner([])
        let place = (index >> shift) & (width - 1)
        if shift == bits {
            children.append(.leaf(leaf))
        } else {
            if place == children.count { children.append(.inner([])) }
            push(leaf, at: index, into: &children[place], shift: shift - bits)
        }
        node = .inner(children)
    }

    @usableFromInline static func update(
        _ node: inout Node, _ index: Int, _ shift: Int, _ element: Element
    ) {
        switch node {
        case .leaf(var elements):
            node = .inner([])
            elements[index & (width - 1)] = element
            node = .leaf(elements)
        case .inner(var children):
            node = .inner([])
            update(&children[(index >> shift) & (width - 1)], index, shift - bits, element)
            node = .inner(children)
        }
    }
}

extension PersistentArray: RandomAccessCollection {
    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { count }

    /// O(log n): each node has 8 children.
    @inlinable public subscript(index: Int) -> Element {
        get {
            precondition(index >= 0 && index < count, "the index is in range")
            if index < packedCount { return packedElement(index) }
            let index = index - packedCount
            if index >= treeCount { return tail[index - treeCount] }
            var node = root
            var shift = shift
            while true {
                switch node {
                case .leaf(let elements): return elements[index & (PersistentArray.width - 1)]
                case .inner(let children):
                    node = children[(index >> shift) & (PersistentArray.width - 1)]
                    shift -= PersistentArray.bits
                }
            }
        }
        set {
            precondition(index >= 0 && index < count, "the index is in range")
            guard index >= packedCount else {
                changed.set(index, newValue)
                return
            }
            let index = index - packedCount
            if index >= treeCount {
                tail[index - treeCount] = newValue
            } else {
                PersistentArray.update(&root, index, shift, newValue)
            }
        }
    }
}

extension PersistentArray {
    @usableFromInline func packedElement(_ index: Int) -> Element {
        if let element = changed[index] { return element }
        guard let packed else { preconditionFailure("there is a store of packed elements") }
        return packed[index]
    }
}

/// Elements that are stored in some other way, such as in fewer bytes. They never change.
public protocol PackedElements<Element>: AnyObject, Sendable {
    associatedtype Element

    /// How many there are.
    var count: Int { get }

    /// The element at an index that is in range. From any thread.
    subscript(index: Int) -> Element { get }

    /// Where the first element is whose number is not below `number`, or `count` if none is: of
    /// elements that are numbered and in order. As narrow as is known without looking at elements.
    func places(from number: Int) -> ClosedRange<Int>

    /// The row of an element: each of its elements, including the first and the last one, follows
    /// the one right before it and leads to the one right after it. `nil` if no row of it is known.
    /// O(1).
    func row(at index: Int) -> Range<Int>?
}

extension PackedElements {
    /// Nothing is known.
    public func places(from number: Int) -> ClosedRange<Int> { 0...count }

    /// None is known.
    public func row(at index: Int) -> Range<Int>? { nil }
}

extension PersistentArray {
    /// The row of an element, from `PackedElements`. A changed element has the same predecessor,
    /// but may lead elsewhere.
    func row(at index: Int) -> Range<Int>? {
        index < packedCount ? packed?.row(at: index) : nil
    }

    /// The places of packed elements that were changed since. O(places).
    var changedPlaces: [Int] { changed.places }

    /// Where the first element is whose number is not below `number`, or `count` if none is; as
    /// `PackedElements` knows it.
    func places(from number: Int) -> ClosedRange<Int> {
        guard let places = packed?.places(from: number), places.lowerBound < packedCount
        else { return packedCount...count }
        return places
    }
}

extension PersistentArray: Sendable where Element: Sendable {}
extension PersistentArray.Node: Sendable where Element: Sendable {}
