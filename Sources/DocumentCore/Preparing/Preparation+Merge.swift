import JSONTree
public import Naming
import VersioningKit

/// Edits that were made on an old state.
extension Preparation {
    /// An edit as one of the newest state: the tree that it leads to, the patch, and what became of
    /// it.
    struct Merged {
        let tree: JSON
        let patch: ReversiblePatch
        let sent: SentEdit?
        let report: MergeReport
    }

    func merged(
        _ edit: ChangeRequest.Edit, on base: EditBase, _ merging: inout MergeProgress?
    ) throws(PreparationError) -> Merged {
        let revision = try revision(of: base.state)
        let resumed = try resumed(merging, from: revision)
        let merged = if let resumed { resumed } else { try begun(edit, on: base, revision) }
        merging = MergeProgress(
            edit: merged, base: revision, head: document.revision,
            tracking: document.settings.tracking)
        if base.policy == .reject, !merged.conflicts.isEmpty {
            throw .refused(.mergeConflicts(merged.conflicts, base: revision))
        }
        let tree = try tree(after: merged.patch, revision)
        let isStored = merged.sent == merged.patch
        let note = SentEdit(
            base: revision, ownCount: base.own.count, patch: isStored ? nil : merged.sent,
            isPartial: merged.hasLoss)
        return Merged(
            tree: tree, patch: tree == document.tree ? .empty : merged.patch,
            sent: revision == document.revision ? nil : note,
            report: MergeReport(
                base: revision, sentTree: merged.sentTree, missed: merged.missed.condensed,
                conflicts: merged.conflicts))
    }

    private func begun(
        _ edit: ChangeRequest.Edit, on base: EditBase, _ revision: Int
    ) throws(PreparationError) -> MergedEdit {
        let merge = try mergeBase(at: revision, own: base.own)
        let (_, sent) = try recorded(edit, on: merge.tree)
        try context.known.charge(pairs: merge.missingCount * sent.patch.count)
        // Mine always wins in untracked places, which have no owner.
        let tracking = document.settings.tracking
        do throws(MergeBase.Failure) {
            return try merge.merge(sent, policy: base.policy) {
                !tracking.covers($0)
            }
        } catch {
            throw failure(error, revision)
        }
    }

    /// Continues the merge of an early result that was overtaken, over the changes since; `nil` if
    /// the edit has to be merged from the start.
    private func resumed(
        _ merging: MergeProgress?, from base: Int
    ) throws(PreparationError) -> MergedEdit? {
        guard let merging, merging.base == base,
            merging.head <= document.revision,
            merging.tracking == document.settings.tracking
        else { return nil }
        let later = try changes(after: merging.head) { MergeBase.Later($0) }
        let count = later.reduce(0) { $0 + $1.count }
        try context.known.charge(pairs: count * merging.edit.editCount)
        do throws(MergeBase.Failure) {
            return try merging.edit.following(later, to: document.tree)
        } catch {
            switch error {
            // A change that the early result followed was not committed; or what it met is gone.
            case .mismatch, .takenBack: return nil
            case .tooLong: throw failure(error, base)
            }
        }
    }

    private func tree(
        after patch: ReversiblePatch, _ base: Int
    ) throws(PreparationError) -> JSON {
        guard let tree = try? document.tree.applying(patch) else {
            throw failure(.mismatch, base)
        }
        try checkLimits(tree)
        return tree
    }

    private func failure(_ failure: MergeBase.Failure, _ base: Int) -> PreparationError {
        switch failure {
        case .tooLong: .refused(.baseTooOld(base: base, head: document.revision))
        case .mismatch, .takenBack: .refused(.mismatch(version: base))
        }
    }
}

// The state at the base, and what has happened since.

extension Preparation {
    private func revision(of state: StateAddress) throws(PreparationError) -> Int {
        switch state {
        case .snapshot(let key): throw .refused(.unknownSnapshot(key))
        case .origin: throw .refused(.draft(.noOrigin))
        case .head: return document.revision
        case .revision(let revision): return try checked(revision)
        case .version(let version):
            return try checked(
                last { () throws(ChangeError) in
                    try document.lastRevision(of: version)
                })
        case .tag(let tag):
            return try checked(
                last { () throws(ChangeError) in
                    try document.lastRevision(tagged: tag)
                })
        case .time(let time):
            var revision = document.revision
            while try context.change(revision).time > time {
                guard revision > 0 else { throw .refused(.notYet) }
                revision -= 1
                _ = try checked(revision)
            }
            return revision
        }
    }

    private func last(
        _ find: () throws(ChangeError) -> Int
    ) throws(PreparationError) -> Int {
        do { return try find() } catch { throw .refused(error) }
    }

    private func checked(_ revision: Int) throws(PreparationError) -> Int {
        guard (0...document.revision).contains(revision) else {
            throw .refused(.unknownRevision(revision))
        }
        guard revision >= document.oldestRevision else {
            throw .refused(.trimmed(oldest: document.oldestRevision))
        }
        guard document.revision - revision <= EditBase.revisionsMax else {
            throw .refused(.baseTooOld(base: revision, head: document.revision))
        }
        return revision
    }

    /// The state at a revision with what has happened since, change by change.
    private func mergeBase(
        at base: Int, own: [EditBase.Own]
    ) throws(PreparationError) -> MergeBase {
        let later =
            own.isEmpty
            ? try changes(after: base) { MergeBase.Later($0) } : try changes(after: base, own: own)
        do throws(MergeBase.Failure) {
            return try MergeBase(
                before: later, head: document.tree, pairsMax: EditBase.pairsMax)
        } catch {
            throw failure(error, base)
        }
    }

    /// The changes after a revision, of which the maker of the edit has some already.
    private func changes(
        after base: Int, own: [EditBase.Own]
    ) throws(PreparationError) -> [MergeBase.Later] {
        let later = try changes(after: base) { $0 }
        let revisions = try revisions(of: own, after: base, later)
        try check(revisions, after: base, later)
        let isOwn = Set(revisions)
        return later.map { change in
            let isKnown = isOwn.contains(change.revision)
            return MergeBase.Later(change, sent: isKnown ? change.sent?.patch ?? change.edits : nil)
        }
    }

    /// The values wanted of the changes after a revision, in their order.
    ///
    /// A repeated request is found among them, however long ago it was: nothing of it can be
    /// older than its base.
    private func changes<Value>(
        after base: Int, _ make: (Change) -> Value
    ) throws(PreparationError) -> [Value] {
        var found: [Value] = []
        found.reserveCapacity(document.revision - base)
        // The closure takes what it needs, and not a copy of the preparation.
        let (context, token) = (context, request.token)
        var bytes = 0
        for revision in stride(from: document.revision, to: base, by: -1) {
            try context.read(revision, count: revision - base) {
                change throws(PreparationError) in
                try Preparation.check(change, token)
                bytes += change.edits.byteCount
                found.append(make(change))
            }
            guard bytes <= EditBase.bytesMax else {
                throw .refused(.baseTooOld(base: base, head: document.revision))
            }
        }
        found.reverse()
        return found
    }

    /// Throws if the request was made before, or the document began after its base.
    private static func check(
        _ change: Change, _ token: RequestToken?
    ) throws(PreparationError) {
        if let token, let known = change.token, known.key == token.key {
            throw .refused(
                known.fingerprint == nil || known.fingerprint == token.fingerprint
                    ? .repeated(revision: change.revision)
                    : .otherRequest(key: token.key, revision: change.revision))
        }
        if case .create = change.kind { throw .refused(.earlierLife(begun: change.revision)) }
    }

    private func revisions(
        of own: [EditBase.Own], after base: Int, _ later: [Change]
    ) throws(PreparationError) -> [Int] {
        var revisions: [Int] = []
        for one in own {
            switch one {
            case .revision(let revision): revisions.append(revision)
            case .key(let key):
                guard let change = later.first(where: { $0.token?.key == key }) else {
                    throw .refused(.unknownOwn(key: key, base: base))
                }
                revisions.append(change.revision)
            }
        }
        return revisions
    }

    /// Own changes must be the actor's, each sent on this base with those before it, and whole.
    private func check(
        _ own: [Int], after base: Int, _ later: [Change]
    ) throws(PreparationError) {
        for (count, revision) in own.enumerated() {
            guard revision > base, revision <= document.revision,
                count == 0 || revision > own[count - 1]
            else { throw .refused(.wrongOwn(revision: revision, base: base)) }
            let change = later[revision - base - 1]
            let sent =
                change.sent
                ?? SentEdit(base: revision - 1, ownCount: 0, patch: nil, isPartial: false)
            guard change.kind.traits.isEdit, change.actor == request.actor, sent.base == base,
                sent.ownCount == count, !sent.isPartial
            else { throw .refused(.wrongOwn(revision: revision, base: base)) }
        }
    }
}

extension MergeBase.Later {
    fileprivate init(_ change: Change, sent: ReversiblePatch? = nil) {
        self.init(
            change.edits, revision: change.revision, sent: sent, returning: change.returning)
    }
}

extension Change {
    /// The removed elements that this change may restore.
    var returning: MergeBase.Later.Returning {
        switch kind {
        case .move, .revert, .discardScope, .restore, .update: .anything
        default: wonSince.map { .removed(after: $0) } ?? .nothing
        }
    }

    /// The revision that it was made on, if it may have won over what was removed since: then what
    /// it puts back is the same that it was before.
    public var wonSince: Int? { sent?.patch == nil ? nil : sent?.base }
}

extension Document {
    /// The last revision that belongs to a version: its state.
    public func lastRevision(of version: Int) throws(ChangeError) -> Int {
        guard let found = history.version(version) else {
            throw error(.unknownVersion(version))
        }
        return found.steps.last ?? version
    }

    /// The last revision of the version that a tag names.
    public func lastRevision(tagged tag: Name) throws(ChangeError) -> Int {
        guard let version = history.version(tagged: tag) else { throw .version(.unknownTag(tag)) }
        return try lastRevision(of: version)
    }
}
