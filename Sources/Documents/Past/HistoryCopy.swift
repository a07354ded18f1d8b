import JSONTree
public import Journaling
public import Naming

/// What somebody wants of a document's history: the same under another name.
public struct CopyRequest: Sendable {
    /// Whose history it is.
    public var origin: DocumentID
    /// The last revision that is copied; `nil` for the newest.
    public var revision: Int?
    /// Whether the origin ends: it is deleted in the commit that stores the copy.
    public var isRename = false
    public var actor: Name
    public var label: String?
    /// About the origin, if it is renamed; otherwise about the copy.
    public var precondition: Precondition
    /// The client's mark, so that the request is not carried out twice.
    public var token: RequestToken?
    /// Whether it is only asked what would happen.
    public var isDryRun = false

    public init(
        of origin: DocumentID, upTo revision: Int? = nil, actor: Name = .nobody,
        label: String? = nil, precondition: Precondition = Precondition()
    ) {
        self.origin = origin
        self.revision = revision
        self.actor = actor
        self.label = label
        self.precondition = precondition
    }

    /// The limit on changes that are copied: all of them are one commit, which others wait for.
    public static let changesMax = 100_000
    /// The limit on the bytes of these changes, for the same reason.
    public static let bytesMax = 64 << 20
}

/// A history under another name, with a change behind it that says where it is from.
///
/// The entries have the same bodies, revisions and chain as the original ones: addresses of
/// versions, tags and revisions mean the same in both documents.
struct HistoryCopy {
    /// The copy after the last change.
    let document: Document
    /// Says where it is from.
    let change: Change
    /// The original's entries under the new name.
    let copied: [JournalEntry]
    /// What is stored behind them.
    private let added: [JournalEntry]
    let checkpoint: Checkpoint

    /// What is stored, all or nothing.
    var entries: [JournalEntry] { copied + added }

    /// Makes a copy under the name `id`. Blocks: reads all that is copied, but for `known`, the
    /// first of the copied entries.
    init(
        _ request: CopyRequest, as id: DocumentID, of head: Document, _ past: DocumentPast,
        known: [JournalEntry], at now: Timestamp
    ) throws(ChangeError) {
        if let absence = head.absence { throw absence }
        if request.isRename { try request.checkPrecondition(head) }
        let last = request.isRename ? head.revision : request.revision ?? head.revision
        guard last <= head.revision else { throw .unknownRevision(last) }
        copied = try HistoryCopy.entries(of: past, after: known, upTo: last, as: id)
        let found = try Replay.document(
            request.origin, from: past.journal, upTo: last, while: past.isWanted)
        guard var document = found?.document, document.chain == copied.last?.chain else {
            // Its history was rewritten meanwhile.
            throw .journal(.conflict)
        }
        if let absence = document.absence { throw absence }
        // What was trimmed since must not come back.
        guard document.oldestRevision >= head.oldestRevision else {
            throw .trimmed(oldest: head.oldestRevision)
        }
        document.id = id
        let change = HistoryCopy.change(request, of: document, at: now)
        let entry = change.entry(following: document)
        do { try document.advance(by: change, to: document.tree, entry: entry) } catch {
            throw .version(error)
        }
        var requests = found?.requests ?? RequestLog()
        if request.isRename, let token = request.token,
            let revision = try requests.revision(of: token)
        {
            throw .otherRequest(key: token.key, revision: revision)
        }
        requests.note(change)
        checkpoint = document.checkpoint(requests)
        added =
            [entry] + (request.isRename ? [HistoryCopy.end(of: head, request, id, at: now)] : [])
        (self.document, self.change) = (document, change)
    }

    /// The entries of a document under another name.
    private static func entries(
        of past: DocumentPast, after known: [JournalEntry], upTo last: Int, as id: DocumentID
    ) throws(ChangeError) -> [JournalEntry] {
        var copies = known
        var bytes = known.reduce(0) { $0 + $1.body.count }
        while copies.count <= last {
            guard past.isWanted() else { throw .abandoned }
            guard last < CopyRequest.changesMax, bytes < CopyRequest.bytesMax else {
                throw .tooLongToCopy(
                    changesMax: CopyRequest.changesMax, bytesMax: CopyRequest.bytesMax)
            }
            let page: [JournalEntry]
            do throws(JournalError) {
                page = try past.journal.entries(
                    of: past.id, from: copies.count, limit: min(pageSize, last + 1 - copies.count))
            } catch {
                throw .journal(error)
            }
            guard !page.isEmpty else { throw .unknownRevision(last) }
            for entry in page {
                copies.append(
                    JournalEntry(
                        document: id, revision: entry.revision, body: entry.body,
                        following: copies.last?.chain ?? .start, lifecycle: entry.lifecycle))
                bytes += entry.body.count
            }
        }
        return copies
    }

    private static let pageSize = 1_000

    private static func change(
        _ request: CopyRequest, of document: Document, at now: Timestamp
    ) -> Change {
        let origin = Change.Origin(
            document: request.origin, revision: document.revision, isRename: request.isRename)
        var change = document.change(
            .copy(of: origin), by: request.actor, at: now, label: request.label)
        change.token = request.token
        return change
    }

    /// The deletion of a document that is renamed.
    private static func end(
        of head: Document, _ request: CopyRequest, _ id: DocumentID, at now: Timestamp
    ) -> JournalEntry {
        head.change(.delete, by: request.actor, at: now, label: "renamed to \(id)")
            .entry(following: head)
    }
}

extension CopyRequest {
    /// Whether a document may be renamed as it is.
    fileprivate func checkPrecondition(_ head: Document) throws(ChangeError) {
        guard precondition.holds(for: head.revision) else { throw .stale(head: head.revision) }
        if head.settings.requiresMatch && precondition.match == nil {
            throw .matchRequired(head: head.revision)
        }
    }
}

extension Document {
    /// A change that leaves the tree alone.
    fileprivate func change(
        _ kind: Change.Kind, by actor: Name, at now: Timestamp, label: String?
    ) -> Change {
        var change = Change(
            revision: nextRevision, kind: kind, patch: .empty, actor: actor, time: max(now, time),
            label: label)
        if endsVersion(before: kind) {
            change.priorHash = settings.tracking.versionHash(of: tree)
        }
        return change
    }
}
