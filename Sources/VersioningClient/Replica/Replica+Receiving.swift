package import JSONTree

// Changes that the daemon reports.

extension Replica {
    /// The document at a revision: at the beginning, and when changes were missed.
    package mutating func load(_ revision: Int, _ tree: JSON) throws(Diverged) -> Shown {
        guard isLoaded else {
            (self.revision, self.tree, value) = (revision, tree, tree)
            return Shown(nil, [])
        }
        return try whole { replica throws(Diverged) in
            let edits = replica.tree.steps(
                to: tree, identityNames: replica.identityNames, origin: revision)
            replica.revision = revision
            return try replica.carry(edits, to: tree, .nothing)
        }
    }

    /// One change of the feed.
    package mutating func receive(_ change: ReplicaChange) -> Received {
        if change.revision <= revision { return .known }
        if change.revision > revision + 1 || change.needsReload { return .gap }
        do throws(Diverged) {
            return .shown(
                try whole { replica throws(Diverged) in try replica.take(change) })
        } catch {
            return .gap
        }
    }

    private mutating func take(_ change: ReplicaChange) throws(Diverged) -> Shown {
        var after = tree
        let edits: [MergeEdit]
        do {
            let recorded = try tree.recording(change.patch, limits: .stored).recorded
            edits = try [MergeEdit](recorded, on: &after, origin: change.revision)
        } catch {
            throw Diverged()
        }
        revision = change.revision
        if let key = change.key, let own = pending.firstIndex(where: { $0.key == key }) {
            return try confirm(own, edits, after)
        }
        return try carry(edits, to: after, change.returning)
    }

    /// Does all of something, or nothing.
    mutating func whole<Result>(
        _ body: (inout Replica) throws(Diverged) -> Result
    ) throws(Diverged) -> Result {
        var copy = self
        let result = try body(&copy)
        self = copy
        return result
    }

    /// Carries others' edits past what is pending, and that past them.
    private mutating func carry(
        _ edits: [MergeEdit], to tree: JSON, _ returning: MergeBase.Later.Returning
    ) throws(Diverged) -> Shown {
        let before = value
        var conflicts: [EditPair] = []
        var others = edits
        var missing = missing ?? MissingWork(pending)
        for index in pending.indices {
            let passed = pending[index].carried.passed(over: others, policy)
            pending[index].carried = passed.mine
            pending[index].isMet = pending[index].isMet || passed.isMet
            pending[index].isCarried = true
            conflicts += passed.conflicts
            others = passed.theirs
        }
        follow(others, policy)
        carryStored(past: edits, but: nil)
        self.tree = tree
        let hasReturned = missing.append(edits, returning: returning)
        self.missing = missing.isNeeded ? missing : nil
        if hasReturned, self.missing != nil {
            others = try mergeAgain(missing)
        } else {
            try render(others)
        }
        var shown = Shown(before, others)
        shown.conflicts = conflicts
        return shown
    }

    /// Others undid edits that pending steps have met: these are merged with the rest. Returns the
    /// edits of the shown value.
    private mutating func mergeAgain(_ missing: MissingWork) throws(Diverged) -> [MergeEdit] {
        let before = value
        let stood = try with(pending.filter(missing.has))
        missing.merge(&pending, policy)
        let fix = stood.steps(
            to: try with(pending.filter(missing.has)), identityNames: [], origin: revision)
        let later = pending.indices.filter { !missing.has(pending[$0]) }
        _ = carry(fix, past: later, .mine)
        value = try with(pending)
        return before.steps(to: value, identityNames: identityNames, origin: revision)
    }

    /// A pending step is confirmed: the one under way, as a rule; or one behind it. The daemon's
    /// result may differ from the shown value.
    private mutating func confirm(
        _ index: Int, _ edits: [MergeEdit], _ after: JSON
    ) throws(Diverged) -> Shown {
        let (before, own) = (value, pending[index])
        let stood = try with(pending[...index])
        let others = pass(edits, over: Array(pending.indices[..<index]), policy)
        tree = after
        let isShown = !own.carried.isEmpty
        let right = try with(pending[..<index])
        let fix = isShown ? stood.steps(to: right, identityNames: [], origin: revision) : others
        if isSending && index == 0 { isSending = false }
        pending.remove(at: index)
        carryStored(past: edits, but: own.whole)
        note(own, edits)
        let isExpected = fix.isEmpty && index == 0
        missing = isExpected ? missing?.confirming(own, policy) : nil
        let rest = carry(fix, past: Array(pending.indices[index...]), .mine)
        // The value is the same: the shown one stays, and nothing of it is shown again.
        if isExpected && pending.isEmpty && before == after {
            tree = before
        } else {
            try render(rest)
        }
        var shown = Shown(before, rest)
        shown.confirmed = own
        shown.isCorrected = isShown && !fix.isEmpty
        return shown
    }

    /// Notes the revision that the daemon has made of a step.
    private mutating func note(_ own: PendingStep, _ edits: [MergeEdit]) {
        known[own.id]?.revision = revision
        if let whole = own.whole { wholes[whole]?.add(revision, edits) }
        for index in pending.indices where pending[index].undone == own.id {
            pending[index].kind = .undo(of: own.id, revision: revision)
            undoneSteps.confirmed(own.id, undoneBy: pending[index].carried)
        }
        forgetUnneeded()
    }

    /// Forgets steps on which no pending one rests.
    mutating func forgetUnneeded() {
        let needed = Set(pending.flatMap { [$0.id] + ($0.behind ?? []) })
        if known.count > needed.count { known = known.filter { needed.contains($0.key) } }
        if !wholes.isEmpty {
            let parts = Set(pending.compactMap(\.whole))
            wholes = wholes.filter { parts.contains($0.key) }
        }
    }

    /// Carries a correction past pending steps, and these past it. Returns the rest of it for the
    /// shown value.
    mutating func carry(
        _ fix: [MergeEdit], past indexes: [Int], _ policy: ConflictPolicy
    ) -> [MergeEdit] {
        if fix.isEmpty { return [] }
        let others = pass(fix, over: indexes, policy)
        follow(others, policy)
        return others
    }

    /// Passes edits over some pending steps, and these over the edits. Returns the rest of them.
    private mutating func pass(
        _ edits: [MergeEdit], over indexes: [Int], _ policy: ConflictPolicy
    ) -> [MergeEdit] {
        var others = edits
        for index in indexes {
            let passed = pending[index].carried.passed(over: others, policy)
            (pending[index].carried, others) = (passed.mine, passed.theirs)
            pending[index].isCarried = true
        }
        return others
    }

    /// Carries the steps that were undone here past others' edits of the shown value.
    private mutating func follow(_ others: [MergeEdit], _ policy: ConflictPolicy) {
        let undoings = pending.filter { $0.undone != nil }
        undoneSteps.follow(others, policy) { id in undoings.first { $0.id == id }?.carried ?? [] }
    }

    /// Carries the undoing of stored parts past edits of the confirmed state.
    private mutating func carryStored(past edits: [MergeEdit], but own: Int?) {
        for id in wholes.keys where id != own { wholes[id]?.follow(edits) }
    }

    /// Applies the rest of others' edits to the shown value: that is quicker than to apply all
    /// pending edits again.
    private mutating func render(_ others: [MergeEdit]) throws(Diverged) {
        if pending.isEmpty {
            value = tree
        } else if let rendered = try? value.applying(others) {
            value = rendered
        } else {
            value = try with(pending)
        }
    }
}
