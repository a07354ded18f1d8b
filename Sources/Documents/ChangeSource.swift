import Journaling

/// Where one request gets old changes from: memory, and then pages of the journal.
final class ChangeSource {
    /// Changes that are read at once: undo asks for them one before the other.
    private static let pageSize = 256
    /// What is in memory is read up to here on the caller's thread, which others may wait for; more
    /// is read where it may take its time.
    private static let changesMax = 256

    private let id: DocumentID
    private var recent: RecentChanges
    private let journal: (any Journal)?
    private var page: [Int: Change] = [:]
    /// The revision that was asked for last: whoever goes forward gets the page after it.
    private var last = Int.max
    private var count = 0
    /// Whether a change was asked for that only the journal has, and the journal may not be read.
    private(set) var hasMissed = false
    /// Whom to tell if something is missed.
    private var overflow: ChangeSource?

    /// Without a journal only memory is looked at.
    init(_ id: DocumentID, _ recent: RecentChanges, _ journal: (any Journal)?) {
        self.id = id
        self.recent = recent
        self.journal = journal
    }

    /// A source with the same rights for another request.
    func again(_ recent: RecentChanges) -> ChangeSource {
        let next = ChangeSource(id, recent, journal)
        next.overflow = self
        return next
    }

    /// Gives back the share in the recent changes.
    func release() {
        recent = RecentChanges()
    }

    /// The change at a revision.
    func change(_ revision: Int) throws(ChangeError) -> Change {
        defer { last = revision }
        count += 1
        if journal == nil && count > ChangeSource.changesMax { throw missed(revision) }
        if let body = recent[revision] {
            do {
                return try Change(decoding: body, revision: revision)
            } catch {
                throw .journal(.corrupt("a change in memory cannot be read"))
            }
        }
        if let known = page[revision] { return known }
        guard let journal else { throw missed(revision) }
        try turn(to: revision, journal)
        guard let change = page[revision] else { throw .unknownRevision(revision) }
        return change
    }

    private func missed(_ revision: Int) -> ChangeError {
        hasMissed = true
        overflow?.hasMissed = true
        return .unknownRevision(revision)
    }

    /// Reads the page that ends with a revision; or that begins with it, on the way forward.
    private func turn(to revision: Int, _ journal: any Journal) throws(ChangeError) {
        let limit = ChangeSource.pageSize
        let changes =
            revision > last
            ? try History.changes(of: id, after: revision - 1, limit: limit, journal)
            : try History.changes(of: id, upTo: revision, limit: limit, journal)
        page = [:]
        for change in changes { page[change.revision] = change }
    }
}
