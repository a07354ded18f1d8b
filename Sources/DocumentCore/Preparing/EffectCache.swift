import JSONTree
package import Naming
import SelectiveUndo
import VersioningKit

/// The effect history of a document at its newest prepared revision, while own undo is used.
///
/// Made when somebody undoes something of their own, and then moved on by each change, so that the
/// next undo costs what it changes. A change of the line itself (shared undo) drops it. A document
/// that nobody undoes in this way never has one.
package struct EffectCache: Sendable {
    /// A line that takes more is not kept.
    private static let bytesMax = 32 << 20

    /// How far back a line must reach.
    package enum Need: Sendable {
        /// To the version that an actor would undo.
        case undo(Name)
        /// To what an actor would redo.
        case redo(Name)
        /// To a revision.
        case from(Int)
    }

    private var line: EffectHistory?
    /// What a line that does not know all changes can say; `nil`: it knows all.
    private var reach: Narrowing.Reach?
    /// What was done to the line for a request that is no change yet.
    private var pending: OwnUndo?
    /// The changes that the last line had: the next one that reaches back further has twice as
    /// many.
    private(set) var count = 0

    /// What is known of who has not worked lately.
    var longAgo: LongAgo

    var hasLine: Bool { line != nil }

    /// Whether there is a line that does not know all changes.
    var isNarrow: Bool { reach != nil }

    /// Whether it is not kept after the request that it was made for.
    var isLarge: Bool { weight > EffectCache.bytesMax }

    /// About how many bytes it holds.
    package var weight: Int { line?.byteCount ?? 0 }

    init(count: Int = 0, longAgo: LongAgo = LongAgo()) {
        self.count = count
        self.longAgo = longAgo
    }

    /// Does something to the line that there is; `nil` if there is none that reaches back so far.
    ///
    /// `request`: what is done, if that is somebody's own undo. Only then may a line be asked that
    /// does not know all changes.
    mutating func perform(
        _ request: OwnUndoRequest?,
        _ body: (inout EffectHistory) throws(OwnUndoError) -> OwnUndo
    ) throws(OwnUndoError) -> OwnUndo? {
        if let reach { return try perform(request, body, within: reach) }
        do throws(OwnUndoError) {
            pending = try line?.perform(body)
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
        within reach: Narrowing.Reach
    ) throws(OwnUndoError) -> OwnUndo? {
        do throws(OwnUndoError) {
            if let request, let undo = try line?.perform(body) {
                pending = undo
                if reach.covers(request, undo, since: { line?.lastFlip(of: $0) }) { return undo }
            }
        } catch {
            if let request, reach.covers(request, error) { throw error }
        }
        // Who is asked for something else needs another one.
        drop()
        return nil
    }

    /// Whether what is in effect makes a tree. O(what was touched since the line begins).
    mutating func makes(_ tree: JSON) -> Bool { (try? line?.rendered()) == tree }

    /// Puts a line into the place of the one that there is.
    ///
    /// `reach`: what it can say, if it does not know all changes.
    mutating func keep(_ line: EffectHistory, count: Int, _ reach: Narrowing.Reach? = nil) {
        self.line = line
        self.count = count
        self.reach = reach
        pending = nil
    }

    /// Takes back what was done for a request that did not become a change.
    mutating func cancel() {
        guard let undo = pending else { return }
        line?.cancel(undo)
        pending = nil
    }

    /// Drops the line.
    package mutating func drop() {
        self = EffectCache(longAgo: longAgo)
    }

    /// What the actor of the newest change can undo and redo; `nil` where that is not known without
    /// looking back.
    func availability(after change: Change) -> OwnAvailability? {
        switch change.kind {
        case .append, .restore, .update:
            change.actor == .nobody
                ? nil : OwnAvailability(actor: change.actor, hasUndo: true, hasRedo: false)
        case .revert(let changes): availability(after: changes, by: changes.actor ?? change.actor)
        default: nil
        }
    }

    private func availability(after changes: Reversal, by actor: Name) -> OwnAvailability? {
        let available = line?.availability(of: actor)
        guard let reach else { return available }
        // What it has not may be all the same.
        let isSure = reach.undoes(actor) && changes.on.isEmpty && available?.hasUndo == true
        return isSure ? available : nil
    }

    /// Whether a request needs no more than this.
    func helps(with request: ChangeRequest) -> Bool {
        guard case .revert(let wanted) = request.action else { return hasLine }
        return hasLine || longAgo.knows(wanted)
    }

    /// Whether the line says what an actor can undo or redo.
    func knows(_ actor: Name, isRedo: Bool) -> Bool {
        if let reach { return !isRedo && reach.undoes(actor) && line?.hasEdits(of: actor) == true }
        return (isRedo ? line?.hasUndone(by: actor) : line?.hasEdits(of: actor)) ?? nil != nil
    }

    /// Moves the line on by a change, which led to `document` from another version; one that takes
    /// too much is not kept.
    mutating func advance(by change: Change, from version: Int? = nil, to document: Document) {
        // First, since others may hold it, too: then it would be copied.
        if isLarge { drop() }
        follow(change, from: version, to: document)
        if isLarge { drop() }
    }

    /// The same of a line that is still needed, whatever it takes.
    mutating func follow(_ change: Change, from version: Int? = nil, to document: Document) {
        longAgo.advance(by: change, from: version, document.latestWork)
        guard line != nil else { return }
        // What a scope had may be left out.
        if case .popScope(isChanged: true, _) = change.kind, reach != nil { return drop() }
        do {
            guard try line?.advance(by: change, to: document, pending) ?? false,
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
    fileprivate func availability(of actor: Name) -> OwnAvailability? {
        guard let hasUndo = hasEdits(of: actor), let hasRedo = hasUndone(by: actor) else {
            return nil
        }
        return OwnAvailability(actor: actor, hasUndo: hasUndo, hasRedo: hasRedo)
    }

    /// In place, where only this refers to the line.
    fileprivate mutating func perform(
        _ body: (inout EffectHistory) throws(OwnUndoError) -> OwnUndo
    ) throws(OwnUndoError) -> OwnUndo {
        try body(&self)
    }

    /// Adds a change. Returns whether it continues this line.
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
