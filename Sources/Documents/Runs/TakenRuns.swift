import DocumentCore
import Journaling
import Naming

/// The policy of an undo, or a redo, for edits of open runs that it takes.
public enum OpenRunPolicy: Sendable {
    /// It is refused.
    case refuse
    /// It closes the runs in the same commit.
    case close
}

/// The edits that an undo, or a redo, takes, and the records of their runs: it is committed only if
/// no run among them was opened since its record was read.
struct TakenRuns: Sendable {
    /// The edits of which it is known whose they are.
    private(set) var edits: Set<DocumentRevision> = []
    /// Of each run a condition on its record, or the deletion of it.
    private(set) var records: [TransactionRequest.Member] = []

    mutating func note(
        _ edits: Set<DocumentRevision>, with records: [TransactionRequest.Member]
    ) {
        self.edits.formUnion(edits)
        let known = Set(self.records.map(\.document))
        self.records += records.filter { !known.contains($0.document) }
    }
}

extension DocumentStore {
    /// Reads the records of the runs whose edits a transaction takes. Throws if one of them is
    /// open, unless the transaction closes it. Returns the outcome if it was carried out before.
    func note(
        _ edits: Set<DocumentRevision>, _ pending: inout PendingTransaction
    ) async throws(TransactionRefusal) -> TransactionOutcome? {
        var runs: [Name: DocumentRevision] = [:]
        do throws(ChangeError) {
            runs = try await makers(of: edits)
            pending.take(edits, with: try await records(of: runs, for: pending.request))
            return nil
        } catch {
            if let made = try await repetition(of: pending) { return made }
            var place = edits.first
            if case .foreignEdit(_, let run) = error { place = runs[run] }
            let index = pending.members.firstIndex { $0.document == place?.document }
            throw pending.refusal(at: index ?? 0, error)
        }
    }

    /// The runs that made edits, each with one of its own; of a deletion, or a return, those of
    /// the change that it reverses. Blocks.
    private func makers(
        of edits: Set<DocumentRevision>
    ) async throws(ChangeError) -> [Name: DocumentRevision] {
        var runs: [Name: DocumentRevision] = [:]
        for (document, edits) in Dictionary(grouping: edits, by: \.document) {
            let past = DocumentPast(document, journal)
            let revisions = edits.map(\.revision)
            for change in try await stored(at: revisions, past) {
                var made = [change]
                while let reversed = made.last?.takesBack {
                    made.append(try past.change(at: reversed))
                }
                for change in made {
                    guard let run = change.runOfEdit else { continue }
                    runs[run] = DocumentRevision(document, change.revision)
                }
                if change.kind.traits.lifecycle != .goesOn {
                    for (run, edit) in try await openRuns(goingWith: past) {
                        runs[run] = DocumentRevision(document, edit)
                    }
                }
            }
        }
        return runs
    }

    /// The open runs with edits that go, or come back, with a document, and the first edit of each.
    /// Blocks; if there are any, O(changes).
    private func openRuns(goingWith past: DocumentPast) async throws(ChangeError) -> [Name: Int] {
        guard try hasOpenings else { return [:] }
        let last = try await lastSequence(reaching: .max)
        var rows = try runs.rows(upTo: last)
        var open: [Name] = []
        do throws(JournalError) {
            for run in try rows.runs(of: past.id) where try rows.openRun(run, at: now()) != nil {
                open.append(run)
            }
        } catch {
            throw .journal(error)
        }
        if open.isEmpty { return [:] }
        // Deleted, it comes back as it was before.
        let head = try await current(of: past.id).document
        let counts = try past.runCounts(upTo: head.exists ? nil : head.revision - 1).counts
        return counts.filter { open.contains($0) && $1.edits > $1.undone }.mapValues(\.first)
    }

    /// The changes at revisions of a document, after those that are being stored. Blocks.
    private func stored(
        at revisions: [Int], _ past: DocumentPast
    ) async throws(ChangeError) -> [Change] {
        do throws(ChangeError) { return try past.changes(at: revisions) } catch {
            guard case .unknownRevision = error else { throw error }
            // The line answers this when all before it is durable.
            _ = try? await outcome(of: .closingExpired, in: past.id)
            do throws(ChangeError) { return try past.changes(at: revisions) } catch {
                // Its commit has failed, so the undo rests on what never was.
                if case .unknownRevision = error { throw .overtaken }
                throw error
            }
        }
    }

    /// The members of a transaction that hold the records of the runs as they were read. Blocks.
    private func records(
        of runs: [Name: DocumentRevision], for request: TransactionRequest
    ) async throws(ChangeError) -> [TransactionRequest.Member] {
        // The records are held like documents until all is stored.
        guard runs.count <= TransactionRequest.undoRunsMax else {
            throw .tooManyRuns(max: TransactionRequest.undoRunsMax)
        }
        var records: [TransactionRequest.Member] = []
        var open: [OpenRun] = []
        for (run, edit) in runs {
            guard let id = OpenRun.documents.document(of: run) else { continue }
            let record = try await current(of: id).document
            guard let found = try await openRun(run, record) else {
                records.append(TransactionRequest.Member(keeping: record))
                continue
            }
            open.append(found)
            guard request.openRuns == .close, let asker = request.members.first?.request else {
                continue
            }
            guard asker.mayUndoOthers || asker.owns(run) else {
                throw .foreignEdit(revision: edit.revision, actor: run)
            }
            records.append(TransactionRequest.Member(closing: id, asker))
        }
        guard open.isEmpty || request.openRuns == .close else {
            throw .runsOpen(open.sorted { $0.name < $1.name })
        }
        return records
    }

    /// The run of a record, if it is open: the index knows when it edited last. Blocks.
    private func openRun(
        _ run: Name, _ record: Document
    ) async throws(ChangeError) -> OpenRun? {
        guard let opening = RunOpening(record) else { return nil }
        let last = try await lastSequence(reaching: .max)
        var rows = try runs.rows(upTo: last)
        return try journaled(rows.openRun(run, opening, at: now()))
    }
}

extension TransactionRequest.Member {
    /// Closes a run in the same commit; it may be closed already.
    fileprivate init(closing record: DocumentID, _ request: ChangeRequest) {
        self.init(record, request.asOwn(.delete))
        mayBeAbsent = true
        isNamed = false
    }

    /// The record of a run must be as it was read, if there is one.
    fileprivate init(keeping record: Document) {
        var request = ChangeRequest(.nothing)
        request.precondition =
            record.exists
            ? Precondition(match: .these([record.revision])) : Precondition(noneMatch: .any)
        self.init(record.id, request)
        isNamed = false
    }
}

extension DocumentPast {
    /// The limit on changes that are read together.
    private static let pageSize = 256

    /// The changes at revisions, the newest first. Those that are close together are read together.
    fileprivate func changes(at revisions: [Int]) throws(ChangeError) -> [Change] {
        var left = revisions.sorted(by: >)[...]
        var found: [Change] = []
        while let newest = left.first {
            let near = left.prefix { newest - $0 < DocumentPast.pageSize }
            let span = newest - (near.last ?? newest) + 1
            // A page is worth its price if a quarter of it is wanted.
            let limit = span <= 4 * near.count ? span : 1
            let page = try changes(upTo: newest, limit: limit)
            guard page.last?.revision == newest else { throw .unknownRevision(newest) }
            // A page may be shorter for its bytes.
            let oldest = page.first?.revision ?? newest
            let wanted = Set(left.prefix { $0 >= oldest })
            found += page.filter { wanted.contains($0.revision) }
            left = left.dropFirst(wanted.count)
        }
        return found
    }
}
