import DocumentCore
public import Journaling
import Naming

/// A selection of edits in many documents, which have the time and the order of commits in common.
public struct SelectionOfMany: Sendable {
    /// The selection without the positions.
    public var criteria: ChangeSelection
    /// They came after this position in the order of commits.
    public var since: Int?
    /// They came no later than this position.
    public var until: Int?
    /// Of a run, the revisions of its first edits in documents.
    private var beginnings: [DocumentID: Int] = [:]

    public init(_ criteria: ChangeSelection, since: Int? = nil, until: Int? = nil) {
        self.criteria = criteria
        self.since = since
        self.until = until
    }

    /// Whether it is every edit of an actor.
    var isAllOfActor: Bool { criteria.isAllOfActor && since == nil && until == nil }

    /// The selection in a document, where a position is a revision. Blocks.
    func selection(in past: DocumentPast) throws(ChangeError) -> ChangeSelection {
        var selection = criteria(in: past.id)
        if let since {
            let last = try past.lastRevision(upTo: since)
            selection.since = last < 0 ? nil : .revision(last)
        }
        if let until { selection.until = .revision(try past.lastRevision(upTo: until)) }
        return selection
    }

    /// The selection in a document without the positions.
    public func criteria(in document: DocumentID) -> ChangeSelection {
        var selection = criteria
        selection.oldest = beginnings[document]
        return selection
    }

    /// Notes the edits of its run: earlier changes of their documents are not read.
    fileprivate mutating func note(_ counts: [(document: DocumentID, count: RunCount)]) {
        for (document, count) in counts { beginnings[document] = count.first }
    }

    /// Whether a change is one of those that it is about. `number`: in the order of commits.
    func isMade(_ change: Change, number: Int) -> Bool {
        if let since, number <= since { return false }
        if let until, number > until { return false }
        return criteria.isMade(change)
    }
}

extension DocumentStore {
    /// Looks up in the index since when the run of a selection has edited documents. Blocks.
    public func findBeginnings(
        of selection: inout SelectionOfMany, in documents: [DocumentID], upTo last: Int
    ) {
        guard let run = selection.criteria.actor, let rows = rows(of: run, upTo: last) else {
            return
        }
        note(
            documents.compactMap { document in
                (try? rows.count(of: run, in: document)).flatMap { $0.map { (document, $0) } }
            }, in: &selection)
    }

    /// Notes the edits of the run of a selection, unless rows of erased documents may be missing:
    /// another daemon removes them without moving the index, so that this one does not notice.
    func note(
        _ counts: [(document: DocumentID, count: RunCount)], in selection: inout SelectionOfMany
    ) {
        let marks = RunKey.uncounted
        if journal.shared != nil {
            let found = try? journal.indexRows(from: marks, before: RunKey.end(of: marks), limit: 1)
            guard found?.isEmpty ?? false else { return }
        }
        selection.note(counts)
    }

    /// The selection in a document. Blocks.
    public func selection(
        _ selection: SelectionOfMany, in document: DocumentID
    ) throws(ChangeError) -> ChangeSelection {
        try selection.selection(in: DocumentPast(document, journal))
    }
}
