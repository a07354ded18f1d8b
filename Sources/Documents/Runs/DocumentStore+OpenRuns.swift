public import DocumentCore
public import Journaling
public import Naming
import SelectiveUndo

// Open runs: each is a document of the daemon's own, and a row of the index.

extension DocumentStore {
    /// Opens a run, or keeps it open, until `lifetime` without an edit of it. `request`: who asks.
    /// Blocks.
    public func openRun(
        _ name: Name, lifetime: Duration, _ request: ChangeRequest
    ) async throws(Refusal) -> (run: OpenRun, isNew: Bool) {
        guard let id = OpenRun.documents.document(of: name) else { throw Refusal(.unknownDocument) }
        let value = RunOpening.value(
            at: now(), lifetime: lifetime, nonce: .random(in: .min ... .max))
        let outcome = try await outcome(of: request.asOwn(.put(value)), in: id)
        guard case .made(let made, _) = outcome, let opening = RunOpening(made.document) else {
            throw Refusal(.overtaken)
        }
        return (
            OpenRun(name: name, expiry: opening.expiry(edited: nil)), outcome.isCreated
        )
    }

    /// Closes a run. It may be closed already.
    public func closeRun(_ name: Name, _ request: ChangeRequest) async throws(Refusal) {
        guard let id = OpenRun.documents.document(of: name) else { return }
        do throws(Refusal) {
            _ = try await outcome(of: request.asOwn(.delete), in: id)
        } catch {
            guard error.error.isAbsence else { throw error }
        }
    }

    /// A run, if it is open. `last`: the number up to which its edits are known. Blocks.
    public func openRun(_ name: Name, upTo last: Int) throws(ChangeError) -> OpenRun? {
        guard try hasOpenings else { return nil }
        var rows = try runs.rows(upTo: last)
        do throws(JournalError) { return try rows.openRun(name, at: now()) } catch {
            throw .journal(error)
        }
    }

    /// The open runs. O(runs that were opened and not closed). Blocks.
    public func openRuns(upTo last: Int) throws(ChangeError) -> [OpenRun] {
        guard try hasOpenings else { return [] }
        var rows = try runs.rows(upTo: last)
        let now = now()
        var open: [OpenRun] = []
        do throws(JournalError) {
            for name in try rows.openedRuns() {
                if let run = try rows.openRun(name, at: now) { open.append(run) }
            }
        } catch {
            throw .journal(error)
        }
        return open
    }

    /// Whether a run was ever opened: most daemons need no index for the answer.
    private var hasOpenings: Bool {
        get throws(ChangeError) {
            do throws(JournalError) {
                return try !journal.documents(
                    prefix: OpenRun.documents.prefix, after: nil, limit: 1
                ).isEmpty
            } catch {
                throw .journal(error)
            }
        }
    }

    /// Whether one more run can be open; those that ended by themselves are closed first if that is
    /// necessary. Blocks.
    public func hasRoomForOpenRun(
        upTo most: Int, _ last: Int
    ) async throws(ChangeError) -> Bool {
        guard try hasOpenings else { return most > 0 }
        var rows = try runs.rows(upTo: last)
        let names: [Name]
        do throws(JournalError) { names = try rows.openedRuns() } catch { throw .journal(error) }
        if names.count < most { return true }
        let open = Set(try openRuns(upTo: last).map(\.name))
        for name in names where !open.contains(name) {
            try? await closeRun(name, ChangeRequest(.delete))
        }
        return open.count < most
    }
}

// MARK: Undo of open runs

extension DocumentStore {
    /// The open runs of which a selection takes edits in documents: those of its actor in any case.
    /// Blocks.
    public func openRuns(
        in selection: SelectionOfMany, of documents: [DocumentID], upTo last: Int
    ) throws(ChangeError) -> [OpenRun] {
        if let actor = selection.criteria.actor {
            return actor.isRun ? try openRun(actor, upTo: last).map { [$0] } ?? [] : []
        }
        let open = try openRuns(upTo: last)
        if open.isEmpty { return [] }
        let rows = try runs.rows(upTo: last)
        var taken: [OpenRun] = []
        for run in open {
            for document in documents
            where try hasEdit(of: run.name, in: selection, of: document, rows) {
                taken.append(run)
                break
            }
        }
        return taken
    }

    private func hasEdit(
        of run: Name, in selection: SelectionOfMany, of document: DocumentID, _ rows: IndexRows
    ) throws(ChangeError) -> Bool {
        let count: RunCount?
        do throws(JournalError) { count = try rows.count(of: run, in: document) } catch {
            throw .journal(error)
        }
        guard let count, count.undone < count.edits else { return false }
        let past = DocumentPast(document, journal)
        return try past.hasEdit(
            of: run, in: selection.selection(in: past), since: count.began)
    }

    /// The open runs of which a redo puts edits back: those of the selection's actor, and of the
    /// edits that the undos of these places took. Blocks.
    public func openRuns(
        in selection: SelectionOfMany, takenBy undos: [DocumentRevision], upTo last: Int
    ) throws(ChangeError) -> [OpenRun] {
        let open = try openRuns(upTo: last)
        if open.isEmpty { return [] }
        let edits = undos.flatMap { undo -> [DocumentRevision] in
            let change = try? DocumentPast(undo.document, journal).change(at: undo.revision)
            let revisions = change?.reversal?.undone ?? (change?.takesBack).map { [$0] } ?? []
            return revisions.map { DocumentRevision(undo.document, $0) }
        }
        let made = try openRuns(of: edits, upTo: last).map(\.name)
        return open.filter { $0.name == selection.criteria.actor || made.contains($0.name) }
    }

    /// The open runs that made the changes of these places. Blocks.
    public func openRuns(
        of places: [DocumentRevision], upTo last: Int
    ) throws(ChangeError) -> [OpenRun] {
        let open = try openRuns(upTo: last)
        if open.isEmpty { return [] }
        var actors: Set<Name> = []
        for place in places {
            let change = try? DocumentPast(place.document, journal).change(at: place.revision)
            if let change { actors.insert(change.actor) }
        }
        return open.filter { actors.contains($0.name) }
    }
}

extension DocumentPast {
    /// Whether a selection contains an edit of a run, whose first one is not before a time.
    fileprivate func hasEdit(
        of run: Name, in selection: ChangeSelection, since time: Timestamp
    ) throws(ChangeError) -> Bool {
        guard var next = try Replay.document(id, from: journal)?.document.revision else {
            return false
        }
        while next >= 0 {
            let changes = try changes(upTo: next, limit: 1_000)
            for change in changes where change.runOfEdit == run {
                if selection.part(of: change) != nil || selection.includes(creation: change) {
                    return true
                }
            }
            guard let first = changes.first, first.time >= time else { return false }
            next = first.revision - 1
        }
        return false
    }
}

extension TransactionRequest.Member {
    /// Closes a run in the same commit; it may be closed already. `nil` if no run has this name.
    public init?(closing run: Name, _ request: ChangeRequest) {
        guard let id = OpenRun.documents.document(of: run) else { return nil }
        self.init(id, request.asOwn(.delete))
        mayBeAbsent = true
        isNamed = false
    }
}
