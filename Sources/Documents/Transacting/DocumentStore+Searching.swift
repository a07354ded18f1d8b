import DocumentCore
public import Journaling
import Naming
import Threading
import VersioningKit

// Which documents are meant, where many may be.

extension JournalPast {
    /// The limit on documents that are searched; the action then concerns far fewer.
    public static let documentsMax = 10_000

    /// The documents of a scope with changes that a selection may undo, in the order of their
    /// names. O(changes of the scope between the positions of the selection).
    func documents(
        with selection: SelectionOfMany, of scope: FeedScope, upTo last: Int
    ) throws(ChangeError) -> [DocumentID] {
        var found: Set<DocumentID> = []
        let start = selection.since ?? 0
        var next = min(last, selection.until ?? last) + 1
        while next > start + 1 {
            let (items, end) = try changes(before: next, of: scope, span: JournalPast.span)
            for item in items where selection.isMade(item.change, number: item.sequence) {
                if item.change.isTakenBack { found.insert(item.document) }
            }
            guard found.count <= JournalPast.documentsMax else {
                throw .tooManyDocuments(max: TransactionRequest.undoDocumentsMax)
            }
            next = end + 1
        }
        return found.sorted()
    }

    /// The documents of a prefix that were changed after a number in the order of commits, with the
    /// first revision that came after it.
    public func documents(
        changedAfter sequence: Int, prefix: String
    ) throws(ChangeError) -> [DocumentRevision] {
        let found = try documents(changedAfter: sequence, below: prefix)
        guard found.count <= JournalPast.documentsMax else {
            throw .tooManyDocuments(max: TransactionRequest.documentsMax)
        }
        return found
    }

    /// The documents of a prefix that were changed after a time, with the first revision that came
    /// after it. O(documents of the prefix).
    public func documents(
        changedAfter time: Timestamp, prefix: String
    ) throws(ChangeError) -> [DocumentRevision] {
        var found: [DocumentRevision] = []
        var listed = 0
        for listing in try listings(prefix: prefix) {
            listed += 1
            guard listed <= JournalPast.documentsMax else {
                throw .tooManyDocuments(max: TransactionRequest.documentsMax)
            }
            let past = past(of: listing.document)
            let newest = try past.change(at: listing.revision)
            if newest.time <= time { continue }
            do throws(ChangeError) {
                let last = try past.revision(at: time)
                found.append(DocumentRevision(listing.document, last + 1))
            } catch {
                guard case .notYet = error else { throw error }
                found.append(DocumentRevision(listing.document, 0))
            }
        }
        return found
    }
}

extension DocumentStore {
    /// The documents of a prefix with changes that a selection may undo, in the order of their
    /// names. Of a run, the selection then says since when it has edited them. O(all changes of the
    /// prefix); of a run O(its documents), or, with other criteria, all changes of these. Blocks.
    public func documents(
        with selection: inout SelectionOfMany, prefix: String, upTo last: Int,
        _ past: JournalPast
    ) throws(ChangeError) -> [DocumentID] {
        guard let run = selection.criteria.actor,
            let counts = counts(of: run, prefix: prefix, upTo: last)
        else {
            return try past.documents(
                with: selection, of: FeedScope(prefix: prefix), upTo: last)
        }
        note(counts, in: &selection)
        let documents = counts.map(\.document)
        if selection.isAllOfActor { return documents }
        let scope = FeedScope(prefix: prefix, documents: Set(documents))
        return try past.documents(with: selection, of: scope, upTo: last)
    }
}

extension DocumentStore {
    /// The newest undo of many edits that holds something of a selection in documents of a prefix
    /// out of effect; `nil` if there is none. `documents`: only in these. Blocks. O(changes of the
    /// documents since that undo).
    public func newestUndo(
        of selection: SelectionOfMany, in documents: [DocumentID]?, prefix: String, upTo last: Int,
        _ past: JournalPast
    ) async throws(ChangeError) -> DocumentRevision? {
        let ofRun = selection.criteria.actor.flatMap {
            counts(of: $0, prefix: prefix, upTo: last)?.map(\.document)
        }
        let named = documents.map { Set($0).intersection(ofRun ?? $0) } ?? ofRun.map { Set($0) }
        let scope = FeedScope(prefix: prefix, documents: named)
        var search = UndoSearch(for: selection.criteria, isOfOne: named?.count == 1)
        // An undo comes after what it takes.
        let start = selection.since ?? 0
        var (next, span) = (last + 1, JournalPast.span)
        while next > start + 1, !search.isEnded, named?.isEmpty != true {
            let (items, end) = try past.changes(before: next, of: scope, span: span)
            for item in items where !search.isEnded {
                let id = item.document
                if search.needsLine(for: item.change, of: id) {
                    search.note(
                        UndoSearch.Line(try await current(of: id).document),
                        selecting: try selection.selection(in: past.past(of: id)), of: id)
                }
                search.note(item)
            }
            // Each step looks up the segments of documents that are named.
            (next, span) = (end + 1, min(span * 2, JournalPast.spanMax))
        }
        return search.found
    }
}

extension UndoSearch.Line {
    fileprivate init(_ head: Document) {
        let isDeleted = head.life == .deleted
        steps = head.exists ? Set(head.history.stepsBack) : []
        deletion = isDeleted ? head.revision : nil
    }
}

extension Change {
    /// Whether an undo of many edits may take it back.
    fileprivate var isTakenBack: Bool {
        if case .create = kind { true } else { makesVersion && reversal == nil }
    }
}
