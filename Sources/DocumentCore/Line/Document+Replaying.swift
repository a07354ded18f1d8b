import JSONTree
package import Journaling
package import VersioningKit

extension Document {
    /// Older formats note the content of the tree after a change.
    private static func check(_ tree: JSON, after change: Change) throws(ByteReader.Malformed) {
        guard let hash = change.treeHash, !change.hasKeyedHashes else { return }
        if tree.contentHash != hash { throw ByteReader.Malformed() }
    }

    /// Moves a document on by the entry that follows. `grouping` says how long the version stays
    /// open that an edit begins.
    @discardableResult
    package mutating func replay(
        _ entry: JournalEntry, grouping: Grouping = .none
    ) throws(JournalError) -> Change {
        guard entry.previousChain == chain else {
            throw .corrupt("\(entry.document) has another past before revision \(entry.revision)")
        }
        do {
            let change = try Change(decoding: entry.body, revision: entry.revision)
            if case .foundation(let bytes) = change.kind {
                self = try Document(foundation: bytes, entry)
                return change
            }
            if let hash = change.priorHash,
                !hash.begins(settings.tracking.versionHash(of: tree))
            {
                throw ByteReader.Malformed()
            }
            var tree = self.tree
            // Only one reference, so that the patch is applied in place.
            self.tree = .null
            try tree.apply(change.patch)
            try tree.apply(change.untracked)
            try Document.check(tree, after: change)
            try advance(by: change, to: tree, entry: entry, grouping: grouping)
            return change
        } catch {
            throw .corrupt("\(entry.document) cannot be replayed at revision \(entry.revision)")
        }
    }
}
