package import JSONTree

// Requests to the daemon.

/// An edit that is too long for one request: its parts are one version, and all are undone if
/// one of them is refused.
struct StoredWhole: Sendable {
    /// The revisions of the parts that are stored.
    private(set) var revisions: [Int] = []
    /// The edits that undo these on the newest confirmed state.
    var undoing: [MergeEdit] = []

    mutating func add(_ revision: Int, _ edits: [MergeEdit]) {
        revisions.append(revision)
        undoing = edits.inverses + undoing
    }

    /// Carries what takes the parts back past edits of the confirmed state.
    mutating func follow(_ edits: [MergeEdit]) {
        undoing = undoing.passed(over: edits, .mine).mine
    }
}

extension Replica {
    /// Takes the first waiting step, to be sent; of its edits, as many as `portion` permits.
    /// Returns the step under way.
    package mutating func take(
        _ portion: ([MergeEdit]) -> Int = { $0.count }
    ) throws(Diverged) -> PendingStep? {
        if isSending || pending.isEmpty { return sent }
        return try whole { replica throws(Diverged) in
            replica.isSending = true
            if replica.pending[0].isEdit, replica.pending[0].request == nil {
                try replica.prepareFirst(portion)
            }
            return replica.pending[0]
        }
    }

    private mutating func prepareFirst(_ portion: ([MergeEdit]) -> Int) throws(Diverged) {
        if !pending[0].isSendableAsMade(known) {
            rebaseFirst()
            var edits = pending[0].edits
            let along = pending.dropFirst().prefix { pending[0].mayTakeAlong($0) }
            for next in along { edits.join(next.carried) }
            pending.removeSubrange(along.indices)
            (pending[0].edits, pending[0].carried) = (edits, edits)
        }
        if pending[0].edits.contains(where: \.isLong) {
            rebaseFirst()
            divideFirst()
        }
        let count = portion(pending[0].edits)
        if count < pending[0].edits.count {
            rebaseFirst()
            if count < pending[0].edits.count { try cutFirst(count) }
        }
        pending[0].isCarried = true
    }

    /// From now on the first step is based on the newest revision, and those behind it depend on
    /// that: its request names no earlier changes, so none of them restores removed values.
    mutating func rebaseFirst() {
        pending[0].rebase(on: tree, at: revision, behind: [])
        remember(pending[0])
        missing = nil
    }

    /// Makes several edits of each that is too long.
    private mutating func divideFirst() {
        pending[0].edits = pending[0].edits.flatMap(\.pieces)
        pending[0].carried = pending[0].edits
        guard pending[0].whole == nil else { return }
        pending[0].whole = pending[0].id
        wholes[pending[0].id] = StoredWhole()
    }

    /// Takes the first edits out of the first step, as a step of their own.
    ///
    /// The rest keeps the number: steps that rest on the whole one do not rest on the first half.
    mutating func cutFirst(_ count: Int) throws(Diverged) {
        var rest = pending[0]
        rest.options.group = rest.options.group ?? rest.key
        var first = PendingStep(
            nextID(), .edit, on: rest.before, at: rest.base, behind: rest.behind,
            key: rest.key + "a", rest.options)
        first.edits = Array(rest.edits.prefix(count))
        first.carried = first.edits
        (first.whole, first.tries) = (rest.whole, rest.tries)
        rest.key += "b"
        rest.edits = Array(rest.edits.dropFirst(count))
        rest.carried = rest.edits
        rest.before = try edited(first.before, first.edits)
        rest.behind = nil
        remember(first)
        remember(rest)
        pending.replaceSubrange(0..<1, with: [first, rest])
    }

    /// The request for the step under way; the same at each repetition.
    package mutating func submit() throws(Diverged) -> StepRequest? {
        guard isSending else { return nil }
        if let made = pending[0].request { return made }
        let made: StepRequest
        switch pending[0].kind {
        case .command(let name, let body): made = .command(name: name, body: body)
        case .undo(_, let revision):
            guard let revision else { throw Diverged() }
            let body = JSON(members: [("revision", JSON(revision))])
            made = .command(name: "undo", body: body)
        case .edit: made = .edit(try submitEdit())
        }
        pending[0].request = made
        return made
    }

    private mutating func submitEdit() throws(Diverged) -> StepRequest.Edit {
        let step = pending[0]
        do {
            let operations = try step.edits.operations(on: step.before)
            // Merged with the edits that the daemon reads: so both come to one value.
            var after = step.before
            let recorded = try step.before.recording(operations, limits: .stored).recorded
            let read = try [MergeEdit](recorded, on: &after, origin: step.base)
            if step.carried == step.edits { pending[0].carried = read }
            pending[0].edits = read
            return StepRequest.Edit(
                operations: operations, base: step.base,
                own: (step.behind ?? []).compactMap { id in
                    known[id].map { one in one.revision.map { .revision($0) } ?? .key(one.key) }
                },
                policy: policy, group: step.options.group, label: step.options.label)
        } catch {
            throw Diverged()
        }
    }
}
