// Where the entries of a document are in the order of commits.

extension Journal {
    /// The last revision of a document that is not after a number in the order of commits; -1 if
    /// all are. O(numbers after it) where the journal scans them.
    public func lastRevision(
        of document: DocumentID, upTo number: Int
    ) throws(JournalError) -> Int {
        // The head is read first: an entry that is committed in between is found after it.
        let head = try head(of: document)?.revision ?? -1
        _ = try shared?.newestSequence()
        var position = number
        while true {
            let page = try entries(after: position, of: [document], limit: 1)
            if let next = page.entries.first { return next.entry.revision - 1 }
            // A page may end before the next entry of the document.
            if page.end <= position { return head }
            position = page.end
        }
    }
}
