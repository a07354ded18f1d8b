import JSONTree
import Journaling
import VersioningKit

/// Journal → document, by the function that live changes use.
enum Replay {
    /// Entries that are read at once.
    private static let pageSize = 1_000

    /// The document at its head, or `nil` if the journal does not know it. Restart seals.
    static func document(
        _ id: DocumentID, from journal: any Journal, upTo last: Int = .max,
        usingCheckpoints: Bool = true
    ) throws(ChangeError) -> (document: Document, replayed: Int)? {
        do {
            var document = Document.unborn(id)
            if usingCheckpoints, let stored = try journal.checkpoint(of: id, notAfter: last),
                let restored = try? Document(stored)
            {
                document = restored
            }
            let replayed = try advance(&document, upTo: last, journal)
            document.history.seal()
            return document.revision < 0 ? nil : (document, replayed)
        } catch {
            throw .journal(error)
        }
    }

    private static func advance(
        _ document: inout Document, upTo last: Int, _ journal: any Journal
    ) throws(JournalError) -> Int {
        var replayed = 0
        while document.revision < last {
            let entries = try journal.entries(
                of: document.id, after: document.revision, limit: pageSize)
            for entry in entries where entry.revision <= last {
                try advance(&document, by: entry)
            }
            replayed += entries.count
            if entries.count < pageSize { break }
        }
        return replayed
    }

    /// Moves a document on by the entry that follows.
    @discardableResult
    static func advance(
        _ document: inout Document, by entry: JournalEntry
    ) throws(JournalError) -> Change {
        guard entry.previousChain == document.chain else {
            throw .corrupt("\(entry.document) has another past before revision \(entry.revision)")
        }
        do {
            let change = try Change(decoding: entry.body, revision: entry.revision)
            var tree = document.tree
            // Only one reference, so that the patch is applied in place.
            document.tree = .null
            try tree.apply(change.patch)
            guard tree.contentHash == change.treeHash else { throw ByteReader.Malformed() }
            try document.advance(by: change, to: tree, chain: entry.chain)
            return change
        } catch {
            throw .corrupt("\(entry.document) cannot be replayed at revision \(entry.revision)")
        }
    }
}
