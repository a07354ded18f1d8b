import DocumentCore
import JSONTree
public import Journaling
import Naming
import VersioningKit

/// Frees the disk of changes that the bounds on a document's history have forgotten.
///
/// One change becomes a base: the document as it was then. Those before it stay as numbers without
/// content. Forgotten changes were already unreadable; nothing else changes.
public final class Forgetting: EntryRewriting {
    private let last: Int
    /// As it was stored, before the next entry.
    private var document: Document
    private var isNeeded = false

    /// Fewer changes are not worth rewriting the rest.
    static let countMin = 4_096

    private init(_ id: DocumentID, upTo last: Int) {
        document = .unborn(id)
        self.last = last
    }

    /// Forgets what is to be forgotten of a document, if that is enough to be worth it. Returns
    /// whether its entries were rewritten. Blocks, for as long as a replay.
    ///
    /// Changes of the last day stay, whatever the bounds are: a request that is sent again must be
    /// known.
    public static func forget(
        _ id: DocumentID, in journal: any Journal, at now: Timestamp
    ) throws(ChangeError) -> Bool {
        guard let head = try Replay.document(id, from: journal)?.document else { return false }
        return try forget(head, in: journal, at: now)
    }

    static func forget(
        _ head: Document, in journal: any Journal, at now: Timestamp
    ) throws(ChangeError) -> Bool {
        guard head.oldestRevision > countMin else { return false }
        let past = DocumentPast(head.id, journal)
        let yesterday = Timestamp(
            milliseconds: now.milliseconds - Int(RequestLog.age / .milliseconds(1)))
        guard let old = try? past.revision(at: yesterday) else { return false }
        let last = min(head.oldestRevision - 1, old)
        guard last >= countMin, try !past.change(at: last - countMin).isForgotten else {
            return false
        }
        let forgetting = Forgetting(head.id, upTo: last)
        return try journaled(journal.rewrite(head.id, by: forgetting))
    }

    public var leavesNothing: Bool { false }

    public func body(of entry: JournalEntry) throws(JournalError) -> [UInt8] {
        guard entry.revision <= last else { return entry.body }
        let change = try document.replay(entry)
        if entry.revision == last {
            isNeeded = true
            var foundation = Change(
                revision: last, kind: .foundation(document.checkpoint(RequestLog()).body),
                patch: .empty, actor: .nobody, time: change.time, label: nil)
            foundation.transaction = change.transaction
            return foundation.encoded()
        }
        // That something was erased stays recorded.
        if case .purge = change.kind { return entry.body }
        var forgotten = Change(
            revision: entry.revision, kind: .forgotten, patch: .empty, actor: .nobody,
            time: Timestamp(milliseconds: 0), label: nil)
        // Other documents' parts are undone together, and name all of them by the first one.
        forgotten.transaction = change.transaction
        return forgotten.encoded()
    }

    public func end(after head: JournalHead) -> RewritingEnd {
        isNeeded ? .stored : .nothing
    }
}

extension Change {
    fileprivate var isForgotten: Bool {
        switch kind {
        case .forgotten, .foundation: true
        default: false
        }
    }
}
