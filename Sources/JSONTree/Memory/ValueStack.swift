/// Values on their way into nodes: pushed one by one, moved out many at a time.
@safe struct ValueStack: ~Copyable {
    private var base: UnsafeMutablePointer<JSON>?
    private var capacity = 0
    private(set) var count = 0

    init() {
        unsafe base = nil
    }

    init(_ values: some Sequence<JSON>) {
        self.init()
        for value in values { push(value) }
    }

    deinit {
        guard let base = unsafe base else { return }
        unsafe base.deinitialize(count: count)
        unsafe base.deallocate()
    }

    @inline(__always)
    mutating func push(_ value: consuming JSON) {
        if count == capacity { grow() }
        // `grow` has made room, so there is a base.
        unsafe (base.unsafelyUnwrapped + count).initialize(to: value)
        count += 1
    }

    /// Pushes some of a node's slots.
    mutating func push(_ range: Range<Int>, of node: Node) {
        for slot in range { push(node[slot]) }
    }

    @inline(__always)
    mutating func pop() -> JSON? {
        guard count > 0, let base = unsafe base else { return nil }
        count -= 1
        return unsafe (base + count).move()
    }

    subscript(index: Int) -> JSON {
        precondition(index >= 0 && index < count, "no such value")
        return unsafe base.unsafelyUnwrapped[index]
    }

    /// Moves the topmost `amount` values to uninitialized memory that has room for them.
    @unsafe mutating func moveTop(_ amount: Int, to target: UnsafeMutablePointer<JSON>) {
        precondition(amount >= 0 && amount <= count, "more values than there are")
        guard amount > 0, let base = unsafe base else { return }
        count -= amount
        unsafe target.moveInitialize(from: base + count, count: amount)
    }

    @inline(never)
    private mutating func grow() {
        let wider = max(32, capacity * 2)
        let fresh = UnsafeMutablePointer<JSON>.allocate(capacity: wider)
        if let base = unsafe base {
            unsafe fresh.moveInitialize(from: base, count: count)
            unsafe base.deallocate()
        }
        unsafe base = fresh
        capacity = wider
    }
}

extension ValueStack {
    /// Cuts the values above `start` into nodes of at most `slotsMax` slots and nearly equal size,
    /// and pushes these nodes in their place.
    mutating func group(from start: Int, isObject: Bool, level: UInt8, shapes: [Shape] = []) {
        let total = count - start
        let most = Node.slotsMax(hasNames: !shapes.isEmpty)
        let parts = (total + most - 1) / most
        var nodes: [Node] = []
        nodes.reserveCapacity(parts)
        for part in (0..<parts).reversed() {
            let size = ValueStack.part(part, of: parts, total).count
            let shape = shapes.isEmpty ? nil : shapes[part]
            nodes.append(
                Node.make(
                    isObject: isObject, level: level, shape: shape, taking: size, from: &self))
        }
        while let node = nodes.popLast() {
            push(isObject ? JSON(.object(ObjectNode(node))) : JSON(.array(ArrayNode(node))))
        }
    }

    /// The one node above the nodes of `level` - 1 from `start` on, however many levels it takes.
    mutating func root(from start: Int, isObject: Bool, level: UInt8) -> Node? {
        var level = level
        while count - start > 1 {
            group(from: start, isObject: isObject, level: level)
            level += 1
        }
        return count > start ? pop()?.node : nil
    }

    /// The range of part `index` of `parts` nearly equal ones.
    static func part(_ index: Int, of parts: Int, _ total: Int) -> Range<Int> {
        (total * index / parts)..<(total * (index + 1) / parts)
    }
}
