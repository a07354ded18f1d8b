import JSONTree
import Journaling
import Naming
import SelectiveUndo

// What an update or a merge changes.

/// What a draft takes over of its origin.
public struct DraftUpdate: Sendable {
    /// The draft's revision that it was computed for.
    let basis: Int
    let patch: ReversiblePatch
    /// The draft after it.
    let tree: JSON
    let record: DraftRecord
}

/// What an origin takes over of its draft.
public struct DraftMerge: Sendable {
    /// The origin's revision that it was computed for.
    let basis: Int
    let patch: ReversiblePatch
    /// The origin after it.
    let tree: JSON
    let merged: MergedDraft
    /// The origin's revision that the draft's edits were made on.
    let base: Int
    /// The draft's edits, where these are others.
    let sent: ReversiblePatch?
}

/// What a draft takes note of when it is merged.
public struct DraftMark: Sendable {
    /// The draft's revision that it was computed for.
    let basis: Int
    let record: DraftRecord
    /// Whether the draft ends with it.
    let isEnd: Bool
}

extension DraftComparison {
    private var isWhole: Bool {
        draft.settings.tracking.isWhole && origin.settings.tracking.isWhole
    }

    /// What leads the draft to where it would be, had it been made of the origin as it is now;
    /// `nil` if there is nothing new.
    func update(_ decisions: Decisions) throws(ChangeError) -> DraftUpdate? {
        if behind.patch.isEmpty || origin.revision < originRevision { return nil }
        let merged = try passed(nil, decisions).merged
        let target = try applied(merged.missed, to: merged.sentTree)
        let (patch, tree) = try narrowed(merged.missed, to: target, of: draft.tree)
        // What both have in common is the origin's value.
        let ahead = try extended(merged.passed.patch, of: origin.tree, to: tree)
        return DraftUpdate(
            basis: draft.revision, patch: patch, tree: tree,
            record: DraftRecord(
                of: origin.id, at: origin.revision, ahead: ahead, by: try authors(of: nil)))
    }

    /// What leads the origin to where it would be with the draft's edits, or a part of them, and
    /// what the draft takes note of; `nil` if there is nothing to merge.
    func merge(
        _ part: DraftPart?, _ decisions: Decisions
    ) throws(ChangeError) -> (origin: DraftMerge, record: DraftRecord, left: Int)? {
        let passed = try passed(part, decisions)
        let merged = passed.merged
        if merged.sent.isEmpty { return nil }
        let authors = try authors(of: part)
        let (made, numbers) = patch(of: passed, by: authors)
        let target = try applied(made, to: try behindTree())
        let (edits, tree) = try narrowed(made, to: target, of: origin.tree)
        // What gave way to the origin is settled, although nothing is changed there.
        let patch = tree == origin.tree ? .empty : edits
        let common = merged.sentTree
        let rest = try extended(passed.split.rest, of: common, to: draft.tree)
        let missed = try extended(merged.passed.missed, of: common, to: tree)
        var mark = MergedDraft(of: draft.id, at: draft.revision, by: authors)
        mark.authorNumbers = numbers
        let merge = DraftMerge(
            basis: origin.revision, patch: patch, tree: tree, merged: mark,
            base: originRevision, sent: merged.sent == made ? nil : merged.sent)
        let record = DraftRecord(
            of: origin.id, at: origin.revision + (patch.isEmpty ? 0 : 1), ahead: rest,
            by: try self.authors(of: nil), behind: missed)
        return (merge, record, passed.split.rest.count)
    }

    /// What is merged; and which of several authors made each edit of it.
    private func patch(
        of passed: Passed, by authors: [Name]
    ) -> (patch: ReversiblePatch, groups: [Int]) {
        guard authors.count > 1, isWhole else { return (passed.merged.patch, []) }
        let edits = passed.split.chosen.edits
        let makers = ahead.authors(of: edits, at: places(passed.split))
        let numbers = makers.map { maker in
            maker.flatMap { authors.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        }
        return passed.merged.patch(keepingApart: numbers)
    }

    /// What a draft takes note of that ends with nothing to merge.
    func ending() throws(ChangeError) -> DraftRecord {
        DraftRecord(
            of: origin.id, at: originRevision,
            ahead: try extended(ahead.patch, of: common, to: draft.tree),
            by: try authors(of: nil), behind: entry.record.behind)
    }

    /// What leads a document to a tree, but for places that the origin ignores.
    private func narrowed(
        _ patch: ReversiblePatch, to target: JSON, of document: JSON
    ) throws(ChangeError) -> (ReversiblePatch, JSON) {
        if isWhole {
            // As replay makes it: its members have an order, too.
            let tree = try applied(patch, to: document)
            guard tree == target else { throw .mismatch(version: originRevision) }
            return (patch, tree)
        }
        let side = DraftSide(
            comparing: document, with: target, known: patch, draft.settings.diffOptions,
            where: origin.settings.tracking.covers)
        return (side.patch, try applied(side.patch, to: document))
    }

    /// A patch with what it leaves out, because it is ignored: for what is kept.
    private func extended(
        _ patch: ReversiblePatch, of common: JSON, to tree: JSON
    ) throws(ChangeError) -> ReversiblePatch {
        let options = draft.settings.diffOptions
        guard let before = try? common.applying(patch) else {
            return common.diff(to: tree, options: options)
        }
        if before == tree { return patch }
        return ReversiblePatch(patch.edits + before.diff(to: tree, options: options).edits)
    }
}

// MARK: Changes

extension Preparation {
    /// The draft takes over what is new in its origin.
    func updating(_ update: DraftUpdate) throws(PreparationError) -> Prepared {
        try check(basis: update.basis)
        try checkLimits(update.tree)
        var prepared = recorded(.update, split(update.patch, leadingTo: update.tree))
        prepared.change?.draft = update.record
        return prepared
    }

    /// The origin takes over what its draft has.
    func takingIn(_ merge: DraftMerge) throws(PreparationError) -> Prepared {
        try check(basis: merge.basis)
        if merge.patch.isEmpty { return unchanged }
        try checkLimits(merge.tree)
        let edit = split(merge.patch, leadingTo: merge.tree)
        let kind: Change.Kind =
            edit.tracked.isEmpty ? .touch(tag: nil) : .append(joins: false, tag: nil)
        var prepared = recorded(kind, edit)
        prepared.change?.merged = merge.merged
        prepared.change?.sent = SentEdit(
            base: merge.base, ownCount: 0, patch: merge.sent, isPartial: true)
        return prepared
    }

    /// The draft takes note that it was merged.
    func marking(_ mark: DraftMark) throws(PreparationError) -> Prepared {
        try check(basis: mark.basis)
        var prepared = recorded(mark.isEnd ? .delete : .merge)
        prepared.change?.draft = mark.record
        return prepared
    }

    /// The origin has another name now, or is none any more.
    func settingOrigin(_ origin: DocumentID?) throws(PreparationError) -> Prepared {
        guard let draft = document.draft else { throw .refused(.draft(.noOrigin)) }
        return draft.origin == origin ? unchanged : recorded(.origin(origin))
    }

    private func check(basis: Int) throws(PreparationError) {
        guard document.revision == basis else { throw .refused(.overtaken) }
    }
}
