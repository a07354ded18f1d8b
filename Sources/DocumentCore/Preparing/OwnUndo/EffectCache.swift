import JSONTree
package import Naming
import SelectiveUndo
import VersioningKit

/// The effect history of a document at its newest prepared revision, while own undo is used.
///
/// The first own undo makes it, and each change advances it, so the next undo costs what it
/// changes. A change of the current line of versions (shared undo) drops it. A document without own
/// undo never has one.
package struct EffectCache: Sendable {
    /// A history that takes more is not kept.
    private static let bytesMax = 32 << 20

    /// How far back a history must reach.
    package enum Need: Sendable {
        /// To the version that an actor would undo.
        case undo(Name)
        /// To what an actor would redo.
        case redo(Name)
        /// To a revision.
        case from(Int)
    }

    private var history: EffectHistory?
    /// The knowledge of a narrow history, which lacks some changes; `nil`: it has all changes.
    private(set) var coverage: Narrowing.Coverage?
    /// The step applied to the history for a request that has not become a change yet.
    private var pending: OwnUndo?
    /// The number of changes in the last history: the next one that reaches back further has twice
    /// as many.
    private(set) var count = 0

    var hasHistory: Bool { history != nil }

    /// Whether it is not kept after the request that it was made for.
    var isLarge: Bool { weight > EffectCache.bytesMax }

    /// About how many bytes it holds.
    package var weight: Int { history?.byteCount ?? 0 }

    init(count: Int = 0) {
        self.count = count
    }

    /// Does something to the history; `nil` if there is none that reaches back far enough.
    ///
    /// `request`: what is done, if that is an own undo. Only then may a narrow history be asked.
    mutating func perform(
        _ request: OwnUndoRequest?,
        _ body: (inout EffectHistory) throws(OwnUndoError) -> OwnUndo
    ) throws(OwnUndoError) -> OwnUndo? {
        if let coverage { return try perform(request, body, within: coverage) }
        do throws(OwnUndoError) {
            pending = try history?.perform(body)
            return pending
        } catch {
            if case .needsOlder = error { return nil }
            if case .diverged = error { drop() }
            throw error
        }
    }

    private mutating func perform(
        _ request: OwnUndoRequest?,
        _ body: (inout EffectHistory) throws(OwnUndoError) -> OwnUndo,
        within coverage: Narrowing.Coverage
    ) throws(OwnUndoError) -> OwnUndo? {
        do throws(OwnUndoError) {
            if let request, let undo = try history?.perform(body) {
                pending = undo
                if coverage.covers(request, undo, since: { history?.lastFlip(of: $0) }) {
                    return undo
                }
            }
        } catch {
            if let request, coverage.covers(request, error) { throw error }
        }
        // Another request needs another history.
        drop()
        return nil
    }

    /// Whether what is in effect makes a tree. O(what was touched since the history begins).
    mutating func makes(_ tree: JSON) -> Bool { (try? history?.rendered()) == tree }

    /// Replaces the history.
    ///
    /// `coverage`: what it can say, if it is narrow.
    mutating func keep(_ history: EffectHistory, count: Int, _ coverage: Narrowing.Coverage? = nil)
    {
        self.history = history
        self.count = count
        self.coverage = coverage
        pending = nil
    }

    /// Cancels what was done for a request that did not become a change.
    mutating func cancel() {
        guard let undo = pending else { return }
        history?.cancel(undo)
        pending = nil
    }

    /// Drops the history.
    package mutating func drop() {
        self = EffectCache()
    }

    /// Whether an actor has anything to undo, or to redo; `nil` if the history does not say.
    ///
    /// `reversal`: the newest change, after which a narrow history knows what can be redone.
    func hasNext(_ question: OwnUndoLookup.Question, after reversal: Reversal? = nil) -> Bool? {
        let actor = question.actor
        let has = question.isRedo ? history?.hasUndone(by: actor) : history?.hasEdits(of: actor)
        guard let coverage else { return has }
        // Changes that it does not have may exist all the same.
        guard coverage.undoes(actor), has == true,
            !question.isRedo || reversal?.redone.isEmpty == true
        else { return nil }
        return true
    }

    /// Advances the history by a change, whatever it takes.
    mutating func follow(_ change: Change, to document: Document) {
        guard history != nil else { return }
        // A narrow history may lack changes of the scope.
        if case .popScope(isChanged: true, _) = change.kind, coverage != nil { return drop() }
        do {
            guard try history?.advance(by: change, to: document, pending) ?? false,
                change.versionsKept == nil
            else { return drop() }
            pending = nil
            if change.makesVersion { count += 1 }
        } catch {
            drop()
        }
    }
}

extension EffectHistory {
    /// In place, where only this refers to the history.
    fileprivate mutating func perform(
        _ body: (inout EffectHistory) throws(OwnUndoError) -> OwnUndo
    ) throws(OwnUndoError) -> OwnUndo {
        try body(&self)
    }

    /// Adds a change. Returns whether it continues this history.
    fileprivate mutating func advance(
        by change: Change, to document: Document, _ pending: OwnUndo?
    ) throws(Diverged) -> Bool {
        switch change.kind {
        case .append, .restore, .update:
            try append(
                change.revision, by: change.actor, group: change.group, change.patch,
                wonSince: change.wonSince, untracked: change.untracked,
                isPart: change.isPart, isUpdate: change.kind == .update)
        case .touch: try appendUntracked(change.untracked)
        case .revert, .discardScope(_?):
            guard let pending else { return !change.makesVersion }
            try record(
                pending, at: change.revision, document.tree, isPart: change.isPart)
        case .popScope(isChanged: true, let owner):
            let steps = document.history.version(change.revision)?.steps.list ?? []
            guard isWhole || steps.allSatisfy({ $0 >= first }) else { return false }
            pop(change.revision, steps, owner: owner ?? change.actor)
        case .create, .move, .popScope, .discardScope, .delete, .undelete, .purge,
            .forgotten, .foundation:
            return false
        case .settings, .snapshot, .removeSnapshot, .tag, .removeTag, .pushScope, .copy, .merge,
            .origin:
            break
        }
        return true
    }
}
