import Journaling
import Threading

/// Segments that were read lately, taken apart: whoever reads on from one page to the next does not
/// unpack the same segment again.
final class SegmentCache: Sendable {
    /// What the entries in it may take.
    static let bytesMax = 16 << 20
    /// What an entry takes beside its body.
    private static let entryBytes = 256

    private struct Slot {
        let entries: [Segment.Numbered]
        let weight: Int
        var lastUse: Int
    }

    private struct State {
        var slots: [Int: Slot] = [:]
        var weight = 0
        var uses = 0
    }

    private let state = Lock(State())

    /// The entries of the segment with a key.
    subscript(key: Int) -> [Segment.Numbered]? {
        state.withLock { state in
            state.uses += 1
            state.slots[key]?.lastUse = state.uses
            return state.slots[key]?.entries
        }
    }

    /// Forgets all. Keys are never used again, so what a reader adds late is not found.
    func removeAll() {
        state.withLock { $0 = State(uses: $0.uses) }
    }

    /// Remembers the entries of a segment; what was not used for longest goes for it.
    func add(_ entries: [Segment.Numbered], key: Int) {
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
