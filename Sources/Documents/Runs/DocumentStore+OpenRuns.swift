public import DocumentCore
import Journaling
public import Naming

// Open runs: each is a document of the daemon's own, and a row of the index.

extension DocumentStore {
    /// Opens a run, or keeps it open, until `lifetime` without an edit of it. `request`: who asks;
    /// if it was carried out before, the run may be closed. `isNew`: whether it was closed before.
    /// Blocks.
    public func openRun(
        _ name: Name, lifetime: Duration, _ request: ChangeRequest
    ) async throws(Refusal) -> (run: OpenRun?, isNew: Bool, isRepeated: Bool) {
        guard let id = OpenRun.documents.document(of: name) else { throw Refusal(.unknownDocument) }
        // So that the record says whether it was open, also to a repetition.
        try? await closeEnded(name)
        let value = RunOpening.value(
            at: now(), lifetime: lifetime, nonce: .random(in: .min ... .max))
        let outcome = try await outcome(of: request.asOwn(.put(value)), in: id)
        guard case .made(let made, _) = outcome, let opening = RunOpening(made.document) else {
            throw Refusal(.overtaken)
        }
        guard outcome.isRepeated else {
            let run = OpenRun(name: name, expiry: opening.expiry(edited: nil))
            return (run, outcome.isCreated, false)
        }
        do throws(ChangeError) {
            let run = try openRun(name, upTo: try await lastSequence(reaching: .max))
            return (run, outcome.isCreated, true)
        } catch {
            throw Refusal(error)
        }
    }

    /// A run, if it stays open for about as long as if it was kept open now: then that is not
    /// stored. Blocks.
    public func openRun(
        _ name: Name, forAbout lifetime: Duration, label: String?, upTo last: Int
    ) throws(ChangeError) -> OpenRun? {
        guard try hasOpenings, let id = OpenRun.documents.document(of: name) else { return nil }
        var rows = try runs.rows(upTo: last)
        do throws(JournalError) {
            let time = now()
            guard let opening = try rows.opening(of: name),
                opening.lifetime == lifetime.milliseconds,
                let run = try rows.openRun(name, opening, at: time),
                time.milliseconds + lifetime.milliseconds - run.expiry.milliseconds
                    < lifetime.milliseconds / OpenRun.partKept,
                label == nil || label == self.label(at: DocumentRevision(id, opening.revision))
            else { return nil }
            return run
        } catch {
            throw .journal(error)
        }
    }

    /// Closes a run. It may be closed already.
    public func closeRun(_ name: Name, _ request: ChangeRequest) async throws(Refusal) {
        guard let id = OpenRun.documents.document(of: name) else { return }
        do throws(Refusal) {
            _ = try await outcome(of: request.asOwn(.delete), in: id)
        } catch {
            guard error.error.isAbsence else { throw error }
        }
        fullRecords.forget()
    }

    /// A run, if it is open. `last`: the number up to which its edits are known. Blocks.
    public func openRun(_ name: Name, upTo last: Int) throws(ChangeError) -> OpenRun? {
        guard try hasOpenings else { return nil }
        var rows = try runs.rows(upTo: last)
        return try journaled(rows.openRun(name, at: now()))
    }

    /// Whether a run was ever opened: most daemons need no index for the answer.
    var hasOpenings: Bool {
        get throws(ChangeError) {
            try journaled(
                !journal.documents(
                    prefix: OpenRun.documents.prefix, after: nil, limit: 1
                ).isEmpty)
        }
    }

    /// The limit that one more open run would exceed; `nil` if it has room. `all`, and `each` of
    /// those below `owner`. Those that ended by themselves do not count, and some of them are
    /// closed. O(open runs), now and then. Blocks.
    public func limitOfOpenRuns(
        below owner: Name, each: Int, all: Int, upTo last: Int
    ) async throws(ChangeError) -> Int? {
        for (prefix, most) in [(owner.text + "/", each), ("", all)] {
            let set = OpenRun.documents.prefix + prefix
            if fullRecords.isFull(set, at: now()) { return most }
            let (hasRoom, next) = try await roomForOpenRun(below: prefix, upTo: most, last)
            if hasRoom { continue }
            fullRecords.note(set, at: now(), until: next)
            return most
        }
        return nil
    }

    /// Whether one more open run has room; otherwise also when the first of them ends.
    private func roomForOpenRun(
        below prefix: String, upTo most: Int, _ last: Int
    ) async throws(ChangeError) -> (hasRoom: Bool, next: Timestamp?) {
        guard try hasOpenings else { return (most > 0, nil) }
        var rows = try runs.rows(upTo: last)
        do throws(JournalError) {
            let names = try rows.openedRuns(below: prefix)
            let excess = names.count - most
            if excess < 0 { return (true, nil) }
            var ended: [Name] = []
            var next: Timestamp?
            for name in names where ended.count <= max(excess, FullRecords.removedMax) {
                if let run = try rows.openRun(name, at: now()) {
                    next = min(next ?? run.expiry, run.expiry)
                } else {
                    ended.append(name)
                }
            }
            for name in ended.prefix(FullRecords.removedMax) { try await closeEnded(name) }
            return (ended.count > excess, next)
        } catch {
            throw .journal(error)
        }
    }

    /// Closes a run whose time is over, unless it was opened again, or has edited, meanwhile.
    /// Blocks.
    private func closeEnded(_ name: Name) async throws(JournalError) {
        guard let last = try? await lastSequence(reaching: .max),
            var rows = try? runs.rows(upTo: last), let opening = try rows.opening(of: name),
            try rows.openRun(name, opening, at: now()) == nil
        else { return }
        var request = ChangeRequest(.delete)
        request.precondition = Precondition(match: .these([opening.revision]))
        try? await closeRun(name, request)
    }
}
