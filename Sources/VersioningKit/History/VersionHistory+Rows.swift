// Ways along parents, past rows in which each version was made on the one before: what people make
// who type. Where versions are packed these are known, and passed at once.

extension VersionHistory {
    /// The newest version on the way back from a place that is not after `end`. O(rows, and
    /// versions between them and in none).
    func climb(_ place: Int32, to end: Int32) -> Int32 {
        var place = place
        while place > end {
            if let row = state.versions.row(at: Int(place)) {
                place = Swift.max(end, Int32(row.lowerBound) - 1)
            } else {
                place = state.versions[Int(place)].parent
            }
        }
        return place
    }

    /// The first version on the way of redo from a place that is not before `end`, or -1; and the
    /// number of versions on the way. Costs as `climb`.
    func follow(_ start: Int32, to end: Int32) -> (place: Int32, count: Int) {
        var (place, count) = (start, 0)
        while place >= 0 && place < end {
            let next = follow(place, inRowTo: end)
            count += Int(next - place)
            if next == place {
                place = state.versions[Int(place)].redo
                count += place < 0 ? 0 : 1
            } else {
                place = next
            }
        }
        return (place, count)
    }

    /// The place that redo reaches in the row of a place, at most `end`.
    func follow(_ place: Int32, inRowTo end: Int32) -> Int32 {
        guard end > place, let row = state.versions.row(at: Int(place)),
            state.versions[Int(place)].redo == place + 1
        else { return place }
        // The last version of a row also leads on.
        let last = Swift.min(end, Int32(row.upperBound))
        if last - place <= VersionHistory.walked { return walk(place, to: last) }
        let leavers = state.versions.changedPlaces.filter {
            $0 >= place && $0 < last && state.versions[$0].redo != $0 + 1
        }
        return leavers.first.map { Int32($0) } ?? last
    }

    private func walk(_ place: Int32, to end: Int32) -> Int32 {
        var place = place
        while place < end, state.versions[Int(place)].redo == place + 1 { place += 1 }
        return place
    }

    /// The newest version that both came from. As `climb`.
    func ancestor(of one: Int32, and other: Int32) -> Int32 {
        var (one, other) = (one, other)
        // A parent is before its children, so the later of the two places can climb.
        while one != other {
            if one > other { one = climb(one, to: other) } else { other = climb(other, to: one) }
        }
        return one
    }

    /// The distance of the current version and another one: the number of versions after the last
    /// common one on both ways, and the oldest of their steps, if there is one; `nil` if there is
    /// no such version. Costs as `climb`.
    public func between(_ id: VersionID) -> (count: Int, oldest: Step?)? where Step: Comparable {
        guard let target = place(of: id) else { return nil }
        let last = ancestor(of: state.current, and: target)
        let depths = [state.current, target].map { Int(state.versions[Int($0)].depth) }
        let next = [state.current, target].compactMap { self.next(after: last, on: $0) }
        // Steps come in order on each way.
        let oldest = next.compactMap { state.versions[Int($0)].steps.list.first }.min()
        return (depths[0] + depths[1] - 2 * Int(state.versions[Int(last)].depth), oldest)
    }

    /// The version right behind another one, on the way to one that came from it. As `climb`.
    private func next(after start: Int32, on end: Int32) -> Int32? {
        var (place, next) = (end, Int32?.none)
        while place > start {
            let row = state.versions.row(at: Int(place))
            next = row.map { Swift.max(Int32($0.lowerBound), start + 1) } ?? place
            place = row == nil ? state.versions[Int(place)].parent : (next ?? place) - 1
        }
        return next
    }

    /// Has redo lead from behind a version to one that came from it. Returns the one that it has to
    /// lead to from the version itself, if that is another one. As `climb`, and O(log n) for each
    /// that led elsewhere.
    mutating func lead(from start: Int32, to end: Int32) -> Int32? {
        var (place, next) = (end, Int32?.none)
        while place > start {
            guard place - start > VersionHistory.walked,
                let row = state.versions.row(at: Int(place))
            else {
                next = place
                place = state.versions[Int(place)].parent
                if place > start, let next { lead(from: place, on: next) }
                continue
            }
            // In a row all lead on as they are packed.
            let first = Swift.max(Int32(row.lowerBound), start + 1)
            for other in state.versions.changedPlaces where other >= first && other < place {
                lead(from: Int32(other), on: Int32(other) + 1)
            }
            next = first
            place = first - 1
            if place > start { lead(from: place, on: first) }
        }
        return next
    }

    /// The number of versions that are walked one by one: a short way must not cost the elements
    /// changed elsewhere.
    static var walked: Int32 { 64 }

    mutating func lead(from parent: Int32, on child: Int32) {
        // Most lead there already.
        if state.versions[Int(parent)].redo != child { state.versions[Int(parent)].redo = child }
    }
}
