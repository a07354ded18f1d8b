/// The summary of a node and everything below it.
struct NodeHeader {
    let isObject: Bool
    /// 0 for a node that holds elements or members, one more for each level above.
    let level: UInt8
    fileprivate(set) var slotCount: Int32 = 0
    /// How deeply containers nest, this one included.
    var height: Int32 = 1
    /// The number of elements or members.
    var count = 0
    /// The length as JSON text, each element or member with one comma, without brackets.
    var contentBytes = 0
    /// How many values there are below, at any depth.
    var contentValues = 0
    /// The hash of the content, before its finish: see `Lanes`.
    var lanes = Lanes()
    /// The names of an object's members, on level 0.
    let shape: Shape?
}

/// A node of an array or of an object: what it knows, and its slots, in one allocation.
///
/// On level 0 the slots are values; above it they are the nodes one level below. A node changes
/// only while one single reference to it exists.
///
/// The reason: an array of Swift would be a second allocation and a second pointer to follow, and
/// its header is as large as ours. With the sums in the header, the root alone gives length, hash
/// and position of a whole tree; each edit updates them along one path. All objects with the same
/// member names share one shape, so that a thousand rows have one.
final class Node: ManagedBuffer<NodeHeader, JSON> {
    /// Small, because a copied slot costs a retain, and retains are the cost of a tree. Of a leaf
    /// with names more: what their shape costs is shared by its slots.
    static func slotsMax(hasNames: Bool) -> Int { hasNames ? 32 : 16 }
    /// With fewer slots than this a node joins a neighbour.
    static func slotsMin(hasNames: Bool) -> Int { slotsMax(hasNames: hasNames) / 4 }
    /// Trees up to this height are freed by recursion; above it the heap holds what is left to do.
    private static let freedByRecursionMax = 256

    deinit {
        unsafe withUnsafeMutablePointers { header, slots in
            if unsafe header.pointee.height > Node.freedByRecursionMax { freeTallSlots() }
            _ = unsafe slots.deinitialize(count: Int(header.pointee.slotCount))
        }
    }

    /// A node of the topmost `count` values of `values`, which loses them.
    static func make(
        isObject: Bool, level: UInt8, shape: Shape?, taking count: Int,
        from values: inout ValueStack
    ) -> Node {
        let node = allocate(NodeHeader(isObject: isObject, level: level, shape: shape), count)
        unsafe node.withUnsafeMutablePointers { header, slots in
            unsafe values.moveTop(count, to: slots)
            unsafe header.pointee.slotCount = Int32(count)
        }
        node.summarize()
        return node
    }

    private static func allocate(_ header: NodeHeader, _ capacity: Int) -> Node {
        let buffer = Node.create(minimumCapacity: capacity) { _ in header }
        // `create` makes an instance of the class that it is called on.
        return unsafe unsafeDowncast(buffer, to: Node.self)
    }

    /// A copy of its own, for changing one slot of it.
    func copy() -> Node {
        unsafe withUnsafeMutablePointers { header, slots in
            var fresh = unsafe header.pointee
            fresh.slotCount = 0
            let count = unsafe Int(header.pointee.slotCount)
            let node = Node.allocate(fresh, count)
            unsafe node.withUnsafeMutablePointers { copiedHeader, copiedSlots in
                unsafe copiedSlots.initialize(from: slots, count: count)
                unsafe copiedHeader.pointee.slotCount = Int32(count)
            }
            return node
        }
    }
}

/// Reading. The pointers live no longer than one expression.
extension Node {
    @inline(__always)
    var isObject: Bool { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.isObject } }
    @inline(__always)
    var level: UInt8 { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.level } }
    @inline(__always)
    var count: Int { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.count } }
    @inline(__always)
    var lanes: Lanes { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.lanes } }
    @inline(__always)
    var slotCount: Int {
        unsafe withUnsafeMutablePointerToHeader { unsafe Int($0.pointee.slotCount) }
    }
    @inline(__always)
    var height: Int {
        unsafe withUnsafeMutablePointerToHeader { unsafe Int($0.pointee.height) }
    }
    @inline(__always)
    var contentBytes: Int {
        unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.contentBytes }
    }

    var contentValues: Int {
        unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.contentValues }
    }

    /// Whether its slots are members.
    var hasNames: Bool { isObject && level == 0 }

    /// The names of the members, of an object on level 0.
    @inline(__always)
    var shape: Shape {
        let shape = unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.shape }
        guard let shape else { preconditionFailure("an object's leaf has a shape") }
        return shape
    }

    /// The value in a slot. Outside the slots is a programmer's error.
    @inline(__always)
    subscript(slot: Int) -> JSON {
        unsafe withUnsafeMutablePointers { header, slots in
            let isSlot = unsafe slot >= 0 && slot < Int(header.pointee.slotCount)
            precondition(isSlot, "no such slot")
            return unsafe slots[slot]
        }
    }

    /// Read access to all slots.
    @inline(__always)
    func withSlots<Result, Failure: Error>(
        _ body: (Span<JSON>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe withUnsafeMutablePointers { header, slots throws(Failure) in
            let all = unsafe UnsafeBufferPointer(start: slots, count: Int(header.pointee.slotCount))
            return try body(unsafe all.span)
        }
    }
}

/// Changing. The caller holds the only reference.
extension Node {
    /// Puts `value` into a slot and returns what was there.
    @inline(__always)
    func exchange(_ slot: Int, with value: JSON) -> JSON {
        unsafe withUnsafeMutablePointers { header, slots in
            let isSlot = unsafe slot >= 0 && slot < Int(header.pointee.slotCount)
            precondition(isSlot, "no such slot")
            let old = unsafe (slots + slot).move()
            unsafe (slots + slot).initialize(to: value)
            return old
        }
    }

    /// Changes what the node knows about itself.
    @inline(__always)
    func updateHeader(_ body: (inout NodeHeader) -> Void) {
        unsafe withUnsafeMutablePointerToHeader { unsafe body(&$0.pointee) }
    }

    /// Frees what is below without recursion: takes tall children out before they are released.
    private func freeTallSlots() {
        var pending = ValueStack()
        moveTallSlots(to: &pending)
        while var value = pending.pop() {
            guard var node = value.node else { continue }
            // Let go, or the node would look shared.
            value = .null
            if isKnownUniquelyReferenced(&node) { node.moveTallSlots(to: &pending) }
        }
    }

    private func moveTallSlots(to pending: inout ValueStack) {
        for slot in 0..<slotCount where self[slot].height > Node.freedByRecursionMax {
            pending.push(exchange(slot, with: .null))
        }
    }
}

extension JSON {
    /// The node, if this is an array or an object.
    @inline(__always)
    var node: Node? {
        switch storage {
        case .array(let node): node.node
        case .object(let node): node.node
        default: nil
        }
    }
}
