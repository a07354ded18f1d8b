public import Journaling
import Threading

// Rewriting the entries of a document, so that something in them is erased.

extension SQLiteJournal {
    /// See `Journal.rewrite`. The writer waits only for what was committed to the document
    /// meanwhile, and for one commit that is as large as the document's packed history.
    ///
    /// Throws `.unavailable` after the commit if a reader keeps the log from being emptied.
    public func rewrite(
        _ document: DocumentID, by rewriting: any EntryRewriting
    ) throws(JournalError) -> Bool {
        var draft = RewrittenEntries(columns)
        try extend(&draft, of: document, by: rewriting)
        return try withWriter { writer throws(JournalError) in
            // What was committed meanwhile. Nothing is from now on.
            try extend(&draft, of: document, by: rewriting)
            guard let head = draft.head else { return false }
            switch try rewriting.end(after: head) {
            case .nothing: return false
            case .stored: break
            case .adding(let entry): try draft.add(entry, writer.mark.sequence + 1)
            }
            let (rewritten, last) = try draft.finished()
            // The mark on the disk must not be older than the one that will be remembered.
            try highWater?.sync()
            try writer.commit(rewritten, last: last)
            committed.withLock { $0 = writer.mark.sequence }
            segments.removeAll()
            try replaceMark(&writer)
            try rewriting.leavesNothing ? writer.finishErasure() : writer.endRewriting()
            return true
        }
    }

    /// Into both places of the mark, so that nothing is left of the chain of what was erased.
    private func replaceMark(_ writer: inout SQLiteWriter) throws(JournalError) {
        do throws(JournalError) {
            for _ in 0..<2 { try highWater?.rise(to: writer.mark) }
            try highWater?.sync()
        } catch {
            writer.stop("\(error)")
            throw error
        }
    }

    /// Reads and rewrites up to the end that there is now.
    private func extend(
        _ draft: inout RewrittenEntries, of document: DocumentID, by rewriting: any EntryRewriting
    ) throws(JournalError) {
        while true {
            let next = draft.nextRevision
            let entries = try reading { reader throws(SQLiteError) in
                try reader.numbered(of: document, from: next)
            }
            if entries.isEmpty { return }
            for (sequence, entry) in entries {
                try draft.add(entry, sequence, body: rewriting.body(of: entry))
            }
        }
    }
}
