// Lists of edits that follow each other, as a client keeps them: what it has done, and what others
// did meanwhile.

extension MergeEdit {
    /// More pairs than any client passes; with room for the arithmetic of `Merge`.
    fileprivate static let pairsMax = Int.max / 64
    /// A longer string that was compared is sent as text operations.
    fileprivate static let wholeBytesMax = 16 << 10
}

extension [MergeEdit] {
    /// The steps of a patch, and the tree after it. O(steps · log n).
    ///
    /// `tree`: what the patch is applied to. `origin`: the revision that it made.
    package init(
        _ recorded: RecordedPatch, on tree: inout JSON, origin: Int
    ) throws(JSONPatchError) {
        self = []
        var reads = recorded.reads[...]
        func addReads(before count: Int) {
            while let read = reads.first, read.editsBefore == count {
                append(MergeEdit(.read, at: Place(read.pointer, in: tree), origin: origin))
                reads.removeFirst()
            }
        }
        for (index, edit) in recorded.patch.edits.enumerated() {
            addReads(before: index)
            MergeEdit.add(edit, in: tree, origin: origin, to: &self)
            try tree.apply(edit)
        }
        addReads(before: recorded.patch.edits.count)
    }

    /// The same of a patch without conditions, in the form in which it is read.
    package init(
        _ patch: ReversiblePatch, on tree: inout JSON, origin: Int
    ) throws(JSONPatchError) {
        try self.init(RecordedPatch(patch.asRead), on: &tree, origin: origin)
    }

    /// The operations of these edits, whatever tree they are for: letters as text operations.
    package var textOperations: JSONPatch {
        ReversiblePatch(compactMap(\.edit)).textOperations
    }

    /// The edits that take these back, the last one first.
    package var inverses: [MergeEdit] { reversed().compactMap(\.inverse) }

    /// These edits on the tree with others, and these others on the tree with these.
    package func passed(over others: [MergeEdit], _ policy: ConflictPolicy) -> PassedEdits {
        if isEmpty || others.isEmpty { return PassedEdits(mine: self, theirs: others, pairs: []) }
        var merge = Merge(
            over: others, policy: policy, pairsMax: MergeEdit.pairsMax, recordsPairs: true)
        do { try merge.add(self) } catch { preconditionFailure("too many edits for a client") }
        return PassedEdits(mine: merge.mine, theirs: merge.theirs, pairs: merge.pairs)
    }

    /// The operations that a client sends for these edits of a tree: letters as text operations,
    /// and a string that was found by comparing as a new string. O(edits · log n).
    package func operations(on tree: JSON) throws(JSONPatchError) -> JSONPatch {
        var tree = tree
        var operations: [JSONOperation] = []
        for step in self {
            if case .read = step.action {
                let pointer = step.place.pointer
                guard let value = tree[pointer] else { throw tree.missing(pointer) }
                operations.append(.test(pointer, value))
            }
            guard let edit = step.edit else { continue }
            try tree.apply(edit)
            // Of a long text only what differs is sent.
            guard case .splice(let pointer, _, _, _, isValue: true) = edit,
                tree[pointer]?.byteCount ?? 0 <= MergeEdit.wholeBytesMax
            else {
                operations += edit.operations
                continue
            }
            // One replacement for all edits in a row inside one string.
            if case .replace(pointer, _)? = operations.last { operations.removeLast() }
            operations.append(.replace(pointer, tree[pointer] ?? .null))
        }
        return JSONPatch(operations)
    }
}

/// Edits of two sides, each on the tree with the other's.
package struct PassedEdits: Sendable {
    package let mine: [MergeEdit]
    package let theirs: [MergeEdit]
    /// The pairs of edits that met: they touch each other, or not both could be done.
    package let pairs: [EditPair]

    /// Whether not all of both sides could be done as it was.
    package var isMet: Bool { pairs.contains { $0.relation != .independent } }

    /// The pairs of which one gave way.
    package var conflicts: [EditPair] { pairs.filter(\.isConflict) }
}

extension EditPair {
    /// Whether one of both must give way.
    package var isConflict: Bool { relation == .conflict }

    /// Whether mine is about letters that theirs is about, or right behind them: letters typed in
    /// front of others do not need them.
    var areTouching: Bool {
        guard case (.text(let mine), .text(let theirs)) = (mine.action, theirs.action),
            self.mine.place == self.theirs.place
        else { return false }
        let isBehind =
            theirs.removed.isEmpty
            ? theirs.position <= mine.end : theirs.position < mine.end
        return isBehind && mine.position <= theirs.end
    }
}

// Two states, compared.

extension JSON {
    /// The edits that lead from this value to another one; the letters of a string that are in both
    /// stay where they are. O(what differs · log n).
    ///
    /// `identityNames`: the members by which an element is known that has moved or was edited.
    package func steps(to target: JSON, identityNames: [String], origin: Int) -> [MergeEdit] {
        steps(of: edits(to: target, identityNames).flatMap(\.byLetters), origin)
    }

    /// The same where a program has set the other value: a string is a value of its own, and its
    /// words are in conflict with others' letters.
    package func comparison(to target: JSON, identityNames: [String]) -> [MergeEdit] {
        steps(of: edits(to: target, identityNames), 0)
    }

    private func edits(to target: JSON, _ identityNames: [String]) -> [JSONEdit] {
        diff(to: target, options: DiffOptions(identityNames: identityNames, isShort: false)).edits
    }

    private func steps(of edits: [JSONEdit], _ origin: Int) -> [MergeEdit] {
        var tree = self
        do { return try [MergeEdit](ReversiblePatch(edits), on: &tree, origin: origin) } catch {
            preconditionFailure("a comparison fits what was compared")
        }
    }

    /// The tree after edits. O(edits · log n).
    package func applying(_ steps: [MergeEdit]) throws(JSONPatchError) -> JSON {
        if steps.isEmpty { return self }
        var tree = self
        for step in steps {
            guard let edit = step.edit else { continue }
            try tree.apply(edit)
        }
        return tree
    }
}

extension JSONEdit {
    /// The edit of a string as edits of its words that were made letter by letter: they are in
    /// conflict with no other letter.
    fileprivate var byLetters: [JSONEdit] {
        let text: TextEdit
        switch self {
        case .splice(_, let position, let removed, let inserted, _):
            text = TextEdit(
                position: position, removed: removed, inserted: inserted, isValue: true)
        case .replace(_, let old, let new):
            guard let before = old.utf8, let after = new.utf8 else { return [self] }
            let splice = TextSplice(before, replacing: 0..<before.count, with: after)
            text = TextEdit(
                position: splice.position, removed: splice.removed, inserted: splice.inserted,
                isValue: true)
        default: return [self]
        }
        return text.words.map { word in
            .splice(
                pointers[0], at: word.position, removed: word.removed, inserted: word.inserted)
        }
    }
}
