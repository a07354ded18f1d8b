import Threading

/// The unpacked entries of recently read segments: a read of several pages does not unpack the same
/// segment again.
///
/// `Key`: which segment it is. Never another one of the same key.
package final class SegmentCache<Key: Hashable & Sendable>: Sendable {
    /// The limit on the bytes of its entries.
    private static var bytesMax: Int { 16 << 20 }
    /// The bytes of an entry besides its body.
    private static var entryBytes: Int { 256 }

    private struct Slot {
        let entries: [Segment.Numbered]
        let weight: Int
        var lastUse: Int
    }

    private struct State {
        var slots: [Key: Slot] = [:]
        var weight = 0
        var uses = 0
    }

    private let state = Lock(State())

    package init() {}

    /// The entries of the segment with a key.
    package subscript(key: Key) -> [Segment.Numbered]? {
        state.withLock { state in
            state.uses += 1
            state.slots[key]?.lastUse = state.uses
            return state.slots[key]?.entries
        }
    }

    /// The segments that are here.
    package var keys: [Key] { state.withLock { Array($0.slots.keys) } }

    /// Forgets all.
    package func removeAll() {
        state.withLock { $0 = State(uses: $0.uses) }
    }

    /// Remembers the entries of a segment; what was not used for longest goes for it.
    package func add(_ entries: [Segment.Numbered], key: Key) {
        let weight = entries.reduce(0) { $0 + $1.entry.body.count + SegmentCache.entryBytes }
        guard weight <= SegmentCache.bytesMax / 2 else { return }
        state.withLock { state in
            state.uses += 1
            let old = state.slots.updateValue(
                Slot(entries: entries, weight: weight, lastUse: state.uses), forKey: key)
            state.weight += weight - (old?.weight ?? 0)
            while state.weight > SegmentCache.bytesMax,
                let oldest = state.slots.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.slots[oldest.key] = nil
                state.weight -= oldest.value.weight
            }
        }
    }
}
