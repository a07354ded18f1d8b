import JSONTree

// Responses of the daemon, except for changes.

extension Replica {
    /// Nothing was done of the step under way: it waits again; in two parts, if it was too much.
    /// If it was undone here, neither is sent.
    package mutating func putBack(_ count: Int = 0) throws(Diverged) -> Shown {
        guard isSending else { return Shown(value, []) }
        return try whole { replica throws(Diverged) in try replica.putBackFirst(count) }
    }

    private mutating func putBackFirst(_ count: Int) throws(Diverged) -> Shown {
        isSending = false
        let (before, sent) = (value, pending[0])
        if pending.contains(where: { $0.undone == sent.id }) {
            pending.removeAll { $0.id == sent.id || $0.undone == sent.id }
            undoneSteps.putBack(sent)
            missing = nil
            // After a conflict a step and its undo are not nothing.
            value = try with(pending)
            return Shown(
                before, before.steps(to: value, identityNames: identityNames, origin: revision))
        }
        pending[0].request = nil
        guard sent.isEdit else { return Shown(before, []) }
        rebaseFirst()
        if count > 0, count < pending[0].edits.count {
            pending[0].options.isAlone = true
            try cutFirst(count)
        }
        return Shown(before, [])
    }

    /// The step under way changed nothing. Waiting edits that depend on it are also lost.
    package mutating func drop() throws(Diverged) -> Shown? {
        guard let sent else { return nil }
        return try whole { replica throws(Diverged) in
            let fix = try replica.with([sent]).steps(
                to: replica.tree, identityNames: [], origin: replica.revision)
            let taken = TakenOut(
                from: replica.pending,
                { step in
                    if step.undone == sent.id { return step.carried.inverses }
                    return step.id == sent.id ? fix : nil
                },
                resting: \.isConflict)
            return try replica.go(on: taken, without: sent, lost: taken.resting)
        }
    }

    /// The step under way was refused. It is lost, with its other parts and what rests on it.
    package mutating func refuse() throws(Diverged) -> Shown? {
        guard let sent else { return nil }
        return try whole { replica throws(Diverged) in
            let taken = replica.without(sent)
            let lost = taken.undoing.inverses.shortened
            var stored = sent.whole.flatMap { replica.wholes[$0] } ?? StoredWhole()
            var shown = try replica.go(on: taken, without: sent, lost: lost)
            stored.follow(replica.pending.flatMap(\.carried))
            let parts = stored.undoing.inverses.textOperations
            shown.lost = JSONPatch(parts.operations + shown.lost.operations)
            shown.storedParts = stored.revisions
            return shown
        }
    }

    /// Adds the undo of a stored part of an edit of which the rest was refused. It is kept until
    /// the daemon has it.
    package mutating func add(undoOf revision: Int, key: String) {
        let kind = PendingStep.Kind.undo(of: 0, revision: revision)
        pending.append(PendingStep(nextID(), kind, on: value, at: revision, behind: nil, key: key))
    }

    /// The step under way was refused, and the person has edited it since: it is sent again with
    /// these edits, as one. Returns whether there is anything to send.
    package mutating func retry() throws(Diverged) -> Bool {
        guard let sent, sent.mayGoAgain, waiting.allSatisfy(\.isEdit) else { return false }
        let taken = without(sent)
        let edits = taken.undoing.inverses.shortened
        guard !taken.resting.isEmpty, !edits.isEmpty else { return false }
        try whole { replica throws(Diverged) in
            replica.isSending = false
            try replica.keep(taken.kept)
            var again = sent
            again.tries += 1
            again.request = nil
            again.options.isAlone = true
            again.carried = edits
            again.rebase(on: try replica.with(replica.pending), at: replica.revision, behind: nil)
            replica.remember(again)
            replica.pending.append(again)
        }
        return true
    }

    /// The pending steps without a refused one.
    private func without(_ sent: PendingStep) -> TakenOut {
        TakenOut(
            from: pending,
            { step in
                let isGone =
                    step.id == sent.id || step.undone == sent.id
                    || (sent.whole != nil && step.whole == sent.whole)
                return isGone ? step.carried.inverses : nil
            },
            resting: { sent.isEdit || $0.isConflict })
    }

    private mutating func go(
        on taken: TakenOut, without sent: PendingStep, lost: [MergeEdit]
    ) throws(Diverged) -> Shown {
        let before = value
        isSending = false
        undoneSteps.forget(resting: sent.id)
        try keep(taken.kept)
        _ = carry(taken.undoing, past: [], .theirs)
        value = try with(pending)
        var shown = Shown(before, taken.undoing.shortened)
        shown.lost = lost.textOperations
        return shown
    }

    /// Continues with these steps, as made on the newest revision and on unknown edits.
    private mutating func keep(_ kept: [PendingStep]) throws(Diverged) {
        missing = nil
        pending = []
        var value = tree
        for var step in kept {
            if step.isEdit {
                if step.carried.isEmpty { continue }
                step.rebase(on: value, at: revision, behind: nil)
                remember(step)
            }
            value = try edited(value, step.carried)
            pending.append(step)
        }
        forgetUnneeded()
    }
}
