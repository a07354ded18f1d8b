import DocumentCore
import JSONTree
import Journaling
import Naming
import VersioningKit

/// Reads what a draft and its origin have in common, and what happened since. Blocks: for reader
/// threads.
struct DraftReader {
    let draft: Document
    let draftPast: DocumentPast
    let origin: Document
    /// The origin as it is now, if that is another state.
    let originHead: Document
    let originPast: DocumentPast

    private static let pageSize = 1_000

    /// The comparison of the draft with its origin. `creditsAuthors`: if values are compared, also
    /// read their authors.
    func comparison(creditsAuthors: Bool = false) throws(ChangeError) -> DraftComparison {
        guard let state = draft.draft else { throw .draft(.noOrigin) }
        try checkOrigin(state)
        let entry = try current(state)
        var (ahead, behind): (DraftSide?, DraftSide?)
        // Where the origin ignores places, neither side has edits there, and both keep what they
        // have.
        if draft.settings.tracking.isWhole && origin.settings.tracking.isWhole {
            ahead = try draftLine(entry)
            behind = try line(
                from: entry.common, CreditedPatch(entry.record.behind),
                after: entry.record.originRevision, of: origin, originPast)
        }
        let story = creditsAuthors && ahead == nil ? try draftLine(entry) : nil
        return DraftComparison(
            draft: draft, origin: origin, entry: entry, common: entry.common,
            ahead: ahead ?? compared(draft, entry.record.ahead, entry.common, story),
            behind: behind ?? compared(origin, entry.record.behind, entry.common))
    }

    /// The edits of a document since the common state, by its value: the draft's settings identify
    /// elements, the origin's tracking decides which places are compared.
    private func compared(
        _ document: Document, _ known: ReversiblePatch, _ common: JSON, _ story: DraftSide? = nil
    ) -> DraftSide {
        DraftSide(
            comparing: common, with: document.tree, known: known, draft.settings.diffOptions,
            story: story, where: origin.settings.tracking.covers)
    }

    private func checkOrigin(_ state: DraftState) throws(ChangeError) {
        guard originHead.exists, state.isAbout(originHead) else {
            throw .draft(.originGone(state.origin))
        }
    }

    /// The newest record that counts: an update that is in effect, or a merge that the origin has
    /// not undone.
    private func current(_ state: DraftState) throws(ChangeError) -> DraftState.Entry {
        for entry in state.records.reversed() where try counts(entry) { return entry }
        guard let first = state.records.first else { throw .draft(.noOrigin) }
        return first
    }

    private func counts(_ entry: DraftState.Entry) throws(ChangeError) -> Bool {
        switch entry.kind {
        case .start: return true
        case .settlement: return try isSettled(at: entry.revision)
        case .update: return try isInEffect(entry.revision, draft, draftPast)
        case .merge: return try isInEffect(entry.record.originRevision, origin, originPast)
        }
    }

    /// Whether the merge in which the draft gave way at a revision is in effect: one of several
    /// drafts is undone as one, so the first document that it changed shows that. One that changed
    /// no document has nothing to undo.
    private func isSettled(at revision: Int) throws(ChangeError) -> Bool {
        guard revision >= draft.oldestRevision else { return true }
        let journal = draftPast.journal
        let mark = try draftPast.change(at: revision)
        let changed = mark.namedParts(in: journal).first { part in
            (try? past(of: part.document).change(at: part.revision))?.merged != nil
        }
        guard let changed, let leader = mark.transaction?.leader else { return true }
        var search = PartSearch([(place: changed, leader: leader)], journal)
        var heads: [DocumentID: Document] = [:]
        while let id = search.nextDocument() {
            heads[id] = try Replay.document(id, from: journal, while: draftPast.isWanted)?.document
            search.note(heads[id], of: id)
        }
        let place = search.places[0]
        guard let head = heads[place.document], head.exists, head.birth <= place.revision else {
            return true
        }
        return try isInEffect(place.revision, head, past(of: place.document))
    }

    private func past(of id: DocumentID) -> DocumentPast {
        DocumentPast(id, draftPast.journal, while: draftPast.isWanted)
    }

    private func isInEffect(
        _ revision: Int, _ document: Document, _ past: DocumentPast
    ) throws(ChangeError) -> Bool {
        guard revision >= document.oldestRevision else { return true }
        return try past.isInEffect(try past.change(at: revision), at: document) ?? true
    }

    /// The origin of a draft, under whatever name it has now.
    private static func origin(
        of state: DraftState, _ past: DocumentPast
    ) throws(ChangeError) -> Document? {
        var name = state.origin
        for _ in 0...DraftRequest.renamesMax {
            let found = try Replay.document(name, from: past.journal, while: past.isWanted)
            guard let document = found?.document, !document.exists,
                let next = state.name(after: document, past.journal)
            else { return found?.document }
            name = next
        }
        return nil
    }

    /// The record that counts, with the origin as the journal has it.
    static func current(
        _ draft: Document, _ past: DocumentPast
    ) throws(ChangeError) -> DraftState.Entry {
        guard let state = draft.draft else { throw .draft(.noOrigin) }
        guard let origin = try DraftReader.origin(of: state, past), origin.exists else {
            throw .draft(.originGone(state.origin))
        }
        let reader = DraftReader(
            draft: draft, draftPast: past, origin: origin, originHead: origin,
            originPast: DocumentPast(origin.id, past.journal, while: past.isWanted))
        try reader.checkOrigin(state)
        return try reader.current(state)
    }

    /// The edits of the draft's changes since a record.
    private func draftLine(_ entry: DraftState.Entry) throws(ChangeError) -> DraftSide? {
        try line(
            from: entry.common, entry.record.creditedAhead, after: entry.revision, of: draft,
            draftPast)
    }

    /// The edits of a document's changes since a revision; `nil` if they are too many, or do not
    /// lead from there.
    private func line(
        from common: JSON, _ beginning: CreditedPatch, after revision: Int, of document: Document,
        _ past: DocumentPast
    ) throws(ChangeError) -> DraftSide? {
        guard document.revision - revision <= EditBase.revisionsMax,
            revision >= document.oldestRevision
        else { return nil }
        let steps = Set(document.history.stepsBack.prefix { $0 > revision })
        var changes: [Change] = []
        var bytes = 0
        var next = revision + 1
        while next <= document.revision {
            let page = try past.changes(
                from: next, limit: min(DraftReader.pageSize, document.revision + 1 - next))
            guard let last = page.last else { return nil }
            changes += page.filter { steps.contains($0.revision) }
            bytes += page.reduce(0) { $0 + $1.edits.byteCount }
            guard bytes <= EditBase.bytesMax else { return nil }
            next = last.revision + 1
        }
        return DraftSide(
            from: common, beginning, at: revision, changes, to: document.tree)
    }
}

extension DocumentPast {
    /// The common state of a draft and its origin.
    func common(of draft: Document) throws(ChangeError) -> JSON {
        try DraftReader.current(draft, self).common
    }
}
