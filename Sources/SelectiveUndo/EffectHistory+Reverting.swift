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
        case .changes(let revisions):
            let actors = try revisions.map { revision throws(OwnUndoError) in
                try actor(of: .change(revision))
            }
            return Set(actors).count == 1 ? actors[0] : .nobody
        }
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
        restore(undo.reversal.on, undo.reversal.off)
    }

    private mutating func restore(_ off: [Int], _ on: [Int]) {
        for (revisions, isOn) in [(off, false), (on, true)] {
            for index in revisions.compactMap({ self.index(of: $0) }) {
                identity.flip(edits[index].writer, to: isOn)
            }
        }
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
            let unit = members(of: group).filter { isInEffect($0) }.reversed()
            let former = attempt.undo.reversal.off.count
            try flip(Array(unit), to: false, &attempt)
            if attempt.isVisible || attempt.isBlocked { return ended(attempt) }
            // A part in conflict is passed like any version, and its transaction is left alone.
            let taken = attempt.undo.reversal.off[former...]
            if request.endsAtParts,
                taken.contains(where: { isPart($0) && !request.passable.contains($0) })
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
        var redo = try flip(
            undone.revisions, to: true, Attempt(OwnUndo(actor: actor, tree: tree), policy))
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
            let (off, on) = isRedo ? (reversal.off, reversal.on) : (reversal.on, reversal.off)
            var undo = try revert(off: off, on: on, actor: actor, policy: policy, on: tree)
            undo.parts = partReversals.contains(revision) ? [revision] : []
            guard undo.reversal.flipped.isEmpty else { return undo }
            let skipped = undo.reversal.skipped
            throw skipped.isEmpty ? .notInEffect(revision) : .conflicts(skipped)
        }
        let attempt = Attempt(OwnUndo(actor: actor, tree: tree), policy)
        return try flip(pops[revision] ?? [revision], to: isRedo, attempt, of: revision)
    }

    /// Flips those of the revisions that are not yet as they are wanted, as one unit.
    private mutating func flip(
        _ revisions: [Int], to isOn: Bool, _ attempt: Attempt, of change: Int? = nil
    ) throws(OwnUndoError) -> OwnUndo {
        var attempt = attempt
        let known = revisions.compactMap { index(of: $0) }
        guard known.count == revisions.count || isWhole else { throw .needsOlder }
        let unit = known.filter { isInEffect($0) != isOn }.sorted()
        guard !unit.isEmpty else { throw change.map { .notInEffect($0) } ?? .nothing }
        try flip(isOn ? unit : unit.reversed(), to: isOn, &attempt)
        return try end(attempt, orThrow: .nothing)
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

    init(_ undo: OwnUndo, _ policy: ConflictPolicy) {
        self.undo = undo
        self.policy = policy
        self.undo.reversal.isForced = policy == .mine
    }

    var hasFlipped: Bool { !undo.reversal.flipped.isEmpty }
}

extension EffectHistory {
    /// Flips the changes of one version, one after the other: a step of own undo or redo.
    private mutating func flip(
        _ unit: [Int], to isOn: Bool, _ attempt: inout Attempt
    ) throws(OwnUndoError) {
        var done: [Int] = []
        var conflicts: [Conflict] = []
        for index in unit {
            let edit = edits[index]
            if attempt.policy == .mine {
                identity.flip(edit.writer, to: isOn)
            } else {
                let later = LaterWork(edits: edits, editOfWriter, than: edit, isRedo: isOn)
                let loss = identity.flip(edit.writer, to: isOn, counts: later.contains)
                if !loss.isEmpty {
                    conflicts.append(conflict(edit.revision, loss))
                    identity.flip(edit.writer, to: !isOn)
                    if attempt.policy == .reject { break }
                    continue
                }
            }
            done.append(edit.revision)
        }
        if !conflicts.isEmpty, attempt.policy == .reject {
            restore(isOn ? done : [], isOn ? [] : done)
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

    /// Leads the tree to what is in effect now. Versions of which nothing can be seen are passed.
    private mutating func show(
        _ done: [Int], to isOn: Bool, _ attempt: inout Attempt
    ) throws(OwnUndoError) {
        let before = attempt.undo.tree
        let patch: ReversiblePatch
        do { patch = try identity.show(on: &attempt.undo.tree) } catch { throw .diverged }
        attempt.isVisible = attempt.undo.tree != before
        if attempt.isVisible {
            attempt.undo.patch.append(patch)
            attempt.undo.version = attempt.undo.version ?? done.min()
        } else {
            attempt.undo.reversal.passed += done
        }
        if isOn { attempt.undo.reversal.on += done } else { attempt.undo.reversal.off += done }
    }

    private func conflict(_ revision: Int, _ loss: IdentityTree.Loss) -> Conflict {
        let revisions = loss.writers.compactMap { editOfWriter[$0] }.map { edits[$0].revision }
        return Conflict(
            change: revision, places: loss.places.outermost.sorted(), with: Set(revisions).sorted())
    }
}

/// The later work of other actors, which must not get lost.
private struct LaterWork {
    let edits: [EffectHistory.Edit]
    let editOfWriter: EffectHistory.EditOfWriter
    let edit: EffectHistory.Edit
    /// For a redo, only changes that came into effect after the undo matter. The redo may hide a
    /// value again that the undo revealed, and a value that was in effect before the undo, although
    /// it was undone and redone in between: the state before the undo had both.
    let isRedo: Bool

    init(
        edits: [EffectHistory.Edit], _ editOfWriter: EffectHistory.EditOfWriter,
        than edit: EffectHistory.Edit,
        isRedo: Bool
    ) {
        self.edits = edits
        self.editOfWriter = editOfWriter
        self.edit = edit
        self.isRedo = isRedo
    }

    func contains(_ writer: IdentityTree.ID) -> Bool {
        guard let index = editOfWriter[writer] else { return false }
        let other = edits[index]
        return other.revision > edit.revision && other.actor != edit.actor
            && (!isRedo || !other.wasInEffect(before: edit.since))
    }
}

extension EffectHistory {
    /// Takes chosen changes of an actor out of effect and puts others back, as one step: what a
    /// scope that is discarded does. Revisions that are so already are left out; there may be none.
    public mutating func revert(
        off: [Int], on: [Int], actor: Name, policy: ConflictPolicy, on tree: JSON
    ) throws(OwnUndoError) -> OwnUndo {
        var attempt = Attempt(OwnUndo(actor: actor, tree: tree), policy)
        for (revisions, isOn) in [(off, false), (on, true)] {
            let known = revisions.compactMap { index(of: $0) }
            guard known.count == revisions.count || isWhole else {
                throw giveUp(attempt, .needsOlder)
            }
            let unit = known.filter { isInEffect($0) != isOn }.sorted()
            try flip(isOn ? unit : unit.reversed(), to: isOn, &attempt)
        }
        return ended(attempt)
    }

    /// Undoes or redoes several changes as one step. Undos among them come back, or go again.
    private mutating func revert(
        _ revisions: [Int], isRedo: Bool, _ policy: ConflictPolicy, _ tree: JSON
    ) throws(OwnUndoError) -> OwnUndo {
        let actor = try actor(of: .changes(revisions))
        var (off, on, parts): ([Int], [Int], [Int]) = ([], [], [])
        var members: [(of: Int, revisions: [Int])] = []
        for revision in revisions {
            let isPart = index(of: revision).map { edits[$0].isPart }
            if isPart ?? partReversals.contains(revision) { parts.append(revision) }
            let reversal =
                reversals[revision] ?? Reversal(actor: actor, on: pops[revision] ?? [revision])
            off += isRedo ? reversal.off : reversal.on
            on += isRedo ? reversal.on : reversal.off
            members.append((revision, reversal.flipped))
        }
        var undo = try revert(off: off, on: on, actor: actor, policy: policy, on: tree)
        undo.parts = parts
        let skipped = undo.reversal.skipped
        let affected = Set(undo.reversal.flipped + skipped.map(\.change))
        undo.unaffected = members.filter { affected.isDisjoint(with: $0.revisions) }.map(\.of)
        guard undo.reversal.flipped.isEmpty else { return undo }
        throw skipped.isEmpty ? .notInEffect(revisions[0]) : .conflicts(skipped)
    }
}
