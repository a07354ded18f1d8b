public import DocumentCore
public import Journaling
public import Naming

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
