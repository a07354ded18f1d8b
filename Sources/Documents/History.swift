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

    /// The last revision that was accepted by `time`. Times never go back in a document, so
    /// O(log n) reads.
    static func revision(
        of document: DocumentID, at time: Timestamp, _ journal: any Journal
    ) throws(ChangeError) -> Int {
        var (low, high) = (0, 1)
        func isThen(_ revision: Int) throws(ChangeError) -> Bool {
            let change = try changes(of: document, after: revision - 1, limit: 1, journal).first
            return change.map { $0.time <= time } ?? false
        }
        while try isThen(high) { (low, high) = (high, high * 2) }
        guard try isThen(low) else { throw .notYet }
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if try isThen(middle) { low = middle } else { high = middle }
        }
        return low
    }

    /// Changes in order, the last of them at a revision: up to `limit`, fewer if they are large.
    static func changes(
        of document: DocumentID, upTo revision: Int, limit: Int, _ journal: any Journal
    ) throws(ChangeError) -> [Change] {
        try decoded(document) { () throws(JournalError) in
            try journal.entries(of: document, upTo: revision, limit: limit)
        }
    }

    /// Changes in order, after a revision.
    static func changes(
        of document: DocumentID, after revision: Int, limit: Int, _ journal: any Journal
    ) throws(ChangeError) -> [Change] {
        try decoded(document) { () throws(JournalError) in
            try journal.entries(of: document, after: revision, limit: limit)
        }
    }

    private static func decoded(
        _ document: DocumentID, _ entries: () throws(JournalError) -> [JournalEntry]
    ) throws(ChangeError) -> [Change] {
        do {
            return try entries().map { entry in
                try Change(decoding: entry.body, revision: entry.revision)
            }
        } catch let error as JournalError {
            throw .journal(error)
        } catch {
            throw .journal(.corrupt("an entry of \(document) cannot be read"))
        }
    }
}
