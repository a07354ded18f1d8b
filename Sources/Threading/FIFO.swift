/// A queue: elements leave in the order in which they came. O(1) amortized.
public struct FIFO<Element> {
    /// Added at the end of `incoming`, removed from the end of `outgoing`.
    private var incoming: [Element] = []
    private var outgoing: [Element] = []

    public init() {}

    public var count: Int { incoming.count + outgoing.count }
    public var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }

    /// Adds an element at the end.
    public mutating func append(_ element: Element) {
        incoming.append(element)
    }

    /// Removes the element that came first; `nil` if there is none.
    public mutating func popFirst() -> Element? {
        if outgoing.isEmpty {
            outgoing = incoming.reversed()
            incoming.removeAll(keepingCapacity: true)
        }
        return outgoing.popLast()
    }
}

extension FIFO: Sendable where Element: Sendable {}
