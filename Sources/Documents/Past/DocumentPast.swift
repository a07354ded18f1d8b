import DocumentCore
import JSONTree
public import Journaling

/// The journal's entries of a document. Every call blocks: for reader threads only.
public struct DocumentPast: OldChanges {
    public let id: DocumentID
    let journal: any Journal
    /// Called before each page that is read: whether a client still waits for the result.
    let isWanted: @Sendable () -> Bool
    private let room: StateRoom

    init(
        _ id: DocumentID, _ journal: any Journal, within room: StateRoom = .endless,
        while isWanted: @escaping @Sendable () -> Bool = { true }
    ) {
        self.room = room
        self.id = id
        self.journal = journal
        self.isWanted = isWanted
    }

    /// The change at one revision.
    public func change(at revision: Int) throws(ChangeError) -> Change {
        let found = try changes(upTo: revision, limit: 1).last
        guard let found, found.revision == revision else { throw .unknownRevision(revision) }
        return found
    }

    /// The journal's chain at a revision.
    func chain(at revision: Int) throws(ChangeError) -> ChainHash {
        let entry = try journaled(journal.entries(of: id, upTo: revision, limit: 1).last)
        guard let entry, entry.revision == revision else { throw .unknownRevision(revision) }
        return entry.chain
    }

    /// Whether the journal has the history of a document that is in memory, or cannot say so now.
    /// It has another one if entries were rewritten since the document was read.
    func has(_ document: Document) -> Bool {
        if document.life == .unborn { return true }
        do throws(ChangeError) {
            let head = try? journal.head(of: id)
            if let head, head.revision == document.revision { return head.chain == document.chain }
            return try chain(at: document.revision) == document.chain
        } catch {
            if case .unknownRevision = error { return false }
            return true
        }
    }

    /// Changes in order, the last of them at a revision: up to `limit`, fewer if they are large.
    public func changes(upTo revision: Int, limit: Int) throws(ChangeError) -> [Change] {
        try decoded { () throws(JournalError) in
            try journal.entries(of: id, upTo: revision, limit: limit)
        }
    }

    /// Changes in order, the first of them at a revision: up to `limit`, fewer if they are large.
    public func changes(from revision: Int, limit: Int) throws(ChangeError) -> [Change] {
        try decoded { () throws(JournalError) in
            try journal.entries(of: id, from: revision, limit: limit)
        }
    }

    /// Changes that are needed for a request.
    package func changes(_ range: ChangeRange) throws(ChangeError) -> [Change] {
        let changes =
            range.direction == .forward
            ? try changes(from: range.revision, limit: range.limit)
            : try changes(upTo: range.revision, limit: range.limit)
        guard changes.contains(where: { $0.revision == range.revision }) else {
            throw .unknownRevision(range.revision)
        }
        return changes
    }

    /// The outline of the segment that holds a revision; `nil` if it is not packed, or if its
    /// columns do not suffice.
    package func outline(holding revision: Int) throws(ChangeError) -> SegmentOutline? {
        guard isWanted() else { throw .abandoned }
        do throws(JournalError) {
            // Reading the entries reports damage.
            return try journal.segment(of: id, holding: revision).flatMap { segment in
                try? SegmentOutline(segment)
            }
        } catch {
            throw .journal(error)
        }
    }

    private func decoded(
        _ entries: () throws(JournalError) -> [JournalEntry]
    ) throws(ChangeError) -> [Change] {
        guard isWanted() else { throw .abandoned }
        do {
            return try entries().map { entry in
                try Change(decoding: entry.body, revision: entry.revision)
            }
        } catch let error as JournalError {
            throw .journal(error)
        } catch {
            throw .journal(.corrupt("an entry of \(id) cannot be read"))
        }
    }
}

// MARK: States

extension DocumentPast {
    /// The document as it was at a revision.
    public func document(at revision: Int) throws(ChangeError) -> Document {
        let document = try anyDocument(at: revision)
        if document.life == .purged { throw .purged(revision: revision) }
        return document
    }

    /// The same, even if the document was erased then.
    func anyDocument(at revision: Int) throws(ChangeError) -> Document {
        let found = try Replay.document(
            id, from: journal, upTo: revision, within: room, while: isWanted)
        guard let document = found?.document else { throw .unknownDocument }
        guard document.revision == revision else { throw .unknownRevision(revision) }
        return document
    }

    /// The document as it was at a time: after the last change that was accepted by then.
    public func document(at time: Timestamp) throws(ChangeError) -> Document {
        try document(at: revision(at: time))
    }

    /// The last revision that was accepted by `time`. Times never go back in a document, so
    /// O(log n) reads.
    public func revision(at time: Timestamp) throws(ChangeError) -> Int {
        var (low, high) = (0, 1)
        func isThen(_ revision: Int) throws(ChangeError) -> Bool {
            try changes(from: revision, limit: 1).first.map { $0.time <= time } ?? false
        }
        while try isThen(high) { (low, high) = (high, high * 2) }
        guard try isThen(low) else { throw .notYet }
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if try isThen(middle) { low = middle } else { high = middle }
        }
        return low
    }

    /// The result of a request that made a revision. Without the request, the result has no merge.
    func outcome(
        at revision: Int, of request: ChangeRequest?, limits: JSONLimits
    ) throws(ChangeError) -> Outcome {
        var document =
            revision == 0 ? .unborn(id) : try self.document(at: revision - 1)
        let before = document.tree
        do {
            guard let entry = try journal.entries(of: id, upTo: revision, limit: 1).last,
                entry.revision == revision
            else { throw JournalError.corrupt("\(id) has no revision \(revision)") }
            let past = document
            let change = try document.replay(entry)
            let merge = try report(of: request, on: past, at: change.time, limits)
            return .made(
                Transition(
                    change, from: before, to: document, merge: merge,
                    isNewName: change.makesName(in: past)), isRepeated: true)
        } catch let error as ChangeError {
            throw error
        } catch {
            throw .journal(error as? JournalError ?? .corrupt("\(error)"))
        }
    }

    /// The report of a merge, computed again with the same result.
    private func report(
        of request: ChangeRequest?, on document: Document, at time: Timestamp, _ limits: JSONLimits
    ) throws(ChangeError) -> MergeReport? {
        guard var question = request, question.base != nil else { return nil }
        question.token = nil
        question.precondition = Precondition()
        question.isDryRun = true
        question.isQuestion = true
        let base = EarlySource(
            epoch: 0, document: document, time: time, recent: RecentChanges())
        var work = Groundwork()
        do throws(PreparationError) {
            try? work.prepare(question, on: base, limits: limits, from: self)
            return work.early?.closing == nil ? try work.early?.prepared().merge : nil
        } catch {
            guard case .refused(let refusal) = error else { return nil }
            throw refusal
        }
    }
}
