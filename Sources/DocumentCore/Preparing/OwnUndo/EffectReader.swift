import JSONTree
import Naming
import SelectiveUndo
import VersioningKit

/// Makes an effect history of a document's changes, from the newest one back as far as is needed.
///
/// Only the changes of the current line are read: the tree is what they make, so what leads back is
/// their inverses, whatever else happened in between. Each change is read once.
package struct EffectReader {
    typealias Pop = (revision: Int, steps: [Int], owner: Name)

    let preparation: Preparation
    var path: StepsBack<Int>
    /// The version that was read last.
    private var version = -1
    /// The next older revision of the current line.
    var next: Int?
    /// The newest first.
    private(set) var parts: [Part] = []
    /// About how many bytes they take.
    private(set) var held = 0
    /// The number of changes that were read.
    private(set) var count = 0
    /// The revision of the last of them.
    var oldest: Int?
    /// The tree before the oldest of them; after those in a row that are left out, where some of
    /// these were passed.
    var tree: JSON
    var passed = Passed()
    private var past: PastTrees
    /// The oldest revision that the read changes refer to; the history must reach it.
    private var floor = Int.max
    /// Versions that scopes were popped to, with their steps and the scopes' owners.
    private(set) var pops: [Pop] = []
    private var effects = BackwardEffectScan()
    /// Whether what was asked for is there.
    private var isFound = false
    /// Whether all of the value has always had versions.
    let isWhole: Bool

    /// The filter of changes to leave out; `nil`: all changes are read.
    var narrowing: Narrowing?
    /// Whether what is left out has to do with the rest after all.
    private(set) var isTooNarrow = false

    /// With a narrowing, the history has the changes that interact with some, and of all others
    /// the difference that they made together: it can say nothing about these.
    package init(_ preparation: Preparation, _ narrowing: Narrowing? = nil) {
        self.preparation = preparation
        preparation.context.known.readsOnce = true
        self.narrowing = narrowing
        let document = preparation.document
        path = document.history.stepsBack
        tree = document.tree
        isWhole = document.settings.tracking.isWhole && document.formerTrackings.isEmpty
        past = PastTrees(document, preparation.context)
        next = path.next()
    }

    /// Whether there is nothing older.
    var isAtEnd: Bool { next == nil }

    /// Whether it holds as much as it may.
    private var isFull: Bool { held > preparation.context.undoBytesMax }

    /// Throws if more would have to be held than may be.
    func checkRoom() throws(PreparationError) {
        guard isFull else { return }
        let head = preparation.document.revision
        throw .refused(.changeTooOld(reached: oldest ?? head, head: head))
    }

    /// Reads back as far as is needed, but at least `minimum` changes if there is room.
    package mutating func read(_ need: EffectCache.Need, atLeast minimum: Int)
        throws(PreparationError)
    {
        while let revision = next, !isTooNarrow {
            if isEnough(need) {
                if isFull || count >= minimum { break }
            } else {
                try checkRoom()
            }
            if oldest == nil, try preparation.differs(tree, after: revision, .backward) {
                throw .refused(.mismatch(version: preparation.history.currentID))
            }
            if let reversals = try pass(revision) {
                for change in reversals.reversed() { note(change, need) }
                continue
            }
            let change = try preparation.context.change(revision)
            try read(change)
            if path.version != version {
                version = path.version
                if path.first != version { try notePops(version) }
            }
            next = path.next()
            note(change, need)
        }
        if passed.isLast && !isTooNarrow {
            if let next { try goBack(to: next) } else { isTooNarrow = true }
        }
    }

    private mutating func read(_ change: Change) throws(PreparationError) {
        let patch = try preparation.trackedPatch(of: change, &past)
        (count, oldest) = (count + 1, change.revision)
        switch narrowing?.decision(on: change, patch) ?? .wanted {
        case .impossible: isTooNarrow = true
        case .leftOut:
            // The result of all changes is compared at their end.
            if passed.isLast { break }
            let end = takeRest() ?? tree
            try goBack(patch)
            add(.rest(before: tree, after: end))
        case .wanted:
            if passed.isLast { try goBack(to: change.revision) }
            let after = tree
            try goBack(patch)
            add(part(change, patch, after: after))
        }
    }

    /// Takes away what was left out last, if more of it is to come. Returns the tree after it.
    mutating func takeRest() -> JSON? {
        guard case .rest(_, let after, _)? = parts.last else { return nil }
        held -= parts.removeLast().byteCount
        return after
    }

    mutating func add(_ part: Part) {
        parts.append(part)
        held += part.byteCount
    }

    private func part(_ change: Change, _ patch: ReversiblePatch, after: JSON) -> Part {
        if let reversal = change.reversal {
            return .reversal(reversal, of: change, before: tree, after: after)
        }
        let edit = Edit(change, patch)
        return isWhole ? .edit(edit) : .editBetween(edit, before: tree, after: after)
    }

    private mutating func goBack(_ patch: ReversiblePatch) throws(PreparationError) {
        do { try tree.apply(patch.inverse) } catch {
            throw .refused(.mismatch(version: path.version))
        }
    }

    private func isEnough(_ need: EffectCache.Need) -> Bool {
        guard let oldest, oldest <= floor else { return false }
        if case .from(let revision) = need { return oldest <= revision }
        return isFound
    }

    private mutating func note(_ change: Change, _ need: EffectCache.Need) {
        if let reversal = change.reversal {
            effects.note(reversal)
            floor = min(floor, reversal.flipped.min() ?? floor)
            if case .redo(let actor) = need, reversal.actor ?? actor == actor { isFound = true }
            return
        }
        if change.joinsUnnamed, let next { floor = min(floor, next) }
        noteEdit(change, need)
    }

    private mutating func noteEdit(_ change: Change, _ need: EffectCache.Need) {
        switch need {
        case .undo(change.actor) where effects.isInEffect(change.revision) && !isFound:
            isFound = true
            if let group = change.group { floor = min(floor, group) }
        case .redo(change.actor): isFound = true
        default: break
        }
    }

    /// A version that a scope was popped to has older steps than its name; so have those of scopes
    /// inside.
    private mutating func notePops(_ version: Int) throws(PreparationError) {
        let history = preparation.history
        guard let first = path.first else { return }
        for inner in history.versions(from: first, to: version) {
            let steps = inner.steps.list
            guard !steps.contains(inner.id), let first = steps.first else { continue }
            let change = try preparation.context.change(inner.id, .alone)
            guard case .popScope(_, let owner) = change.kind else { continue }
            pops.append((inner.id, steps, owner ?? change.actor))
            if narrowing?.targets.isDisjoint(with: steps) == false { isTooNarrow = true }
            floor = min(floor, first)
        }
    }
}
