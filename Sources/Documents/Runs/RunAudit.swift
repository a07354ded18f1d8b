import DocumentCore
public import Journaling
import Naming

/// Compares the stored index of runs with the changes of documents. For the operator's tools.
public struct RunAudit {
    private let journal: any Journal
    /// `nil` if the journal stores no index yet.
    private let index: RunIndex?

    /// A document that changes during the comparison is compared again.
    private static let attemptsMax = 5

    public init(_ journal: any Journal) throws(ChangeError) {
        self.journal = journal
        let isStored = try journaled(journal.indexPosition() > 0)
        // Nothing is stored by it.
        var steps = RunIndex.Steps()
        (steps.span, steps.rows, steps.wait) = (.max, .max, .max)
        let queue = CommitQueue(journal: journal, hasThread: false)
        index =
            isStored
            ? RunIndex(journal, queue, CommittedEntries(after: journal.lastSequence), steps: steps)
            : nil
    }

    private func newest() throws(ChangeError) -> Int {
        try journaled(journal.lastSequenceOfAll())
    }

    /// Throws `.journal(.corrupt)` if the index has other edits of a document than its changes.
    public func check(_ id: DocumentID) throws(ChangeError) {
        guard let index, !id.isOwn else { return }
        var revision: Int?
        for _ in 0..<RunAudit.attemptsMax {
            let found = try DocumentPast(id, journal).runCounts()
            // Forgotten edits stay counted until the next edit of a run.
            guard found.isWhole else { return }
            var rows = try index.rows(upTo: newest())
            do throws(JournalError) {
                if try rows.agree(with: found.counts, found.others, in: id) { return }
            } catch {
                throw .journal(error)
            }
            // The difference does not come from a change that was made meanwhile.
            if revision == found.revision {
                throw .journal(.corrupt("the index of runs has other changes than the document"))
            }
            revision = found.revision
        }
    }
}

extension IndexRows {
    /// Whether the rows of a document have these counts.
    fileprivate mutating func agree(
        with counts: [Name: RunCount], _ others: [Name: OtherChanges], in document: DocumentID
    ) throws(JournalError) -> Bool {
        for run in Set(try runs(of: document)).union(counts.keys).union(others.keys) {
            guard try self.others(of: run, in: document) == others[run] else { return false }
            let (stored, counted) = (try count(of: run, in: document), counts[run])
            guard stored?.edits == counted?.edits, stored?.undone == counted?.undone,
                stored?.requesters == counted?.requesters
            else { return false }
        }
        return true
    }
}
