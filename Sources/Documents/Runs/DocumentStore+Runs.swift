public import DocumentCore
import JSONTree
public import Journaling
public import Naming

// Runs, as far as the index and documents in memory say what they did.

extension DocumentStore {
    /// The runs whose last edit is before a number in the order of commits. `last`: the number up
    /// to which they are counted. Blocks.
    public func runs(
        before number: Int, limit: Int, _ query: RunQuery, upTo last: Int
    ) throws(ChangeError) -> RunPage {
        var rows = try runs.rows(upTo: last)
        return try journaled(
            rows.page(before: number, limit: limit, query, at: now()) { label(at: $0) })
    }

    /// A run in documents of a prefix, with its counts and other changes in the order of their
    /// names, after one of them; `nil` if it has no edits there. `mayBeEmpty`: an open run needs
    /// none. Blocks.
    public func run(
        _ name: Name, prefix: String, after document: String?, limit: Int, mayBeEmpty: Bool,
        upTo last: Int
    ) throws(ChangeError) -> RunInDocuments? {
        var rows = try runs.rows(upTo: last)
        do throws(JournalError) {
            var found = try rows.run(name, prefix: prefix, at: now())
            if found == nil, mayBeEmpty { found = try rows.runWithoutEdits(name, at: now()) }
            guard var run = found else { return nil }
            run.label = run.labelled.flatMap { label(at: $0) }
            let counts = try rows.counts(
                of: name, prefix: prefix, after: document, limit: limit)
            let next = counts.count == limit ? counts.last?.document : nil
            let others = try rows.others(
                of: name, prefix: prefix, after: document, upTo: next)
            return RunInDocuments(run: run, counts: counts, others: others, next: next)
        } catch {
            throw .journal(error)
        }
    }

    /// The rows that have the edits of a run; `nil` if the actor is not a run, or if the index does
    /// not know. Blocks.
    func rows(of run: Name, upTo last: Int) -> IndexRows? {
        guard run.isRun, !runs.isErasing else { return nil }
        return try? runs.rows(upTo: last)
    }

    /// The edits of a run in documents of a prefix, in the order of their names; `nil` as for
    /// `rows`. Blocks.
    func counts(
        of run: Name, prefix: String, upTo last: Int
    ) -> [(document: DocumentID, count: RunCount)]? {
        guard var rows = rows(of: run, upTo: last) else { return nil }
        return try? rows.counts(of: run, prefix: prefix, after: nil, limit: .max)
    }

    /// The effect of an undo of a run in a document: a dry run. `mayDelete`: as in the request.
    public func review(
        of run: Name, in document: DocumentID, _ count: RunCount, mayDelete: Bool
    ) async throws(ChangeError) -> RunReview {
        var selection = ChangeSelection(actor: run)
        selection.oldest = count.first
        selection.takesCreation = true
        var request = ChangeRequest(.revertAll(selection, also: [], .theirs), actor: run)
        request.isDryRun = true
        request.parts = .alone
        request.mayUndoOthers = true
        request.mayDelete = mayDelete
        let result: Result<Outcome, ChangeError>
        do throws(Refusal) {
            result = .success(try await outcome(of: request, in: document))
        } catch {
            result = .failure(error.error)
        }
        let head = try await past(of: document).head
        return try RunReview(result, head: head)
    }

    /// The label of a change; `nil` if it has none any more.
    func label(at place: DocumentRevision) -> String? {
        try? DocumentPast(place.document, journal).change(at: place.revision).label
    }
}
