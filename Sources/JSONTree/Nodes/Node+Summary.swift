/// The hash of a node's content before its finish, in two words.
///
/// Arrays are polynomials modulo 2^61 - 1, in which the place of an element counts; objects are
/// plain sums, in which it does not. Both follow from their parts, however these are cut into
/// nodes.
struct Lanes: Equatable, Sendable {
    var high: UInt64 = 0
    var low: UInt64 = 0
}

/// The contribution of one slot to its node.
struct Contribution {
    var lanes: Lanes
    var bytes: Int
    var values: Int
    var height: Int
    var count: Int
}

extension Node {
    /// Computes what the node knows from its slots.
    func summarize() {
        let key = HashKey.content
        var sum = Contribution(lanes: Lanes(), bytes: 0, values: 0, height: 1, count: 0)
        if level > 0 {
            addChildren(to: &sum)
        } else if hasNames {
            addMembers(to: &sum, key)
        } else {
            addElements(to: &sum, key)
        }
        updateHeader { header in
            header.lanes = sum.lanes
            header.contentBytes = sum.bytes
            header.contentValues = sum.values
            header.height = Int32(clamping: sum.height)
            header.count = sum.count
        }
    }

    private func addElements(to sum: inout Contribution, _ key: HashKey) {
        var sequence = Polynomial(Lanes())
        withSlots { slots in
            for slot in slots.indices {
                let measure = slots[slot].measure(key)
                sequence.append(measure.hash.high, measure.hash.low, key)
                sum.bytes += measure.bytes + 1
                sum.values += measure.values
                sum.height = max(sum.height, measure.height + 1)
            }
            sum.count = slots.count
        }
        sum.lanes = sequence.lanes
    }

    private func addMembers(to sum: inout Contribution, _ key: HashKey) {
        let shape = shape
        sum.bytes = shape.textCount
        withSlots { slots in
            shape.forEachHash { slot, hash in
                let measure = slots[slot].measure(key)
                let lanes = hash.member(measure.hash, key)
                sum.lanes.high &+= lanes.high
                sum.lanes.low &+= lanes.low
                sum.bytes += measure.bytes + 1
                sum.values += measure.values
                sum.height = max(sum.height, measure.height + 1)
            }
            sum.count = slots.count
        }
    }

    private func addChildren(to sum: inout Contribution) {
        var sequence = Polynomial(Lanes())
        withSlots { slots in
            for slot in slots.indices {
                guard let child = slots[slot].node else { continue }
                let lanes = child.lanes
                if isObject {
                    sum.lanes.high &+= lanes.high
                    sum.lanes.low &+= lanes.low
                } else {
                    sequence.append(Polynomial(lanes), count: child.count)
                }
                sum.bytes += child.contentBytes
                sum.values += child.contentValues
                sum.height = max(sum.height, child.height)
                sum.count += child.count
            }
        }
        if !isObject { sum.lanes = sequence.lanes }
    }

    /// The contribution of `value` to this node in `slot`.
    func contribution(of value: JSON, in slot: Int) -> Contribution {
        if level > 0, let child = value.node {
            return Contribution(
                lanes: child.lanes, bytes: child.contentBytes, values: child.contentValues,
                height: child.height, count: child.count)
        }
        let key = HashKey.content
        let measure = value.measure(key)
        let lanes =
            isObject
            ? shape.hash(slot).member(measure.hash, key)
            : Polynomial(measure.hash.high, measure.hash.low).lanes
        return Contribution(
            lanes: lanes, bytes: measure.bytes + 1, values: measure.values,
            height: measure.height + 1, count: 1)
    }

    /// Updates the summary of the node after one slot's value was replaced by one with as many
    /// elements. `following` is the number of elements after the slot.
    func replaced(_ old: Contribution, by new: Contribution, following: Int) {
        let isObject = isObject
        updateHeader { header in
            header.contentBytes += new.bytes - old.bytes
            header.contentValues += new.values - old.values
            if isObject {
                header.lanes.high &+= new.lanes.high &- old.lanes.high
                header.lanes.low &+= new.lanes.low &- old.lanes.low
            } else {
                header.lanes =
                    Polynomial(header.lanes)
                    .replacing(
                        Polynomial(old.lanes), by: Polynomial(new.lanes), following: following
                    ).lanes
            }
        }
        let height = height
        if new.height >= height {
            updateHeader { $0.height = Int32(clamping: new.height) }
        } else if old.height == height {
            let tallest = tallestSlot
            updateHeader { $0.height = Int32(clamping: tallest) }
        }
    }

    private var tallestSlot: Int {
        let own = level == 0 ? 1 : 0
        return withSlots { slots in
            var tallest = 1
            for slot in slots.indices { tallest = max(tallest, slots[slot].height + own) }
            return tallest
        }
    }
}
