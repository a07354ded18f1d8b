import JSONTree

// Parts of edits, which go out of effect and come back alone.

extension EffectHistory {
    /// Units of an edit, by their indexes.
    struct Target {
        let edit: Int
        let units: [Int]
    }

    func isInEffect(_ unit: Unit) -> Bool { identity.writers[unit.writer].isInEffect }

    /// The units of a change that are not yet as they are wanted; all of them without `isOn`. An
    /// edit of which single operations are named is split. There is none if the line has no such
    /// edit, or nothing of it is to be flipped.
    mutating func targets(_ change: ChangePart, to isOn: Bool? = nil) -> [Target] {
        guard let index = index(of: change.revision) else { return [] }
        if change.operations != nil { split(index) }
        let units = edits[index].units.indices.filter { unit in
            if let isOn, isInEffect(edits[index].units[unit]) == isOn { return false }
            guard let wanted = change.operations else { return true }
            let operations = identity.edits(of: edits[index].units[unit].writer)
            return operations.map { range in wanted.contains { range.contains($0) } } ?? false
        }
        return units.isEmpty ? [] : [Target(edit: index, units: units)]
    }

    /// Makes each operation of an edit a unit.
    mutating func split(_ index: Int) {
        guard edits[index].units.count == 1, let whole = edits[index].units.first else { return }
        let writers = identity.split(whole.writer)
        for _ in writers.dropFirst() { editOfWriter.append(index) }
        edits[index].units = writers.map { writer in
            Unit(writer: writer, revision: whole.revision, flips: whole.flips)
        }
    }

    /// Units as a part of their change.
    func change(of target: Target) -> ChangePart {
        let edit = edits[target.edit]
        guard target.units.count < edit.units.count else { return ChangePart(edit.revision) }
        let operations = target.units.compactMap { identity.edits(of: edit.units[$0].writer) }
        return ChangePart(edit.revision, operations: operations.flatMap { Array($0) })
    }

    /// The part of an edit that a reversal was the last to flip; `nil` if there is none.
    public func held(_ revision: Int, by reversal: Int) -> ChangePart? {
        guard let index = index(of: revision) else { return nil }
        let units = edits[index].units.indices.filter { edits[index].units[$0].since == reversal }
        return units.isEmpty ? nil : change(of: Target(edit: index, units: units))
    }

    /// Takes changes out of effect, and puts others back, in the fold.
    mutating func flip(off: [ChangePart], on: [ChangePart]) {
        for (changes, isOn) in [(off, false), (on, true)] {
            for target in changes.flatMap({ targets($0) }) { flip(target, to: isOn) }
        }
    }

    /// The same of units.
    mutating func flip(_ target: Target, to isOn: Bool) {
        for unit in isOn ? target.units : target.units.reversed() {
            identity.flip(edits[target.edit].units[unit].writer, to: isOn)
        }
    }
}
