public import Journaling
import Threading

// Rewriting the entries of a document, so that something in them is erased.

extension SQLiteJournal {
    /// See `Journal.rewrite`. The writer waits only for changes committed to the document
    /// meanwhile, and for one commit of the size of the document's packed history.
    ///
    /// Throws `.leftovers` after the commit if something is left in the files; `checkRoom` removes
    /// it later. An erasure that finds no room uses the reserve.
    public func rewrite(
        _ document: DocumentID, by rewriting: any EntryRewriting
    ) throws(JournalError) -> Bool {
        // Without room, the journal also has no writer.
        if rewriting.leavesNothing, fault != nil { _ = room.useReserve() }
        defer { if rewriting.leavesNothing { room.keepReserve() } }
        var draft = RewrittenEntries(columns)
        try extend(&draft, of: document, by: rewriting)
        return try withWriter { marked throws(JournalError) in
            // Adds the changes committed meanwhile. From now on, none are committed.
            try extend(&draft, of: document, by: rewriting)
            guard let head = draft.head else { return false }
            switch try rewriting.end(after: head) {
            case .nothing: return false
            case .stored: break
            case .adding(let entry): try draft.add(entry, marked.writer.mark.sequence + 1)
            }
            let (rewritten, last) = try draft.finished()
            // The mark on the disk must not be older than the one that will be remembered.
            try marked.highWater.sync()
            try commit(rewritten, last, &marked.writer, mayUseReserve: rewriting.leavesNothing)
            committed.withLock { $0 = marked.writer.mark.sequence }
            segments.removeAll()
            try marked.replaceMark()
            try rewriting.leavesNothing
                ? marked.writer.finishErasure() : marked.writer.endRewriting()
            return true
        }
    }

    private func commit(
        _ segments: [Segment], _ last: Segment.Numbered, _ writer: inout SQLiteWriter,
        mayUseReserve: Bool
    ) throws(JournalError) {
        do throws(JournalError) { try writer.commit(segments, last: last) } catch {
            guard case .full = error, mayUseReserve, room.useReserve() else { throw error }
            try writer.commit(segments, last: last)
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
