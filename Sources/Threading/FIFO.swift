/// A queue: elements leave in the order in which they came. O(1) amortized.
///
/// Inlinable: it is on the path of each change, and much slower when it is not specialized.
public struct FIFO<Element> {
    /// Removed elements are `nil`; the array drops them when they are half of it.
    @usableFromInline var elements: [Element?] = []
    /// The index of the first element that has not left.
    @usableFromInline var start = 0

    @inlinable public init() {}

    @inlinable public var count: Int { elements.count - start }
    @inlinable public var isEmpty: Bool { start == elements.count }

    /// Adds an element at the end.
    @inlinable public mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// The element that came first, or `nil`.
    @inlinable public var first: Element? { isEmpty ? nil : elements[start] }

    /// Removes the element that came first; `nil` if there is none.
    @inlinable public mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        var element: Element?
        swap(&element, &elements[start])
        start += 1
        if start * 2 >= elements.count {
            elements.removeFirst(start)
            start = 0
        }
        return element
    }
}

extension FIFO: Sendable where Element: Sendable {}
