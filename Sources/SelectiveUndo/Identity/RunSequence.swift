/// Runs of units in an order that never changes; each run is visible or hidden as a whole.
///
/// The characters of a text, or the slots of an array. Deleted units stay in the order without a
/// position, so they can return to their place. Runs are in chunks of bounded size, and each chunk
/// counts its visible units: a position is found in O(runs / chunk + chunk).
struct RunSequence: Sendable {
    struct Run: Sendable {
        var length: Int32
        var isVisible: Bool
        fileprivate var chunk: Int32
    }

    private struct Chunk: Sendable {
        var runs: [Int32] = []
        var visibleCount = 0
    }

    /// A chunk with more runs than this is split in half.
    private static let runsMax = 128

    private(set) var runs: [Run] = []
    private var chunks: [Chunk] = [Chunk()]
    /// The chunks in their order.
    private var order: [Int32] = [0]
    /// The number of visible units.
    private(set) var visibleCount = 0

    /// A sequence of one visible run, or of none if `length` is 0.
    init(length: Int) {
        if length > 0 { insert(length: length, before: nil) }
    }

    /// The run that holds the visible unit at `position`, and how many of its units come before;
    /// `nil` at the end.
    func run(at position: Int) -> (run: Int32, offset: Int)? {
        var rest = position
        for chunk in order {
            let count = chunks[chunk].visibleCount
            if rest >= count {
                rest -= count
                continue
            }
            for run in chunks[chunk].runs where runs[run].isVisible {
                let length = Int(runs[run].length)
                if rest < length { return (run, rest) }
                rest -= length
            }
        }
        return nil
    }

    /// The number of visible units before a run.
    func position(of run: Int32) -> Int {
        var position = 0
        for chunk in order {
            if chunk == runs[run].chunk { break }
            position += chunks[chunk].visibleCount
        }
        for other in chunks[runs[run].chunk].runs {
            if other == run { break }
            if runs[other].isVisible { position += Int(runs[other].length) }
        }
        return position
    }

    /// The runs in their order.
    var inOrder: [Int32] { order.flatMap { chunks[$0].runs } }

    /// Some runs in their order, each once.
    func sorted(_ wanted: [Int32]) -> [Int32] {
        if wanted.count < 2 { return wanted }
        let set = Set(wanted)
        return set.count > 64 ? inOrder.filter(set.contains) : set.sorted { rank($0) < rank($1) }
    }

    private func rank(_ run: Int32) -> (Int, Int) {
        let chunk = runs[run].chunk
        return (
            order.firstIndex(of: chunk) ?? 0, chunks[chunk].runs.firstIndex(of: run) ?? 0
        )
    }

    /// Adds a visible run immediately before another, or at the very end.
    @discardableResult
    mutating func insert(length: Int, before next: Int32?) -> Int32 {
        let chunk = next.map { runs[$0].chunk } ?? order[order.count - 1]
        let place =
            next.flatMap { chunks[chunk].runs.firstIndex(of: $0) } ?? chunks[chunk].runs.count
        let run = Int32(runs.count)
        runs.append(Run(length: Int32(length), isVisible: true, chunk: chunk))
        chunks[chunk].runs.insert(run, at: place)
        chunks[chunk].visibleCount += length
        visibleCount += length
        splitIfLarge(chunk)
        return run
    }

    /// Cuts a run in two. It keeps the first `offset` units; the rest is a new run right behind it.
    mutating func split(_ run: Int32, at offset: Int) -> Int32 {
        let old = runs[run]
        let rest = Int32(runs.count)
        runs[run].length = Int32(offset)
        runs.append(
            Run(length: old.length - Int32(offset), isVisible: old.isVisible, chunk: old.chunk))
        let place = chunks[old.chunk].runs.firstIndex(of: run) ?? 0
        chunks[old.chunk].runs.insert(rest, at: place + 1)
        splitIfLarge(old.chunk)
        return rest
    }

    mutating func setVisible(_ run: Int32, _ isVisible: Bool) {
        guard runs[run].isVisible != isVisible else { return }
        runs[run].isVisible = isVisible
        let change = Int(runs[run].length) * (isVisible ? 1 : -1)
        chunks[runs[run].chunk].visibleCount += change
        visibleCount += change
    }

    private mutating func splitIfLarge(_ chunk: Int32) {
        guard chunks[chunk].runs.count > RunSequence.runsMax,
            let place = order.firstIndex(of: chunk)
        else { return }
        let new = Int32(chunks.count)
        let moved = Array(chunks[chunk].runs[(RunSequence.runsMax / 2)...])
        chunks[chunk].runs.removeSubrange((RunSequence.runsMax / 2)...)
        var visible = 0
        for run in moved {
            runs[run].chunk = new
            if runs[run].isVisible { visible += Int(runs[run].length) }
        }
        chunks[chunk].visibleCount -= visible
        chunks.append(Chunk(runs: moved, visibleCount: visible))
        order.insert(new, at: place + 1)
    }
}

extension Array {
    /// The element with an identity: identities are indexes that never change.
    subscript(id: Int32) -> Element {
        get { self[Int(id)] }
        _modify { yield &self[Int(id)] }
    }
}
