import JSONTree
public import Naming
import SelectiveUndo

/// A document's history in a test: edits, own undo, shared undo. Every result of the kept line is
/// compared with that of a new line made from the entries, and with the model.
public struct UndoScene {
    public struct Entry {
        public enum Kind {
            /// `wonSince`: it was made on that old state, and may have put back what was removed.
            case edit(group: Int?, wonSince: Int?)
            case reversion(Reversal)
        }
        public let revision: Int
        public let actor: Name
        public let kind: Kind
        let patch: ReversiblePatch
        public let tree: JSON
        let parent: Int

        /// The places that it edits.
        public var places: [JSONPointer] { patch.pointers }
    }

    /// A forbidden difference.
    public struct Difference: Error, CustomStringConvertible {
        public let description: String
    }

    public private(set) var tree: JSON
    public private(set) var revision = 0
    public private(set) var entries: [Int: Entry] = [:]
    public let start: JSON
    /// The revision of the change that made the current version; 0 at the beginning.
    private var current = 0
    private var redo: [Int: Int] = [:]
    private var kept: EffectHistory
    private var model: UndoModel
    /// Whether kept and model are compared.
    public var comparesModel = true

    public init(_ start: JSON) {
        self.start = start
        tree = start
        kept = EffectHistory(start, first: 1, isWhole: true)
        model = UndoModel(start)
    }

    /// The entries of the current line, oldest first.
    public var line: [Entry] {
        var line: [Entry] = []
        var revision = current
        while let entry = entries[revision] {
            line.append(entry)
            revision = entry.parent
        }
        return line.reversed()
    }

    private mutating func add(
        _ actor: Name, _ kind: Entry.Kind, _ patch: ReversiblePatch, _ tree: JSON
    ) {
        entries[revision] = Entry(
            revision: revision, actor: actor, kind: kind, patch: patch, tree: tree, parent: current)
        redo[current] = revision
        current = revision
        self.tree = tree
    }

    /// Applies a patch; `group` is the first change of the version that it belongs to.
    @discardableResult
    public mutating func edit(
        by actor: Name, group: Int? = nil, _ patch: JSONPatch
    ) throws -> Int? {
        let (tree, patch) = try tree.applying(patch)
        return try edit(by: actor, group: group, patch, tree)
    }

    /// The state at a revision, if all changes since are on the current line.
    public func state(at base: Int) -> JSON? {
        guard base >= 0, base <= revision,
            line.suffix(revision - base).map(\.revision)
                == Array((base + 1)..<(revision + 1))
        else { return nil }
        return base == 0 ? start : entries[base]?.tree
    }

    /// Applies a patch that was made on an old state; it wins where others changed the same.
    @discardableResult
    public mutating func edit(
        by actor: Name, on base: Int, group: Int? = nil, _ patch: JSONPatch
    ) throws -> Int? {
        guard let state = state(at: base) else {
            throw Difference(description: "the changes since \(base) are not on the line")
        }
        let later = line.suffix(revision - base).map { entry in
            switch entry.kind {
            case .edit(_, let base):
                MergeBase.Later(
                    entry.patch, revision: entry.revision,
                    returning: base.map { .removed(after: $0) } ?? .nothing)
            case .reversion:
                MergeBase.Later(entry.patch, revision: entry.revision, returning: .anything)
            }
        }
        let merge = try MergeBase(before: later, head: tree, pairsMax: 1_000_000)
        let merged = try merge.merge(state.recording(patch).recorded, policy: .mine)
        let isAsSent = merged.patch == merged.sent
        return try edit(
            by: actor, group: group, merged.patch, try tree.applying(merged.patch),
            wonSince: isAsSent ? nil : base)
    }

    @discardableResult
    public mutating func put(by actor: Name, _ value: JSON) throws -> Int? {
        let patch = tree.diff(to: value, options: DiffOptions(isShort: false))
        return try edit(by: actor, group: nil, patch, try tree.applying(patch))
    }

    /// Applies a patch that leads to a tree.
    @discardableResult
    public mutating func edit(
        by actor: Name, group: Int? = nil, _ patch: ReversiblePatch, _ tree: JSON,
        wonSince base: Int? = nil
    ) throws -> Int? {
        if tree == self.tree { return nil }
        revision += 1
        try kept.append(revision, by: actor, group: group, patch, wonSince: base)
        if comparesModel {
            model.append(revision, by: actor, group: group, patch, wonSince: base)
            guard model.value == tree else {
                throw Difference(description: "the model makes \(model.value) of \(tree)")
            }
        }
        add(actor, .edit(group: group, wonSince: base), patch, tree)
        guard (try kept.rendered()) == tree else {
            throw Difference(description: "the kept line is not \(tree)")
        }
        return revision
    }

    /// The line as the entries say it, from the first of `revision` on.
    public func rebuilt(from revision: Int = 1) throws -> EffectHistory {
        var line = self.line
        if let first = line.firstIndex(where: { $0.revision >= revision }) {
            line = Array(line[first...])
        }
        let first = line.first?.revision ?? 1
        let before = line.first.flatMap { entries[$0.parent] }?.tree ?? start
        var result = EffectHistory(
            before, first: first, isWhole: line.first.map { $0.parent == 0 } ?? true)
        for entry in line {
            switch entry.kind {
            case .edit(let group, let base):
                try result.append(
                    entry.revision, by: entry.actor, group: group, entry.patch, wonSince: base)
            case .reversion(let reversal):
                var tree = entries[entry.parent]?.tree ?? start
                try result.revert(entry.revision, reversal, &tree)
                guard tree == entry.tree else {
                    throw Difference(description: "replayed as \(tree), not \(entry.tree)")
                }
            }
        }
        return result
    }

    /// Where a line that begins at a revision must begin, so that it has all that is named in it.
    public func windowStart(from revision: Int) -> Int {
        var first = revision
        for entry in line.reversed() where entry.revision >= first {
            if case .reversion(let reversal) = entry.kind {
                first = min(first, reversal.flipped.min() ?? first)
            }
        }
        return first
    }

    /// Carries out a request; what was done, or why not.
    public mutating func revert(
        _ request: OwnUndoRequest
    ) throws -> Result<OwnUndo, OwnUndoError> {
        let result = try perform { line, tree throws(OwnUndoError) in
            try line.revert(request, on: tree)
        }
        if case .actor = request.target {
            if comparesModel { try compare(request, result) }
        } else {
            try replay(result)
        }
        return result
    }

    private mutating func replay(_ result: Result<OwnUndo, OwnUndoError>) throws {
        guard comparesModel, case .success(let reversion) = result else { return }
        model.replay(
            revision, actor: reversion.actor, off: reversion.reversal.off, on: reversion.reversal.on
        )
        try compareValue()
    }

    private func compareValue() throws {
        guard model.value == tree, model.revisionsInEffect == kept.revisionsInEffect else {
            throw Difference(
                description: "\(tree) \(kept.revisionsInEffect), the model \(model.value) "
                    + "\(model.revisionsInEffect)")
        }
        try compareAuthors()
    }

    /// Each value has the author of the model; the line names only authors that differ from those
    /// around them.
    private func compareAuthors() throws {
        let told = kept.authorship(under: .root, oldest: 0) ?? []
        let byPlace = Dictionary(uniqueKeysWithValues: told.map { ($0.place.description, $0) })
        for (path, expected) in model.authors {
            var place = path
            while byPlace[place] == nil, let slash = place.lastIndex(of: "/") {
                place = String(place[..<slash])
            }
            let found = byPlace[place]
            var authors = [found?.revision ?? -1]
            if place == path, let runs = found?.runs, !runs.isEmpty {
                authors += runs.flatMap { [Int](repeating: $0.revision ?? -1, count: $0.count) }
            } else {
                authors += [Int](repeating: authors[0], count: expected.count - 1)
            }
            guard authors == expected else {
                throw Difference(
                    description: "\(path) of \(tree) is by \(authors), the model \(expected)")
            }
        }
    }

    public mutating func discard(
        _ off: [Int], on: [Int] = [], by actor: Name
    ) throws -> Result<OwnUndo, OwnUndoError> {
        let result = try perform { line, tree throws(OwnUndoError) in
            try line.revert(
                off: off.map { ChangePart($0) }, on: on.map { ChangePart($0) }, actor: actor,
                policy: .reject, on: tree)
        }
        try replay(result)
        return result
    }

    private mutating func perform(
        _ body: (inout EffectHistory, JSON) throws(OwnUndoError) -> OwnUndo
    ) throws -> Result<OwnUndo, OwnUndoError> {
        var other = try rebuilt()
        guard other.revisionsInEffect == kept.revisionsInEffect else {
            throw Difference(description: "made anew, other changes are in effect")
        }
        let before = tree
        let result = Result { () throws(OwnUndoError) in try body(&kept, before) }
        let again = Result { () throws(OwnUndoError) in try body(&other, before) }
        guard result == again else {
            throw Difference(description: "kept \(result), made anew \(again)")
        }
        if case .success(var reversion) = result {
            // Undone and redone: the same.
            kept.cancel(reversion)
            guard (try kept.rendered()) == tree else {
                throw Difference(description: "cancel leaves something")
            }
            reversion = try body(&kept, tree)
            guard Result.success(reversion) == result else {
                throw Difference(description: "again \(reversion), not \(result)")
            }
            try check(reversion)
            revision += 1
            try kept.record(reversion, at: revision, reversion.tree)
            add(
                reversion.actor, .reversion(reversion.reversal), reversion.patch, reversion.tree)
        }
        guard (try kept.rendered()) == tree else {
            throw Difference(description: "the kept line is not \(tree)")
        }
        return result
    }

    /// The patch leads where it says, both ways.
    private func check(_ reversion: OwnUndo) throws {
        guard try tree.applying(reversion.patch) == reversion.tree,
            try reversion.tree.applying(reversion.patch.inverse) == tree
        else { throw Difference(description: "\(reversion.patch) does not lead to the tree") }
        let strict = try reversion.patch.operations(on: tree)
        let back = try reversion.patch.inverse.operations(on: reversion.tree)
        guard try tree.applying(strict).tree == reversion.tree,
            try reversion.tree.applying(back).tree == tree
        else { throw Difference(description: "\(strict) does not lead to the tree and back") }
    }

    /// The same request to the model, after `revert`. Throws if it says something else.
    private mutating func compare(
        _ request: OwnUndoRequest, _ result: Result<OwnUndo, OwnUndoError>
    ) throws {
        let done = model.revert(request, at: revision)
        switch result {
        case .success(let reversion):
            let same =
                done.off == reversion.reversal.off && done.on == reversion.reversal.on
                && done.passed == reversion.reversal.passed
                && done.skipped == reversion.reversal.skipped.map(\.change) && done.conflicts == nil
            guard same else { throw Difference(description: "\(reversion), the model \(done)") }
        case .failure(.nothing):
            guard done.isNothing else { throw Difference(description: "nothing; model \(done)") }
        case .failure(.conflicts(let conflicts)):
            guard done.conflicts == Set(conflicts.flatMap(\.with)) else {
                throw Difference(description: "\(conflicts); model \(done)")
            }
        case .failure(let error): throw Difference(description: "\(error); model \(done)")
        }
        try compareValue()
    }

    // MARK: Shared undo

    public enum Move {
        case undo, redo
        case goTo(Int)
    }

    /// Goes to another version; whether there is one.
    public mutating func move(_ move: Move) throws -> Bool {
        let target: Int?
        switch move {
        case .undo: target = entries[current]?.parent
        case .redo: target = redo[current]
        case .goTo(let version): target = version == 0 || entries[version] != nil ? version : nil
        }
        guard let target, target != current else { return false }
        if case .undo = move { redo[target] = current }
        revision += 1
        current = target
        tree = entries[target]?.tree ?? start
        kept = try rebuilt()
        guard (try kept.rendered()) == tree else {
            throw Difference(description: "the line is not \(tree)")
        }
        guard comparesModel else { return true }
        model = UndoModel(start)
        for entry in line {
            switch entry.kind {
            case .edit(let group, let base):
                model.append(
                    entry.revision, by: entry.actor, group: group, entry.patch, wonSince: base)
            case .reversion(let reversal):
                model.replay(
                    entry.revision, actor: entry.actor, off: reversal.off, on: reversal.on)
            }
        }
        return true
    }

    public var revisionsInEffect: [Int] { kept.revisionsInEffect }
}
