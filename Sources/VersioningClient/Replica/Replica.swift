package import JSONTree

/// A document as one client has it: what the daemon has confirmed, then the step under way, then
/// what waits. Others' edits are carried past both, and both past them, as the daemon does it.
///
/// A value without I/O, clock or chance: events go in, and what is shown comes out. An event that
/// throws changes nothing.
package struct Replica: Sendable {
    /// The newest revision that is known; -1 before the document was read.
    package internal(set) var revision = -1
    /// The value there.
    package internal(set) var tree = JSON.null
    /// The value that is shown: with everything that is pending.
    package internal(set) var value = JSON.null
    /// Everything that is not confirmed, in its order.
    package internal(set) var pending: [PendingStep] = []
    /// Whether the first of these is under way.
    package internal(set) var isSending = false
    var undoneSteps = UndoneSteps()
    /// Others' edits since the pending ones were made.
    var missing: MissingWork?
    /// The steps that requests may name.
    var known: [Int: KnownStep] = [:]
    /// Edits that go in several requests, by their numbers.
    var wholes: [Int: StoredWhole] = [:]
    private var lastID = 0
    let policy: ConflictPolicy
    let identityNames: [String]

    /// A document that was not read yet. `policy`: whose edit stays in a conflict, `.mine` or
    /// `.theirs`. `identityNames`: the members that identify an element.
    package init(policy: ConflictPolicy = .mine, identityNames: [String] = ["id"]) {
        self.policy = policy
        self.identityNames = identityNames
    }

    package var isLoaded: Bool { revision >= 0 }

    /// The step under way.
    package var sent: PendingStep? { isSending ? pending.first : nil }

    /// The steps behind it.
    package var waiting: ArraySlice<PendingStep> { pending[(isSending ? 1 : 0)...] }

    /// Remembers that requests may name a step.
    mutating func remember(_ step: PendingStep) {
        known[step.id] = KnownStep(base: step.base, key: step.key)
    }

    mutating func nextID() -> Int {
        lastID += 1
        return lastID
    }
}

// MARK: - Here

extension Replica {
    /// Edits what is shown, as a comparison has found it.
    package mutating func edit(
        _ patch: ReversiblePatch, key: String, _ options: StepOptions = StepOptions()
    ) throws(JSONPatchError) -> Shown {
        try edit(RecordedPatch(patch.asRead), key, options)
    }

    /// Edits what is shown, by operations.
    package mutating func edit(
        _ operations: JSONPatch, key: String, _ options: StepOptions = StepOptions()
    ) throws(JSONPatchError) -> Shown {
        try edit(value.recording(operations).recorded, key, options)
    }

    private mutating func edit(
        _ recorded: RecordedPatch, _ key: String, _ options: StepOptions
    ) throws(JSONPatchError) -> Shown {
        guard isLoaded else { throw JSONPatchError(.missing, pointer: .root) }
        var after = value
        let edits = try [MergeEdit](recorded, on: &after, origin: revision)
        undoneSteps.forget()
        return add(edits, key, options, after)
    }

    /// Adds edits to what waits; they lead to `after`.
    mutating func add(
        _ edits: [MergeEdit], _ key: String, _ given: StepOptions, _ after: JSON
    ) -> Shown {
        var options = given
        if edits.contains(where: \.isLong) { options.isAlone = true }
        let before = value
        if edits.isEmpty {
            // Nothing is sent of it.
        } else if waiting.last?.takes(options) == true {
            pending[pending.count - 1].add(edits)
        } else {
            var step = PendingStep(
                nextID(), .edit, on: before, at: revision, behind: behind, key: key, options)
            step.add(edits)
            remember(step)
            pending.append(step)
        }
        value = after
        var shown = Shown(before, edits)
        shown.isOwn = true
        return shown
    }

    /// The pending steps on which a new one depends, if its request can name them: all were made
    /// on the newest revision.
    private var behind: [Int]? {
        guard pending.count < PendingStep.ownMax else { return nil }
        let isKnown = pending.allSatisfy { step in
            step.isEdit && step.base == revision && step.behind != nil
        }
        return isKnown ? pending.map(\.id) : nil
    }

    /// Adds a call that works on the history.
    package mutating func add(command name: String, _ body: JSON, key: String) {
        let kind = PendingStep.Kind.command(name: name, body: body)
        pending.append(PendingStep(nextID(), kind, on: value, at: revision, behind: nil, key: key))
    }

    /// Removes waiting commands: a command that could not be sent is not kept for later.
    package mutating func removeCommands() {
        let first = isSending ? pending.first?.id : nil
        pending.removeAll { step in
            if case .command = step.kind { step.id != first } else { false }
        }
    }

    /// Gives up everything that is not confirmed.
    package mutating func giveUp() -> Shown {
        var shown = Shown(
            value, value.steps(to: tree, identityNames: identityNames, origin: revision))
        shown.isOwn = true
        (pending, isSending, missing, value) = ([], false, nil, tree)
        (known, wholes) = ([:], [:])
        undoneSteps.forget()
        return shown
    }
}

// MARK: - Undo and redo of steps that the daemon does not have yet

extension Replica {
    /// Whether the newest step can be undone here, without the daemon.
    package var canUndoHere: Bool {
        guard let last = pending.last, last.isEdit else { return false }
        guard let whole = last.whole else { return true }
        // The daemon may have some of its parts: it undoes all at once.
        let isBegun = sent?.whole == whole && waiting.contains { $0.whole == whole }
        return !isBegun && wholes[whole]?.revisions.isEmpty ?? true
    }

    package var canRedoHere: Bool { !undoneSteps.isEmpty }

    /// Undoes the newest step, if it is not confirmed; `nil` if there is none.
    package mutating func undoHere() throws(Diverged) -> Shown? {
        guard canUndoHere else { return nil }
        return try whole { replica throws(Diverged) in
            guard replica.waiting.isEmpty else { return try replica.undoWaiting() }
            return try replica.undoSent()
        }
    }

    private mutating func undoSent() throws(Diverged) -> Shown {
        let sent = pending[0]
        var undo = PendingStep(
            nextID(), .undo(of: sent.id, revision: nil), on: value, at: revision, behind: nil,
            key: sent.key + "u")
        undo.carried = sent.carried.inverses
        undo.edits = undo.carried
        pending.append(undo)
        undoneSteps.add(.undo(undo.id, of: sent.id))
        return try show(undo.carried)
    }

    private mutating func undoWaiting() throws(Diverged) -> Shown {
        let options = pending[pending.count - 1].options
        var gone: [MergeEdit] = []
        repeat {
            gone = pending.removeLast().carried + gone
        } while options.group != nil && waiting.last?.options.group == options.group
        undoneSteps.add(
            .kept(gone, StepOptions(group: options.group, label: options.label)))
        return try show(gone.inverses)
    }

    /// Redoes the step that was undone here last; `nil` if there is none.
    package mutating func redoHere(key: String) throws(Diverged) -> Shown? {
        try whole { replica throws(Diverged) in
            switch replica.undoneSteps.removeLast() {
            case .kept(let edits, let options)?:
                return replica.add(edits, key, options, try replica.edited(replica.value, edits))
            case .undo(let id, _)?:
                guard let undo = replica.waiting.last, undo.id == id else { return nil }
                replica.pending.removeLast()
                return try replica.show(undo.carried.inverses)
            case nil: return nil
            }
        }
    }

    private mutating func show(_ edits: [MergeEdit]) throws(Diverged) -> Shown {
        var shown = Shown(value, edits)
        shown.isOwn = true
        value = try edited(value, edits)
        return shown
    }
}

// MARK: - Values

extension Replica {
    /// A value after edits.
    func edited(_ value: JSON, _ edits: [MergeEdit]) throws(Diverged) -> JSON {
        do { return try value.applying(edits) } catch { throw Diverged() }
    }

    /// The newest confirmed value with some pending steps.
    func with(_ steps: some Sequence<PendingStep>) throws(Diverged) -> JSON {
        var value = tree
        for step in steps { value = try edited(value, step.carried) }
        return value
    }
}
