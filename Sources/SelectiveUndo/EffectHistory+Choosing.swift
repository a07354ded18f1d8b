import JSONTree
import Naming

// Undo and redo by operations.

extension EffectHistory {
    /// Flips operations of several changes, each by itself, except for those that stay.
    mutating func revert(
        _ chosen: ChosenParts, _ request: OwnUndoRequest, _ tree: JSON
    ) throws(OwnUndoError) -> OwnUndo {
        let revisions = chosen.changes.map(\.revision)
        let actor = try actor(of: revisions)
        guard let operations = operations(of: chosen, isRedo: request.isRedo) else {
            throw .needsOlder
        }
        guard !operations.isEmpty else { throw .notInEffect(revisions.first ?? 0) }
        var choice = Choice(parts: chosen.choice, policy: request.policy)
        for operation in operations where isKept(operation, chosen.choice) {
            keep(operation, operations, &choice)
        }
        while !flip(operations, &choice) { choice.begin() }
        var undo = OwnUndo(actor: actor, tree: tree)
        undo.reversal.isForced = request.policy == .mine || choice.isForced
        undo.reversal.skipped = choice.conflicts(in: self)
        undo.reversal.kept = choice.places.sorted()
        let kept = operations.filter { choice.kept.contains($0.writer) }.map { edits[$0.edit] }
        undo.keptParts = Set(kept.filter(\.isPart).map(\.revision)).sorted()
        // Those that a reversal flips are its own matter.
        let named = Set(revisions)
        let edited = choice.done.map { edits[$0.edit] }.filter(\.isPart).map(\.revision)
        undo.parts = named.filter { edited.contains($0) || partReversals.contains($0) }.sorted()
        try end(&undo, choice, isRefused: request.policy == .reject)
        return undo
    }

    /// An operation that is to be flipped.
    fileprivate struct Operation {
        let edit: Int
        let unit: Int
        let writer: IdentityTree.ID
        let isOn: Bool
    }

    /// The operations to flip, in the order in which they are flipped; `nil` if older changes are
    /// needed.
    private mutating func operations(of chosen: ChosenParts, isRedo: Bool) -> [Operation]? {
        var found: [Operation] = []
        let named = chosen.changes.map { part -> (off: [ChangePart], on: [ChangePart]) in
            guard part.operations != nil else { return self.named(part.revision, isRedo: isRedo) }
            return isRedo ? ([], [part]) : ([part], [])
        }
        for (changes, isOn) in [(named.flatMap(\.off), false), (named.flatMap(\.on), true)] {
            var some: [Operation] = []
            for change in changes {
                guard let index = index(of: change.revision) else {
                    if isWhole { continue }
                    return nil
                }
                split(index)
                for target in targets(change, to: isOn) {
                    some += target.units.map { unit in
                        let writer = edits[index].units[unit].writer
                        return Operation(edit: index, unit: unit, writer: writer, isOn: isOn)
                    }
                }
            }
            some.sort { ($0.edit, $0.unit) < ($1.edit, $1.unit) }
            found += isOn ? some : some.reversed()
        }
        return found
    }

    /// The fate of the operations.
    fileprivate struct Choice {
        let parts: PartChoice
        let policy: ConflictPolicy
        /// The writers of those that stay.
        var kept: Set<IdentityTree.ID> = []
        /// Where they are.
        var places: Set<JSONPointer> = []
        var done: [Operation] = []
        /// Those that stay because of later work, with that.
        var stopped: [(operation: Operation, loss: IdentityTree.Loss, isDecided: Bool)] = []
        /// The writers of changes of several documents that stay because one of their operations
        /// does.
        var held: Set<IdentityTree.ID> = []
        /// Whether later work is hidden by a decision.
        var isForced = false

        /// Begins again: more stays than was known.
        mutating func begin() {
            stopped.removeAll { !held.contains($0.operation.writer) }
            (done, isForced) = ([], false)
        }

        func stays(_ writer: IdentityTree.ID) -> Bool {
            kept.contains(writer) || held.contains(writer)
        }

        /// The treatment of a conflict at some places: an operation stays if one of its places is
        /// to stay.
        func policy(at places: Set<JSONPointer>) -> ConflictPolicy? {
            let decided = places.map { place in
                parts.decisions.filter { $0.key.meets(place) }.map(\.value)
            }
            if decided.joined().contains(.theirs) { return .theirs }
            return decided.contains(where: \.isEmpty) ? nil : .mine
        }

        /// The conflicts, one of each change.
        func conflicts(in line: EffectHistory) -> [Conflict] {
            var losses: [Int: IdentityTree.Loss] = [:]
            for (operation, loss, _) in stopped {
                losses[line.edits[operation.edit].revision, default: IdentityTree.Loss()].add(loss)
            }
            return losses.sorted { $0.key > $1.key }.map { line.conflict($0.key, $0.value) }
        }
    }

    private func isKept(_ operation: Operation, _ parts: PartChoice) -> Bool {
        if parts.keptChanges.contains(edits[operation.edit].revision) { return true }
        if parts.kept.isEmpty { return false }
        if parts.kept.contains(.root) { return true }
        let places = identity.places(of: operation.writer)
        return places.contains { place in parts.kept.contains { $0.meets(place) } }
    }

    /// Keeps an operation; of a change of several documents, all of it.
    private func keep(_ operation: Operation, _ all: [Operation], _ choice: inout Choice) {
        let isWhole = edits[operation.edit].isPart && choice.parts.keepsWholeParts
        let more = isWhole ? all.filter { $0.edit == operation.edit } : [operation]
        for one in more where choice.kept.insert(one.writer).inserted {
            choice.places.formUnion(identity.places(of: one.writer))
        }
    }

    /// Flips the operations, except for those that stay: also where that would hide one that is
    /// kept. Returns whether it is done; otherwise nothing is flipped, and it has to begin again.
    private mutating func flip(_ operations: [Operation], _ choice: inout Choice) -> Bool {
        for operation in operations where !choice.stays(operation.writer) {
            let edit = edits[operation.edit]
            let later = LaterWork(
                line: self, than: edit, edit.units[operation.unit], isRedo: operation.isOn)
            let kept = choice.kept
            let loss = identity.flip(operation.writer, to: operation.isOn) {
                kept.contains($0) || later.contains($0)
            }
            if loss.isEmpty || mayHide(loss, &choice) {
                choice.done.append(operation)
                continue
            }
            identity.flip(operation.writer, to: !operation.isOn)
            if loss.writers.isDisjoint(with: kept) {
                let isDecided = choice.policy(at: loss.places) == .theirs
                choice.stopped.append((operation, loss, isDecided))
                hold(operation, operations, &choice)
            } else {
                keep(operation, operations, &choice)
            }
            if edit.isPart, choice.done.contains(where: { choice.stays($0.writer) }) {
                restore(choice.done)
                return false
            }
        }
        return true
    }

    /// Of a change of several documents all stays, or nothing.
    private func hold(_ operation: Operation, _ all: [Operation], _ choice: inout Choice) {
        guard edits[operation.edit].isPart, choice.parts.keepsWholeParts else { return }
        choice.held.formUnion(all.filter { $0.edit == operation.edit }.map(\.writer))
    }

    /// Whether later work of others is to be hidden.
    private func mayHide(_ loss: IdentityTree.Loss, _ choice: inout Choice) -> Bool {
        guard loss.writers.isDisjoint(with: choice.kept) else { return false }
        let decision = choice.policy(at: loss.places)
        guard decision ?? choice.policy == .mine else { return false }
        choice.isForced = true
        return true
    }

    private mutating func restore(_ done: [Operation]) {
        for operation in done.reversed() { identity.flip(operation.writer, to: !operation.isOn) }
    }

    /// Leads the tree to what is in effect now, if the undo is not refused.
    private mutating func end(
        _ undo: inout OwnUndo, _ choice: Choice, isRefused: Bool
    ) throws(OwnUndoError) {
        let isUndecided = isRefused && choice.stopped.contains { !$0.isDecided }
        if isUndecided || choice.done.isEmpty {
            restore(choice.done)
            identity.showSilently()
            let skipped = undo.reversal.skipped
            throw skipped.isEmpty ? .kept(parts: undo.keptParts) : .conflicts(skipped)
        }
        let before = undo.tree
        do { undo.patch = try identity.show(on: &undo.tree) } catch { throw .diverged }
        let isPassed = undo.tree == before
        if !isPassed { undo.version = choice.done.map { edits[$0.edit].revision }.min() }
        for (edit, operations) in Dictionary(grouping: choice.done, by: \.edit) {
            for isOn in [false, true] {
                let units = operations.filter { $0.isOn == isOn }.map(\.unit).sorted()
                if units.isEmpty { continue }
                note(Target(edit: edit, units: units), to: isOn, isPassed: isPassed, &undo)
            }
        }
        undo.reversal = undo.reversal.sorted
    }
}

extension JSONPointer {
    /// Whether it is at a place, in it, or around it.
    fileprivate func meets(_ place: JSONPointer) -> Bool {
        inside(place) != nil || place.inside(self) != nil
    }
}
