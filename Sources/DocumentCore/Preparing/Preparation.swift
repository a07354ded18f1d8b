package import JSONTree
import Journaling
import Naming
import SelectiveUndo
import VersioningKit

/// A request that was computed and checked, but has not happened yet.
package struct Prepared {
    /// The change to journal, or `nil` if there is nothing to record.
    package var change: Change?
    package var tree: JSON
    var grouping = Grouping.none
    /// The merge of an edit that was made on an old state.
    package var merge: MergeReport?
    /// Whether it is an actor's undo that changes nothing visible here: it continues with the next
    /// version unless another document shows an effect.
    package var isInvisibleUndo = false
    /// Later versions that go with a document that is deleted.
    package var goesAlong: [Int] = []
    /// Changes that the request undoes, or redoes, although they are in that state already.
    package var unaffected: [Int] = []
    /// The entry of the change, if it was made outside the lock.
    var entry: JournalEntry?
}

extension Document {
    /// Decides a request. Pure: the document is as it was. Throws `.needs` if old changes are
    /// needed that `context` does not have.
    ///
    /// An own undo changes the effect history in `own` at once; an error reverts it. `merging` is
    /// the progress of an edit with a base: in, from an earlier result; out, from this one, even if
    /// the edit is refused.
    func prepare(
        _ request: ChangeRequest, _ context: RequestContext, _ own: inout OwnUndoLookup,
        _ merging: inout MergeProgress?
    ) throws(PreparationError) -> Prepared {
        guard request.precondition.holds(for: head) else { throw .refused(.stale(head: head)) }
        let preparation = Preparation(self, request, context)
        if case .put(let value) = request.action, !exists, request.base == nil {
            let prepared = try preparation.create(value)
            try preparation.checkQuota(prepared)
            try preparation.checkSchema(prepared)
            return prepared
        }
        if request.isPart, case .nothing = request.action { return preparation.unchanged }
        if case .undelete = request.action, life == .deleted {
            let prepared = preparation.recorded(.undelete)
            try preparation.checkQuota(prepared)
            return prepared
        }
        if life == .deleted, case .takeBack(let revisions, let isRedo, _) = request.action {
            let prepared = try preparation.bringingBack(revisions, isRedo: isRedo)
            try preparation.checkQuota(prepared)
            return prepared
        }
        if let absence { throw .refused(absence) }
        let needsMatch = settings.requiresMatch && !request.isQuestion && request.source == .client
        // An edit with a base overwrites nothing unseen, unless it says so.
        let isSeen = request.base.map { $0.policy != .mine } ?? request.namesChanges
        if needsMatch && request.precondition.match == nil && !isSeen {
            throw .refused(.matchRequired(head: revision))
        }
        do throws(PreparationError) {
            let prepared = try preparation.decide(&own, &merging)
            try context.known.charge(bytes: prepared.change?.edits.byteCount ?? 0)
            try preparation.checkQuota(prepared)
            try preparation.checkUndoLimits(prepared)
            try preparation.checkSchema(prepared)
            guard let kept = try preparation.versionsKept() else { return prepared }
            var bounded = prepared
            bounded.change?.versionsKept = kept
            return bounded
        } catch {
            own.effects.cancel()
            throw error
        }
    }
}

/// One request on its way to becoming a change.
package struct Preparation {
    let document: Document
    let request: ChangeRequest
    let context: RequestContext

    package init(_ document: Document, _ request: ChangeRequest, _ context: RequestContext) {
        self.document = document
        self.request = request
        self.context = context
    }

    var history: VersionHistory<Int> { document.history }

    /// Never before the last change: a clock that steps back must not reorder history.
    var time: Timestamp { max(context.now, document.time) }

    func decide(
        _ own: inout OwnUndoLookup, _ merging: inout MergeProgress?
    ) throws(PreparationError) -> Prepared {
        switch request.action {
        case .put(let value): try append(.value(value), tag: nil, grouping: nil, &merging)
        case .append(let edit, let tag, let grouping):
            try append(edit, tag: tag, grouping: grouping, &merging)
        case .move(let move): try moving(move)
        case .revert(let request): try reverting(request, &own)
        case .revertAll(let selection, let also, let policy):
            try reverting(selection, also, policy, &own)
        case .takeBack(let revisions, let isRedo, let policy):
            try takingBack(revisions, isRedo: isRedo, policy, &own)
        case .tag(let name, let version, let isNew): try tag(name, version, isNew: isNew)
        case .removeTag(let name): try removeTag(name)
        case .snapshot(let key, let pointers, let isNew):
            try snapshot(key, pointers, isNew: isNew)
        case .removeSnapshot(let key): try removeSnapshot(key)
        case .restore(let key, let places): try restore(key, places)
        case .putBack(let places, let steps): try putBack(places, steps)
        case .pushScope(let lifetime, let policy): pushScope(lifetime, policy)
        case .popScope(let isForced): try popScope(isForced)
        case .discardScope(let isForced, let isAll, let policy):
            try discardScope(isForced, isAll: isAll, policy, &own)
        case .closeExpired, .nothing: unchanged
        case .settings(let change): settings(change)
        case .update(let update): try updating(update)
        case .takeIn(let merge): try takingIn(merge)
        case .mark(let mark): try marking(mark)
        case .origin(let origin): try settingOrigin(origin)
        case .delete: recorded(.delete)
        case .undelete: throw .refused(.notDeleted)
        }
    }

    var unchanged: Prepared { Prepared(change: nil, tree: document.tree) }

    /// A change that leaves the tree alone, or leads to `tree` by `patch` and `untracked`.
    ///
    /// Made in one go: what is changed after it was made is copied when it is returned.
    func recorded(
        _ kind: Change.Kind, _ patch: ReversiblePatch = .empty,
        untracked: ReversiblePatch = .empty, tree: JSON? = nil, grouping: Grouping = .none,
        group: Int? = nil
    ) -> Prepared {
        Prepared(
            change: Change(
                revision: document.nextRevision, kind: kind, patch: patch, untracked: untracked,
                priorHash: document.hashOfVersion(endedBy: kind), token: request.token,
                group: group, actor: request.actor, time: time, label: request.label,
                rare: request.promptBy.flatMap { Change.RareParts(promptBy: $0) }),
            tree: tree ?? document.tree, grouping: grouping)
    }

    /// A change that an edit in two parts makes.
    func recorded(
        _ kind: Change.Kind, _ edit: SplitEdit, grouping: Grouping = .none, group: Int? = nil
    ) -> Prepared {
        recorded(
            kind, edit.tracked, untracked: edit.untracked, tree: edit.tree, grouping: grouping,
            group: group)
    }

    private func settings(_ change: SettingsChange) -> Prepared {
        let new = change.applied(to: document.settings)
        return new == document.settings ? unchanged : recorded(.settings(new))
    }

    func create(_ value: JSON) throws(PreparationError) -> Prepared {
        try checkLimits(value)
        var prepared = recorded(.create, document.tree.replaced(by: value), tree: value)
        let isNew = document.life != .deleted
        var first = isNew ? request.rare.defaults.map { $0.applied(to: DocumentSettings()) } : nil
        if request.start != nil {
            // A draft may be unfinished.
            first?.schema = nil
            first?.enforcement = .edits
        }
        if let first, first != DocumentSettings() { prepared.change?.settings = first }
        if let start = request.start {
            prepared.change?.draft = DraftRecord(of: start.origin, at: start.revision)
            prepared.change?.settings = start.settings(over: first ?? DocumentSettings())
        }
        return prepared
    }

    private func append(
        _ edit: ChangeRequest.Edit, tag: Name?, grouping: Grouping?, _ merging: inout MergeProgress?
    ) throws(PreparationError) -> Prepared {
        guard let base = request.base else {
            let (tree, patch) = try applied(edit)
            return try append(patch, leadingTo: tree, tag: tag, grouping: grouping)
        }
        let merged = try merged(edit, on: base, &merging)
        var prepared = try append(
            merged.patch, leadingTo: merged.tree, tag: tag, grouping: grouping)
        prepared.change?.sent = merged.sent
        prepared.merge = merged.report
        return prepared
    }

    private func append(
        _ patch: ReversiblePatch, leadingTo tree: JSON, tag: Name?, grouping: Grouping?
    ) throws(PreparationError) -> Prepared {
        if patch.isEmpty {
            guard let tag else { return unchanged }
            return try self.tag(tag, nil, isNew: false)
        }
        if !document.settings.tracking.isWhole {
            try context.known.charge(values: tree.valueCount)
        }
        let edit = split(patch, leadingTo: tree)
        if let tag, history.version(tagged: tag) == nil { try checkTags() }
        if edit.tracked.isEmpty { return recorded(.touch(tag: tag), edit) }
        let grouping = request.isPart ? .none : grouping ?? document.settings.grouping
        let group = document.ownGroups.group(
            of: request.actor, at: time.duration, grouping)
        let joins = group != nil && history.openGroup?.actor == request.actor
        return recorded(
            .append(joins: joins, tag: tag), edit, grouping: grouping, group: group?.first)
    }

    private func applied(
        _ edit: ChangeRequest.Edit
    ) throws(PreparationError) -> (JSON, ReversiblePatch) {
        let (tree, recorded) = try recorded(edit, on: document.tree)
        return (tree, tree == document.tree ? .empty : recorded.patch)
    }

    /// The effect of an edit on a state, and the values that it read there.
    func recorded(
        _ edit: ChangeRequest.Edit, on state: JSON
    ) throws(PreparationError) -> (JSON, RecordedPatch) {
        let value: JSON
        switch edit {
        case .patch(let patch):
            do { return try state.recording(patch, limits: context.limits) } catch {
                throw .refused(.patch(error))
            }
        case .value(let whole): value = whole
        case .mergePatch(let changes):
            let patch = state.edits(merging: changes, options: document.settings.editOptions)
            if let tree = try? state.applying(patch) {
                try checkLimits(tree)
                return (tree, RecordedPatch(patch))
            }
            value = state.merging(changes)
        }
        try checkLimits(value)
        let (tree, patch) = difference(from: state, to: value)
        return (tree, RecordedPatch(patch))
    }

    /// The patch that leads to `value`, and the tree that it gives: it shares what did not change.
    ///
    /// The journaled patch must lead to the stated value. So the result is compared; if the diff is
    /// wrong, the patch replaces the whole value.
    func difference(from state: JSON, to value: JSON) -> (JSON, ReversiblePatch) {
        let patch = state.diff(to: value, options: document.settings.editOptions)
        if let tree = try? state.applying(patch), tree == value { return (tree, patch) }
        return (value, state.replaced(by: value))
    }

    func checkLimits(_ value: JSON) throws(PreparationError) {
        let limits = context.limits
        guard value.byteCount <= limits.documentBytesMax else {
            throw .refused(.tooLarge(max: limits.documentBytesMax))
        }
        guard value.height <= limits.depthMax else {
            throw .refused(.tooDeep(max: limits.depthMax))
        }
        guard value.valueCount <= limits.valuesMax else {
            throw .refused(.tooManyValues(max: limits.valuesMax))
        }
    }
}

extension Preparation {
    private func moving(_ move: Move) throws(PreparationError) -> Prepared {
        let target: Int
        do { target = try history.target(of: move) } catch { throw .refused(document.error(error)) }
        guard target != history.currentID else { return unchanged }
        let (tree, patch) = try travelled(to: target)
        return recorded(.move(to: target, direction: move.direction), patch, tree: tree)
    }

    /// The tree of another version, and the patch that leads there.
    ///
    /// Checked on both ends: the tree is the one that the first reversion was made from, and the
    /// result is what the version was.
    func travelled(to target: Int) throws(PreparationError) -> (JSON, ReversiblePatch) {
        // A near target has no more steps than that, unless it is on a fork: then its way is walked
        // first.
        let mayBeFar = abs(history.currentID - target) > Preparation.stepsToRead
        let count = mayBeFar ? history.between(target)?.count ?? 0 : 0
        let isFar = count > Preparation.stepsToRead
        if isFar, let far = try travelledFar(to: target) { return far }
        let route = history.route(to: target)
        let steps = route.undone.count + route.redone.count
        if !isFar, steps > Preparation.stepsToRead, let far = try travelledFar(to: target) {
            return far
        }
        var past = PastTrees(document, context)
        var patch = ReversiblePatch.empty
        var parts: [Int] = []
        for (index, revision) in route.undone.enumerated() {
            if index == 0, try differs(document.tree, after: revision, .backward) {
                throw .refused(.mismatch(version: history.currentID))
            }
            let change = try context.change(revision)
            try checkOwner(of: change)
            try checkUpdate(change)
            if change.isPart { parts.append(revision) }
            patch.append(try trackedPatch(of: change, &past).inverse)
        }
        for revision in route.redone {
            let change = try context.change(revision, .forward)
            try checkOwner(of: change)
            if change.isPart { parts.append(revision) }
            patch.append(try trackedPatch(of: change, &past))
        }
        try checkParts(parts)
        if patch.count <= Preparation.editsToCompact { patch = patch.compacted }
        guard let tree = try? document.tree.applying(patch),
            try !differs(tree, after: last(of: target))
        else { throw .refused(.mismatch(version: target)) }
        return patch.count <= 16 ? (tree, patch) : difference(from: document.tree, to: tree)
    }

    /// Moves past very many changes without reading them: a checkpoint gives the version. `nil` if
    /// the changes have to be read or cannot be skipped.
    private func travelledFar(
        to target: Int
    ) throws(PreparationError) -> (JSON, ReversiblePatch)? {
        guard request.mayUndoOthers, document.draft?.lastMerge == nil,
            let oldest = history.between(target)?.oldest,
            request.parts == .alone || oldest >= document.activity.endOfParts,
            document.trackings(since: min(oldest, last(of: target))).allSatisfy(\.isWhole),
            document.settings.tracking.isWhole,
            let value = try context.known.tree(at: last(of: target))
        else { return nil }
        return difference(from: document.tree, to: value)
    }

    /// Beyond this number of changes, a version is read from a checkpoint instead of its changes.
    private static let stepsToRead = 1_000

    /// Above this number of edits, only the difference between both ends is stored.
    private static let editsToCompact = 256

    /// Whether the part that has versions is another than at a version.
    ///
    /// Other hashes say so at once. Equal ones prove nothing, these short ones least of all: then
    /// the values are compared. O(changes since the version).
    func isChanged(since version: Int) throws(PreparationError) -> Bool {
        let last = last(of: version)
        if last == document.revision { return false }
        guard let hash = try versionHash(after: last) else { return version != history.currentID }
        let tracking = document.settings.tracking
        if !hash.begins(tracking.versionHash(of: document.tree)) { return true }
        var past = PastTrees(document, context)
        do {
            let former = try past.tree(before: last + 1)
            return tracking.part(of: former) != tracking.part(of: document.tree)
        } catch {
            // Damaged data must not keep a scope open.
            guard case .refused = error else { throw error }
            return true
        }
    }

    private func last(of version: Int) -> Int {
        (try? document.lastRevision(of: version)) ?? version
    }

    /// Whether the part that has versions is known to be another than after a change.
    func differs(
        _ tree: JSON, after revision: Int, _ direction: ChangeRange.Direction = .alone
    ) throws(PreparationError) -> Bool {
        guard let hash = try versionHash(after: revision, direction) else { return false }
        return !hash.begins(document.settings.tracking.versionHash(of: tree))
    }

    /// The content of the part that has versions after a change, where that was noted: by the
    /// change after it, or by itself in older formats. Of a change from when another part had
    /// versions, it is not known.
    private func versionHash(
        after revision: Int, _ direction: ChangeRange.Direction = .alone
    ) throws(PreparationError) -> ShortHash? {
        guard revision >= document.trackedSince else { return nil }
        if revision < document.revision {
            let next = try context.change(revision + 1, direction)
            if next.treeHash == nil { return next.priorHash }
        }
        return try context.change(revision, direction).versionHash
    }

    /// Whether the client may take a change back.
    func checkOwner(of change: Change) throws(PreparationError) {
        try checkOwner(change.actor, of: change.revision)
    }

    /// Whether the client may undo, or redo, an actor's change.
    func checkOwner(_ actor: Name, of revision: Int) throws(PreparationError) {
        guard request.mayUndoOthers || request.owns(actor) else {
            throw .refused(.foreignEdit(revision: revision, actor: actor))
        }
    }

    private func tag(
        _ name: Name, _ target: Move.Target?, isNew: Bool
    ) throws(PreparationError) -> Prepared {
        let known = history.version(tagged: name)
        if isNew && known != nil { throw .refused(.tagExists(name)) }
        if known == nil { try checkTags() }
        let version =
            try target.map { target throws(PreparationError) in try self.version(of: target) }
            ?? history.currentID
        return known == version ? unchanged : recorded(.tag(name, version: version))
    }

    /// The version of a name or a number.
    private func version(of target: Move.Target) throws(PreparationError) -> Int {
        do { return try history.version(of: target) } catch {
            throw .refused(document.error(error))
        }
    }

    private func checkTags() throws(PreparationError) {
        guard history.state.tags.count < Document.tagsMax else {
            throw .refused(.tooManyTags(max: Document.tagsMax))
        }
    }

    private func removeTag(_ name: Name) throws(PreparationError) -> Prepared {
        guard history.version(tagged: name) != nil else {
            throw .refused(.version(.unknownTag(name)))
        }
        return recorded(.removeTag(name))
    }
}

extension Move {
    fileprivate var direction: Change.Direction {
        switch self {
        case .undo, .undoTo, .undoScope: .undo
        case .redo, .redoTo, .redoScope: .redo
        case .goTo: .goTo
        }
    }
}
