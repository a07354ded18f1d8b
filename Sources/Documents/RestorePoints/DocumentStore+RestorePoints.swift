public import DocumentCore
public import Journaling
public import Naming

// Restore points: each is a document of the daemon's own (Decision 43).

extension DocumentStore {
    /// A restore point; `nil` if there is none, or its time is over. Blocks.
    public func restorePoint(_ name: Name) async throws(ChangeError) -> RestorePoint? {
        try await storedRestorePoint(name).point
    }

    /// The same with the revision at which it is stored, also after its time; `nil` if it is not.
    public func storedRestorePoint(
        _ name: Name
    ) async throws(ChangeError) -> (point: RestorePoint?, revision: Int?) {
        guard let id = RestorePoint.documents.document(of: name) else { return (nil, nil) }
        let document = try await current(of: id).document
        guard document.exists else { return (nil, nil) }
        let change = try DocumentPast(id, journal).change(at: document.revision)
        let point = try restorePoint(name, document, change)
        let isOver = point.expiry.map { $0 <= now() } ?? false
        return (isOver ? nil : point, document.revision)
    }

    /// Up to `limit` restore points whose names begin so, after a name, in the order of their
    /// bytes; and the name to continue after, if there may be more. Blocks.
    public func restorePoints(
        prefix: String, after name: String?, limit: Int
    ) async throws(ChangeError) -> (points: [RestorePoint], next: Name?) {
        let documents = try await documents(
            prefix: RestorePoint.documents.prefix + prefix,
            after: name.map { RestorePoint.documents.prefix + $0 },
            limit: limit)
        var points: [RestorePoint] = []
        for listing in documents where !listing.isDeleted {
            guard let name = RestorePoint.documents.name(of: listing.document),
                let point = try await restorePoint(name)
            else { continue }
            points.append(point)
        }
        let last = documents.count == limit ? documents.last?.document : nil
        return (points, last.flatMap { RestorePoint.documents.name(of: $0) })
    }

    /// Makes a restore point, or moves it. Without `position`, it is at its own entry.
    ///
    /// `request`: who asks, and under which conditions. Blocks.
    public func putRestorePoint(
        _ name: Name, prefix: String, at position: Int?, lifetime: Duration?,
        _ request: ChangeRequest
    ) async throws(Refusal) -> (point: RestorePoint, isNew: Bool, isRepeated: Bool) {
        guard let id = RestorePoint.documents.document(of: name) else {
            throw Refusal(.unknownDocument)
        }
        let expiry = lifetime.map {
            Timestamp(milliseconds: now().milliseconds + $0.milliseconds)
        }
        var record = RestorePointRecord(
            prefix: prefix, expiry: expiry, next: nil, near: lastSequence)
        do throws(ChangeError) {
            if let position, let next = try first(after: position) {
                let most = TransactionRequest.undoDocumentsMax
                (record.next, record.near) = (next, max(0, position - most))
            }
        } catch {
            throw Refusal(error)
        }
        let outcome = try await store(record, in: id, request)
        do throws(ChangeError) {
            let point = try restorePoint(name, outcome.document, outcome.change)
            // Another change may have come between the position and the entry that marks it.
            guard let position, record.next == nil || outcome.isRepeated,
                point.position > position + 1
            else { return (point, outcome.isCreated, outcome.isRepeated) }
            record.next = try first(after: position)
        } catch {
            throw Refusal(error)
        }
        let corrected = try await corrected(outcome, record, in: id, request)
        do throws(ChangeError) {
            let point = try restorePoint(name, corrected.document, corrected.change)
            return (point, outcome.isCreated, outcome.isRepeated)
        } catch {
            throw Refusal(error)
        }
    }

    /// Stores a restore point with its right position, unless that was done already.
    private func corrected(
        _ outcome: StoredPoint, _ record: RestorePointRecord, in id: DocumentID,
        _ request: ChangeRequest
    ) async throws(Refusal) -> StoredPoint {
        var again = request
        again.token = nil
        again.precondition = Precondition(match: .these([outcome.document.revision]))
        do throws(Refusal) { return try await store(record, in: id, again) } catch {
            guard outcome.isRepeated else { throw error }
            // By an entry without the key; the point may have moved since.
            var known = outcome
            known.document.tree = record.value(nonce: 0)
            return known
        }
    }

    /// A restore point as an entry stores it.
    private struct StoredPoint {
        var document: Document
        let change: Change
        let isCreated: Bool
        let isRepeated: Bool
    }

    private func store(
        _ record: RestorePointRecord, in id: DocumentID, _ request: ChangeRequest
    ) async throws(Refusal) -> StoredPoint {
        let value = record.value(nonce: .random(in: .min ... .max))
        let outcome = try await outcome(of: request.asOwn(.put(value)), in: id)
        guard case .made(let made, let isRepeated) = outcome else { throw Refusal(.overtaken) }
        return StoredPoint(
            document: made.document, change: made.change, isCreated: outcome.isCreated,
            isRepeated: isRepeated)
    }

    /// Forgets a restore point.
    public func removeRestorePoint(_ name: Name, _ request: ChangeRequest) async throws(Refusal) {
        guard let id = RestorePoint.documents.document(of: name) else { return }
        _ = try await outcome(of: request.asOwn(.delete), in: id)
        fullRecords.forget()
    }

    /// Whether one more restore point has room; some of those whose time is over are removed first
    /// if that is necessary. O(restore points), now and then. Blocks.
    public func hasRoomForRestorePoint(
        upTo most: Int
    ) async throws(ChangeError) -> Bool {
        let set = RestorePoint.documents.prefix
        if fullRecords.isFull(set, at: now()) { return false }
        let names = try restorePointNames()
        var count = names.count
        let least = max(0, count - FullRecords.removedMax)
        var next: Timestamp?
        for name in names where names.count >= most && count > least {
            let (point, revision) = try await storedRestorePoint(name)
            if let expiry = point?.expiry { next = min(next ?? expiry, expiry) }
            guard point == nil else { continue }
            count -= 1
            if let revision { await removeEnded(name, at: revision) }
        }
        if count >= most { fullRecords.note(set, at: now(), until: next) }
        return count < most
    }

    /// Removes a restore point whose time is over, unless another request moves it meanwhile.
    public func removeEnded(_ name: Name, at revision: Int) async {
        var request = ChangeRequest(.delete)
        request.precondition = Precondition(match: .these([revision]))
        try? await removeRestorePoint(name, request)
    }

    private func restorePointNames() throws(ChangeError) -> [Name] {
        try journaled(
            journal.documents(
                prefix: RestorePoint.documents.prefix, after: nil, limit: .max
            ).filter { !$0.isDeleted }.compactMap { RestorePoint.documents.name(of: $0.document) })
    }
}

// MARK: Positions

extension DocumentStore {
    /// The last revision of a document that is not after a position in the order of commits; -1 if
    /// the document is. Blocks.
    public func lastRevision(
        of document: DocumentID, upTo position: Int
    ) throws(ChangeError) -> Int {
        try DocumentPast(document, journal).lastRevision(upTo: position)
    }

    /// A position; of one between the parts of a transaction the one before all parts. Blocks.
    public func uncut(_ position: Int) throws(ChangeError) -> Int {
        try journaled(journal.next(after: position)?.position ?? position)
    }

    /// The first entry of all documents after a position; the first part, where the position would
    /// cut a transaction.
    private func first(after position: Int) throws(ChangeError) -> DocumentRevision? {
        try journaled(journal.next(after: position)?.entry)
    }

    private func restorePoint(
        _ name: Name, _ document: Document, _ change: Change
    ) throws(ChangeError) -> RestorePoint {
        guard let record = RestorePointRecord(document.tree) else {
            throw .journal(.corrupt("the restore point \(name) cannot be read"))
        }
        let position: Int
        do throws(JournalError) {
            // Another daemon may have stored the entry.
            _ = try journal.shared?.newestSequence()
            let own = DocumentRevision(document.id, document.revision)
            let number = try journal.number(of: record.next ?? own, near: record.near)
            guard let number else {
                throw JournalError.corrupt("the entry of the restore point \(name) is missing")
            }
            position = record.next == nil ? number : number - 1
        } catch {
            throw .journal(error)
        }
        return RestorePoint(
            name: name, prefix: record.prefix, position: position, actor: change.actor,
            time: change.time, label: change.label, expiry: record.expiry)
    }
}

extension DocumentPast {
    /// The last revision that is not after a position in the order of commits; -1 if all are.
    func lastRevision(upTo position: Int) throws(ChangeError) -> Int {
        try journaled(journal.lastRevision(of: id, upTo: position))
    }
}

extension Journal {
    /// The first entry after a position, and the position before it. Where that would cut a
    /// transaction, these of its first part. `nil` if there is none.
    fileprivate func next(
        after position: Int
    ) throws(JournalError) -> (entry: DocumentRevision, position: Int)? {
        let page = try entries(after: position, prefix: "", limit: 1)
        guard let entry = page.entries.first?.entry else { return nil }
        let change = try? Change(decoding: entry.body, revision: entry.revision)
        // The parts have numbers in a row. A copy of a part has not.
        if let part = change?.transaction, part.number > 1,
            let first = try number(of: part.leader, near: max(0, position - part.count)),
            (position - part.count...position).contains(first)
        {
            return (part.leader, first - 1)
        }
        return (DocumentRevision(entry.document, entry.revision), position)
    }

    /// The number of an entry; it is sought from `near` on first. `nil` if there is none.
    fileprivate func number(
        of entry: DocumentRevision, near: Int
    ) throws(JournalError) -> Int? {
        if let found = try number(of: entry, after: near) { return found }
        return near > 0 ? try number(of: entry, after: 0) : nil
    }

    private func number(
        of wanted: DocumentRevision, after start: Int
    ) throws(JournalError) -> Int? {
        var position = start
        while true {
            let page = try entries(after: position, of: [wanted.document], limit: 256)
            if let found = page.entries.first(where: { $0.entry.revision == wanted.revision }) {
                return found.sequence
            }
            let isBehind = page.entries.last.map { $0.entry.revision > wanted.revision } ?? false
            // A page may end before the next entry of the document.
            if isBehind || page.end <= position { return nil }
            position = page.end
        }
    }
}
