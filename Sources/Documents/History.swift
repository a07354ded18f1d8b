import Journaling

/// Reading a document's past from the journal. Blocks.
enum History {
    /// The change at one revision.
    static func change(
        of document: DocumentID, at revision: Int, _ journal: any Journal
    ) throws(ChangeError) -> Change {
        guard let change = try changes(of: document, after: revision - 1, limit: 1, journal).first
        else { throw .unknownRevision(revision) }
        return change
    }

    /// Changes in order, after a revision.
    static func changes(
        of document: DocumentID, after revision: Int, limit: Int, _ journal: any Journal
    ) throws(ChangeError) -> [Change] {
        do {
            return try journal.entries(of: document, after: revision, limit: limit).map { entry in
                try Change(decoding: entry.body, revision: entry.revision)
            }
        } catch let error as JournalError {
            throw .journal(error)
        } catch {
            throw .journal(.corrupt("an entry of \(document) cannot be read"))
        }
    }
}
