import JSONTree
import Journaling
import Naming
import SelectiveUndo

// The changes of an update or a merge.

/// The edits that an update copies from the origin to the draft.
public struct DraftUpdate: Sendable {
    /// The draft's revision that it was computed for.
    let basis: Int
    let patch: ReversiblePatch
    /// The draft after it.
    let tree: JSON
    let record: DraftRecord
}

/// The edits that a merge copies from the draft to its origin.
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

    package var changesOrigin: Bool { !patch.isEmpty }
}

/// The record that a merge leaves in the draft.
public struct DraftMark: Sendable {
    /// The draft's revision that it was computed for.
    let basis: Int
    let record: DraftRecord
    /// Whether the merge ends the draft.
    let isEnd: Bool
    /// Whether the merge changes the origin.
    let changesOrigin: Bool

    package init(basis: Int, record: DraftRecord, isEnd: Bool, changesOrigin: Bool) {
        self.basis = basis
        self.record = record
        self.isEnd = isEnd
        self.changesOrigin = changesOrigin
    }
}

extension DraftComparison {
    private var isWhole: Bool {
        draft.settings.tracking.isWhole && origin.settings.tracking.isWhole
    }

    /// The edits that lead the draft to the state that it would have if it had been made of the
    /// origin as it is now; `nil` if there is nothing new.
    package func update(_ decisions: Decisions) throws(ChangeError) -> DraftUpdate? {
        if behind.patch.isEmpty || origin.revision < originRevision { return nil }
        let passed = try passed(nil, decisions)
        let merged = passed.merged
        let target = try applied(merged.missed, to: merged.sentTree)
        let (patch, tree) = try narrowed(merged.missed, to: target, of: draft.tree)
        // After an update, the common state is the origin's value.
        let credits = credits(passed.split, of: nil).chosen
        let (kept, origins) = merged.passedMine
        let sent = passed.split.chosen.edits
        let divided = zip(kept.edits, origins).flatMap { edit, number in
            credits[number].divided(edit, as: sent[number])
        }
        let record = try record(
            at: origin.revision, divided, of: origin.tree, to: tree,
            by: authors(of: Set(origins).sorted().map { credits[$0] }))
        return DraftUpdate(basis: draft.revision, patch: patch, tree: tree, record: record)
    }

    /// The record for a draft with the value `tree`: its edits since the common state with its
    /// origin, and their authors.
    private func record(
        at revision: Int, _ edits: [CreditedEdit], of common: JSON, to tree: JSON,
        by authors: [Name], behind: ReversiblePatch = .empty
    ) throws(ChangeError) -> DraftRecord {
        let ahead = try extended(ReversiblePatch(edits.map(\.edit)), of: common, to: tree)
        var record = DraftRecord(
            of: origin.id, at: revision, ahead: ahead, by: authors, behind: behind)
        guard authors.count > 1 else { return record }
        // Edits of ignored places have no author.
        if ahead.edits.starts(with: edits.lazy.map(\.edit)) {
            record.authorNumbers =
                edits.map { authors.number(of: $0.author) }
                + Array(repeating: 0, count: ahead.count - edits.count)
        }
        return record
    }

    /// The edits that lead the origin to the state with the draft's edits (or a part of them), and
    /// the record for the draft; `nil` if there is nothing to merge.
    package func merge(
        _ part: DraftPart?, _ decisions: Decisions
    ) throws(ChangeError) -> (origin: DraftMerge, record: DraftRecord, left: Int)? {
        let passed = try passed(part, decisions)
        let merged = passed.merged
        if merged.sent.isEmpty { return nil }
        let credits = credits(passed.split, of: passed.revisions)
        let authors = authors(of: credits.chosen)
        let (made, numbers) = patch(of: passed, credits.chosen, by: authors)
        let target = try applied(made, to: try behindTree())
        let (edits, tree) = try narrowed(made, to: target, of: origin.tree)
        // Edits that lost against the origin are settled, although the origin does not change
        // there.
        let patch = tree == origin.tree ? .empty : edits
        let common = merged.sentTree
        let missed = try extended(merged.passed.missed, of: common, to: tree)
        var mark = MergedDraft(of: draft.id, at: draft.revision, by: authors)
        mark.authorNumbers = numbers
        let merge = DraftMerge(
            basis: origin.revision, patch: patch, tree: tree, merged: mark,
            base: originRevision, sent: merged.sent == made ? nil : merged.sent)
        let rest = zip(passed.split.rest.edits, credits.rest).flatMap { $1.divided($0, as: $0) }
        let record = try record(
            at: origin.revision + (patch.isEmpty ? 0 : 1), rest, of: common, to: draft.tree,
            by: self.authors(of: credits.rest), behind: missed)
        return (merge, record, passed.split.rest.count)
    }

    /// The merged edits, and the author of each if there are several.
    private func patch(
        of passed: Passed, _ credits: [DraftCredit], by authors: [Name]
    ) -> (patch: ReversiblePatch, numbers: [Int]) {
        guard authors.count > 1, isWhole else { return (passed.merged.patch, []) }
        // An edit of several authors is a group of its own, and is divided afterwards.
        let first = authors.count + 1
        let groups = credits.enumerated().map { number, credit in
            credit.isDivided ? first + number : authors.number(of: credit.author)
        }
        let (patch, found) = passed.merged.patch(keepingApart: groups)
        let sent = passed.split.chosen.edits
        var (edits, numbers): ([JSONEdit], [Int]) = ([], [])
        for (edit, group) in zip(patch.edits, found) {
            if group < first {
                edits.append(edit)
                numbers.append(group)
                continue
            }
            for part in credits[group - first].divided(edit, as: sent[group - first]) {
                edits.append(part.edit)
                numbers.append(authors.number(of: part.author))
            }
        }
        return (ReversiblePatch(edits), numbers)
    }

    /// The record of a draft that ends without a merge.
    package func ending() throws(ChangeError) -> DraftRecord {
        let whole = NetEdit(chosen: ahead.patch, rest: .empty)
        let credits = credits(whole, of: nil).chosen
        let edits = zip(ahead.patch.edits, credits).flatMap { $1.divided($0, as: $0) }
        return try record(
            at: originRevision, edits, of: common, to: draft.tree, by: authors(of: credits),
            behind: entry.record.behind)
    }

    /// The edits that lead a document to a tree, except at places that the origin ignores.
    private func narrowed(
        _ patch: ReversiblePatch, to target: JSON, of document: JSON
    ) throws(ChangeError) -> (ReversiblePatch, JSON) {
        if isWhole {
            // The tree in the form that replay makes: the order of members also counts.
            let tree = try applied(patch, to: document)
            guard tree == target else { throw .mismatch(version: originRevision) }
            return (patch, tree)
        }
        let side = DraftSide(
            comparing: document, with: target, known: patch, draft.settings.diffOptions,
            where: origin.settings.tracking.covers)
        return (side.patch, try applied(side.patch, to: document))
    }

    /// A patch including the edits of ignored places, for the stored record.
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

extension [Name] {
    /// The number of an author, from 1 on; 0 where it is not known who it is.
    fileprivate func number(of author: Name?) -> Int {
        author.flatMap { firstIndex(of: $0) }.map { $0 + 1 } ?? 0
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
        if !mark.changesOrigin { prepared.change?.elsewhere = [.nothing(in: mark.record)] }
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
