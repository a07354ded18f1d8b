import DocumentCore
import JSONTree
public import Journaling
public import Naming
import VersioningKit

/// A request to copy a document's history: the same under another name.
public struct CopyRequest: Sendable {
    /// Whose history it is.
    public var origin: DocumentID
    /// The last revision that is copied, of a document as it is now; blocks.
    public var lastRevision: LastRevision
    /// Whether the origin ends: it is deleted in the commit that stores the copy.
    public var isRename = false
    public var actor: Name
    public var label: String?
    public var promptBy: Name?
    /// About the origin, if it is renamed; otherwise about the copy.
    public var precondition: Precondition
    /// The client's mark, so that the request is not carried out twice.
    public var token: RequestToken?
    /// Whether it is only asked what would happen.
    public var isDryRun = false
    /// Whose name the client has.
    public var tokenName = Name.nobody

    public init(
        of origin: DocumentID, actor: Name = .nobody, label: String? = nil,
        precondition: Precondition = Precondition(),
        upTo lastRevision: @escaping LastRevision = { head, _ in head.revision }
    ) {
        self.origin = origin
        self.lastRevision = lastRevision
        self.actor = actor
        self.label = label
        self.precondition = precondition
    }

    public typealias LastRevision =
        @Sendable (_ head: Document, _ past: DocumentPast) throws(ChangeError) -> Int

    /// The limit on changes that are copied: all of them are one commit, which others wait for.
    public static let changesMax = 100_000
    /// The limit on the bytes of these changes, for the same reason.
    public static let bytesMax = 64 << 20
}

/// A history as it is read for a copy: entries under another name, and the document they lead to.
///
/// The entries have the same bodies, revisions and chain as the original ones: addresses of
/// versions, tags and revisions mean the same in both documents.
struct HistoryReading {
    private let past: DocumentPast
    private let id: DocumentID
    private var found: LoadedDocument
    private var copies: [JournalEntry] = []
    private var bytes = 0

    /// Begins to copy a past under the name `id`. Revisions up to `last` are going to be read.
    init(_ past: DocumentPast, as id: DocumentID, upTo last: Int) throws(ChangeError) {
        (self.past, self.id) = (past, id)
        do throws(JournalError) {
            found = try Replay.beginning(of: past.id, from: past.journal, notAfter: last)
        } catch {
            throw .journal(error)
        }
    }

    /// The last entry that was read.
    var head: JournalHead? { copies.last?.head }

    /// Reads up to a revision, from where it has read to.
    mutating func read(upTo last: Int) throws(ChangeError) {
        while copies.count <= last {
            guard past.isWanted() else { throw .abandoned }
            guard last < CopyRequest.changesMax else { throw HistoryReading.tooLong }
            do throws(JournalError) {
                let page = try past.journal.entries(
                    of: past.id, from: copies.count,
                    limit: min(HistoryReading.pageSize, last + 1 - copies.count))
                if page.isEmpty { throw .corrupt("\(past.id) has no revision \(copies.count)") }
                for entry in page { try add(entry) }
            } catch {
                throw .journal(error)
            }
            guard bytes <= CopyRequest.bytesMax else { throw HistoryReading.tooLong }
        }
    }

    private mutating func add(_ entry: JournalEntry) throws(JournalError) {
        let copy = JournalEntry(
            document: id, revision: entry.revision, body: entry.body,
            following: copies.last?.chain ?? .start, lifecycle: entry.lifecycle)
        if entry.revision >= found.document.nextRevision {
            found.requests.note(try found.document.replay(entry))
        }
        if copy.revision == found.document.revision, copy.chain != found.document.chain {
            // It was rewritten while it was read.
            throw .conflict
        }
        copies.append(copy)
        bytes += copy.body.count
    }

    private static let pageSize = 1_000

    private static let tooLong = ChangeError.tooLongToCopy(
        changesMax: CopyRequest.changesMax, bytesMax: CopyRequest.bytesMax)

    /// The entries of the copy, made of all entries read, when the original is `head`.
    func copy(
        _ request: CopyRequest, of head: Document, at now: Timestamp
    ) throws(ChangeError) -> HistoryCopy {
        var document = found.document
        document.history.seal()
        if let absence = document.absence { throw absence }
        // Entries trimmed since must not return.
        guard document.oldestRevision >= head.oldestRevision else {
            throw .trimmed(oldest: head.oldestRevision)
        }
        if request.isRename, let token = request.token,
            let revision = try found.requests.revision(of: token)
        {
            throw .otherRequest(key: token.key, revision: revision)
        }
        document.id = id
        return try HistoryCopy(copies, document, found.requests, request, at: now)
    }

    /// The entries of a rename, made of all entries read, if no others follow: the rename ends the
    /// original.
    func renaming(
        _ request: CopyRequest, at now: Timestamp
    ) throws(ChangeError) -> HistoryCopy {
        var head = found.document
        head.history.seal()
        if let absence = head.absence { throw absence }
        try request.checkPrecondition(head)
        var copy = try copy(request, of: head, at: now)
        copy.end(head, request, at: now)
        return copy
    }
}

/// A history under another name, with a change behind it that says where it is from.
struct HistoryCopy {
    /// The copy after the last change.
    private(set) var document: Document
    /// Says where it is from.
    let change: Change
    /// The entries to store, all or none.
    private(set) var entries: [JournalEntry]
    let checkpoint: Checkpoint

    fileprivate init(
        _ copies: [JournalEntry], _ original: Document, _ requests: RequestLog,
        _ request: CopyRequest, at now: Timestamp
    ) throws(ChangeError) {
        var (document, requests) = (original, requests)
        change = HistoryCopy.change(request, of: document, at: now)
        let entry = change.entry(following: document)
        do { try document.advance(by: change, to: document.tree, entry: entry) } catch {
            throw .version(error)
        }
        requests.note(change)
        checkpoint = document.checkpoint(requests)
        entries = copies + [entry]
        self.document = document
    }

    private static func change(
        _ request: CopyRequest, of document: Document, at now: Timestamp
    ) -> Change {
        let origin = Change.Origin(
            document: request.origin, revision: document.revision, isRename: request.isRename)
        var change = document.change(
            .copy(of: origin), by: request.actor, at: now, label: request.label)
        change.token = request.token
        change.promptBy = request.promptBy
        return change
    }

    /// Deletes the document that is renamed.
    fileprivate mutating func end(_ head: Document, _ request: CopyRequest, at now: Timestamp) {
        let label = "renamed to \(document.id)"
        var change = head.change(.delete, by: request.actor, at: now, label: label)
        change.renamedTo = document.id
        change.promptBy = request.promptBy
        entries.append(change.entry(following: head))
    }
}

extension CopyRequest {
    /// Whether a document may be renamed as it is.
    func checkPrecondition(_ head: Document) throws(ChangeError) {
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
        change.priorHash = hashOfVersion(endedBy: kind)
        return change
    }
}
