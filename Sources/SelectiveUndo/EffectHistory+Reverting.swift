public import JSONTree
public import Naming

// Own undo and redo.

extension EffectHistory {
    /// Does what a request wants, to this line; `record` makes it a change, `cancel` takes it back.
    ///
    /// `tree` is the document's value. If it throws, the line is unchanged. The cost is
    /// proportional to the changed part.
    public mutating func revert(
        _ request: OwnUndoRequest, on tree: JSON
    ) throws(OwnUndoError) -> OwnUndo {
        switch request.target {
        case .actor(let actor) where request.isRedo: try redo(actor, request.policy, tree)
        case .actor(let actor): try undo(actor, request, tree)
        case .changes(let revisions):
            try revert(revisions, isRedo: request.isRedo, request.policy, tree)
        case .parts(let parts): try revert(parts, request, tree)
        case .change(let revision):
            try revert(revision, isRedo: request.isRedo, request.policy, tree)
        }
    }

    /// Whose changes a request is about, as far as the line knows.
    public func actor(of target: OwnUndoRequest.Target) throws(OwnUndoError) -> Name {
        switch target {
        case .actor(let actor): return actor
        case .change(let revision):
            if let index = index(of: revision) { return edits[index].actor }
            if let actor = reversals[revision]?.actor { return actor }
            if let member = pops[revision]?.first, let index = index(of: member) {
                return edits[index].actor
            }
            throw unknown(revision)
        case .changes(let revisions): return try actor(of: revisions)
        case .parts(let parts): return try actor(of: parts.changes.map(\.revision))
        }
    }

    /// The actor of all changes; the empty name if there are several.
    func actor(of revisions: [Int]) throws(OwnUndoError) -> Name {
        let actors = try revisions.map { revision throws(OwnUndoError) in
            try actor(of: .change(revision))
        }
        return Set(actors).count == 1 ? actors[0] : .nobody
    }

    private func unknown(_ revision: Int) -> OwnUndoError {
        revision < first && !isWhole ? .needsOlder : .notInEffect(revision)
    }

    /// Makes an own undo the change at a revision. `tree` is the document's tree after it.
    /// `isPart`: the change is a part of one of several documents.
    public mutating func record(
        _ undo: OwnUndo, at revision: Int, _ tree: JSON, isPart: Bool = false
    ) throws(Diverged) {
        note(revision, undo.reversal, isPart: isPart)
        try adjust(from: undo.tree, to: tree)
    }

    /// Takes an own undo back that did not become a change.
    public mutating func cancel(_ undo: OwnUndo) {
        flip(off: undo.reversal.changesOn, on: undo.reversal.changesOff)
        identity.showSilently()
    }
}

extension EffectHistory {
    /// Takes the actor's latest version in effect out of effect, together with the newer ones
    /// without a visible effect.
    private mutating func undo(
        _ actor: Name, _ request: OwnUndoRequest, _ tree: JSON
    ) throws(OwnUndoError) -> OwnUndo {
        var attempt = Attempt(OwnUndo(actor: actor, tree: tree), request.policy)
        attempt.mayStop = true
        var groups: Set<Int> = []
        for index in (byActor[actor] ?? []).reversed() where isInEffect(index) {
            if edits[index].isUpdate, edits[index].revision < request.keepsUpdatesBefore {
                continue
            }
            let group = edits[index].group
            guard groups.insert(group).inserted else { continue }
            guard isWhole || group >= first else { throw giveUp(attempt, .needsOlder) }
            let unit = members(of: group).flatMap { target($0, to: false) }
            try flip(unit.reversed(), to: false, &attempt)
            if attempt.isVisible || attempt.isBlocked { return ended(attempt) }
            // A part in conflict is passed like any version, and its transaction is left alone.
            let taken = unit.map { edits[$0.edit] }.filter { edit in
                !edit.units.contains { isInEffect($0) }
            }
            if request.endsAtParts,
                taken.contains(where: { $0.isPart && !request.passable.contains($0.revision) })
            {
                attempt.undo.isOpen = true
                return ended(attempt)
            }
        }
        guard isWhole else { throw giveUp(attempt, .needsOlder) }
        return try end(attempt, orThrow: .nothing)
    }

    /// The undo, with the changes of several documents that it takes parts of.
    private func ended(_ attempt: Attempt) -> OwnUndo {
        var undo = attempt.undo
        undo.parts = undo.reversal.flipped.filter(isPart)
        return undo
    }

    /// Whether an edit is a part of a change of several documents.
    private func isPart(_ revision: Int) -> Bool {
        index(of: revision).map { edits[$0].isPart } ?? false
    }

    /// Puts back what the actor's last own undo took out of effect, exactly.
    private mutating func redo(
        _ actor: Name, _ policy: ConflictPolicy, _ tree: JSON
    ) throws(OwnUndoError) -> OwnUndo {
        guard let undone = redoStacks[actor]?.last else {
            let isCleared = byActor[actor] != nil
            throw isWhole || isCleared ? .nothing : .needsOlder
        }
        let held = undone.revisions.compactMap { self.held($0, by: undone.by) }
        var redo = try flip(held, to: true, Attempt(OwnUndo(actor: actor, tree: tree), policy))
        // It puts back what one undo took, wherever that took something.
        redo.parts = partReversals.contains(undone.by) ? [undone.by] : []
        return redo
    }

    private mutating func revert(
        _ revision: Int, isRedo: Bool, _ policy: ConflictPolicy, _ tree: JSON
    ) throws(OwnUndoError) -> OwnUndo {
        let actor = try actor(of: .change(revision))
        if let reversal = reversals[revision] {
            // To undo an undo is to redo.
            let (off, on) =
                isRedo
                ? (reversal.changesOff, reversal.changesOn)
                : (reversal.changesOn, reversal.changesOff)
            var undo = try revert(off: off, on: on, actor: actor, policy: policy, on: tree)
            undo.parts = partReversals.contains(revision) ? [revision] : []
            guard undo.reversal.isEmpty else { return undo }
            let skipped = undo.reversal.skipped
            throw skipped.isEmpty ? .notInEffect(revision) : .conflicts(skipped)
        }
        let attempt = Attempt(OwnUndo(actor: actor, tree: tree), policy)
        let changes = (pops[revision] ?? [revision]).map { ChangePart($0) }
        return try flip(changes, to: isRedo, attempt, of: revision)
    }

    /// Flips those of the changes that are not yet as they are wanted, as one version.
    private mutating func flip(
        _ changes: [ChangePart], to isOn: Bool, _ attempt: Attempt, of change: Int? = nil
    ) throws(OwnUndoError) -> OwnUndo {
        var attempt = attempt
        guard let version = known(changes, to: isOn) else { throw .needsOlder }
        guard !version.isEmpty else { throw change.map { .notInEffect($0) } ?? .nothing }
        try flip(version, to: isOn, &attempt)
        return try end(attempt, orThrow: .nothing)
    }

    /// The units of some changes to flip, in the order in which they are flipped; `nil` if older
    /// changes are needed.
    private mutating func known(_ changes: [ChangePart], to isOn: Bool) -> [Target]? {
        guard isWhole || changes.allSatisfy({ index(of: $0.revision) != nil }) else { return nil }
        let targets = changes.flatMap { self.targets($0, to: isOn) }.sorted { $0.edit < $1.edit }
        return isOn ? targets : targets.reversed()
    }

    private mutating func target(_ index: Int, to isOn: Bool) -> [Target] {
        targets(ChangePart(edits[index].revision), to: isOn)
    }

    private mutating func end(
        _ attempt: Attempt, orThrow error: OwnUndoError
    ) throws(OwnUndoError) -> OwnUndo {
        if attempt.hasFlipped { return ended(attempt) }
        let conflicts = attempt.undo.reversal.skipped
        throw giveUp(attempt, conflicts.isEmpty ? error : .conflicts(conflicts))
    }

    private mutating func giveUp(_ attempt: Attempt, _ error: OwnUndoError) -> OwnUndoError {
        cancel(attempt.undo)
        return error
    }
}

/// An own undo that is being made, one version after the other.
private struct Attempt {
    var undo: OwnUndo
    let policy: ConflictPolicy
    /// Whether what was flipped can be seen.
    var isVisible = false
    /// Whether a version in conflict is left for the next time, if others were passed before it:
    /// what is passed must not wait for it, or two actors could wait for each other.
    var mayStop = false
    /// Whether one was left.
    var isBlocked = false
    /// Whether a refusal is about all conflicts, and not only about the first one.
    var namesAllConflicts = false

    init(_ undo: OwnUndo, _ policy: ConflictPolicy) {
        self.undo = undo
        self.policy = policy
        self.undo.reversal.isForced = policy == .mine
    }

    var hasFlipped: Bool { !undo.reversal.isEmpty }
}

extension EffectHistory {
    /// Flips the changes of one version, one after the other: a step of own undo or redo.
    private mutating func flip(
        _ version: [Target], to isOn: Bool, _ attempt: inout Attempt
    ) throws(OwnUndoError) {
        var done: [Target] = []
        var conflicts: [Conflict] = []
        for target in version {
            let loss = loss(of: target, to: isOn, attempt.policy)
            if loss.isEmpty {
                done.append(target)
            } else {
                conflicts.append(conflict(edits[target.edit].revision, loss))
                if attempt.policy == .reject && !attempt.namesAllConflicts { break }
            }
        }
        if !conflicts.isEmpty, attempt.policy == .reject {
            for target in done.reversed() { flip(target, to: !isOn) }
            identity.showSilently()
            guard attempt.mayStop, attempt.hasFlipped else {
                throw giveUp(attempt, .conflicts(conflicts))
            }
            attempt.isBlocked = true
            return
        }
        attempt.undo.reversal.skipped += conflicts
        guard !done.isEmpty else { return }
        try show(done, to: isOn, &attempt)
    }

    /// Flips units, unless later work of others would be lost: then it returns that.
    private mutating func loss(
        of target: Target, to isOn: Bool, _ policy: ConflictPolicy
    ) -> IdentityTree.Loss {
        var loss = IdentityTree.Loss()
        guard policy != .mine else {
            flip(target, to: isOn)
            return loss
        }
        let edit = edits[target.edit]
        for unit in isOn ? target.units : target.units.reversed() {
            let later = LaterWork(line: self, than: edit, edit.units[unit], isRedo: isOn)
            loss.add(identity.flip(edit.units[unit].writer, to: isOn, counts: later.contains))
        }
        if !loss.isEmpty { flip(target, to: !isOn) }
        return loss
    }

    /// Leads the tree to what is in effect now. Versions of which nothing can be seen are passed.
    private mutating func show(
        _ done: [Target], to isOn: Bool, _ attempt: inout Attempt
    ) throws(OwnUndoError) {
        let before = attempt.undo.tree
        let patch: ReversiblePatch
        do { patch = try identity.show(on: &attempt.undo.tree) } catch { throw .diverged }
        attempt.isVisible = attempt.undo.tree != before
        if attempt.isVisible {
            attempt.undo.patch.append(patch)
            let first = done.map { edits[$0.edit].revision }.min()
            attempt.undo.version = attempt.undo.version ?? first
        }
        for target in done { note(target, to: isOn, isPassed: !attempt.isVisible, &attempt.undo) }
    }

    /// Notes that units were flipped.
    func note(_ target: Target, to isOn: Bool, isPassed: Bool, _ undo: inout OwnUndo) {
        let change = change(of: target)
        if isPassed { undo.reversal.passed.append(change.revision) }
        if change.operations != nil {
            if isOn {
                undo.reversal.partsOn.append(change)
            } else {
                undo.reversal.partsOff.append(change)
            }
        }
        let rest = edits[target.edit].units.indices.filter { !target.units.contains($0) }
        if rest.contains(where: { isInEffect(edits[target.edit].units[$0]) }) { return }
        if isOn {
            undo.reversal.on.append(change.revision)
        } else {
            undo.reversal.off.append(change.revision)
        }
    }

    func conflict(_ revision: Int, _ loss: IdentityTree.Loss) -> Conflict {
        let revisions = loss.writers.compactMap { editOfWriter[$0] }.map { edits[$0].revision }
        return Conflict(
            change: revision, places: loss.places.outermost.sorted(), with: Set(revisions).sorted())
    }
}

/// The later work of other actors, which must not get lost.
struct LaterWork {
    let edits: [EffectHistory.Edit]
    let editOfWriter: EffectHistory.EditOfWriter
    let edit: EffectHistory.Edit
    /// The unit of the edit that is flipped.
    let unit: EffectHistory.Unit
    /// For a redo, only changes that came into effect after the undo matter. The redo may hide a
    /// value again that the undo revealed, and a value that was in effect before the undo, although
    /// it was undone and redone in between: the state before the undo had both.
    let isRedo: Bool

    init(
        line: EffectHistory, than edit: EffectHistory.Edit, _ unit: EffectHistory.Unit,
        isRedo: Bool
    ) {
        edits = line.edits
        editOfWriter = line.editOfWriter
        self.edit = edit
        self.unit = unit
        self.isRedo = isRedo
    }

    func contains(_ writer: IdentityTree.ID) -> Bool {
        guard let index = editOfWriter[writer] else { return false }
        let other = edits[index]
        guard other.revision > edit.revision && other.actor != edit.actor else { return false }
        let made = other.units.first { $0.writer == writer }
        return !isRedo || made.map { !$0.wasInEffect(before: unit.since) } ?? true
    }
}

extension EffectHistory {
    /// Takes chosen changes of an actor out of effect and puts others back, as one step: what a
    /// scope that is discarded does. Revisions that are so already are left out; there may be none.
    public mutating func revert(
        off: [ChangePart], on: [ChangePart], actor: Name, policy: ConflictPolicy, on tree: JSON
    ) throws(OwnUndoError) -> OwnUndo {
        var attempt = Attempt(OwnUndo(actor: actor, tree: tree), policy)
        attempt.namesAllConflicts = true
        for (changes, isOn) in [(off, false), (on, true)] {
            guard let version = known(changes, to: isOn) else {
                throw giveUp(attempt, .needsOlder)
            }
            try flip(version, to: isOn, &attempt)
        }
        return ended(attempt)
    }

    /// Undoes or redoes several changes as one step. Undos among them come back, or go again.
    private mutating func revert(
        _ revisions: [Int], isRedo: Bool, _ policy: ConflictPolicy, _ tree: JSON
    ) throws(OwnUndoError) -> OwnUndo {
        let actor = try actor(of: revisions)
        let named = revisions.map { self.named($0, isRedo: isRedo) }
        var undo = try revert(
            off: named.flatMap(\.off), on: named.flatMap(\.on), actor: actor, policy: policy,
            on: tree)
        undo.parts = revisions.filter { partReversals.contains($0) || isPart($0) }
        let skipped = undo.reversal.skipped
        let affected = Set(undo.reversal.flipped + skipped.map(\.change))
        undo.unaffected = zip(revisions, named).filter { _, changes in
            affected.isDisjoint(with: (changes.off + changes.on).map(\.revision))
        }.map(\.0)
        guard undo.reversal.isEmpty else { return undo }
        throw skipped.isEmpty ? .notInEffect(revisions[0]) : .conflicts(skipped)
    }

    /// The changes that an undo, or a redo, of a change takes out of effect and puts back.
    func named(_ revision: Int, isRedo: Bool) -> (off: [ChangePart], on: [ChangePart]) {
        let (off, on): ([ChangePart], [ChangePart])
        if let reversal = reversals[revision] {
            (off, on) = (reversal.changesOff, reversal.changesOn)
        } else {
            (off, on) = ([], (pops[revision] ?? [revision]).map { ChangePart($0) })
        }
        return isRedo ? (off, on) : (on, off)
    }
}
