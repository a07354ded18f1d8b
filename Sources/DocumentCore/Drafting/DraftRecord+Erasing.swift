package import JSONTree

// The record of a draft as it would be if some places had never existed.

extension DraftRecord {
    /// The record without what it does at places, of a draft that was `tree`.
    package func erasing(_ places: [PointerPattern], of tree: JSON) throws -> DraftRecord {
        try erasing(places, common: tree.applying(ahead.inverse))
    }

    fileprivate func erasing(_ places: [PointerPattern], common: JSON) throws -> DraftRecord {
        var (draft, origin) = (common, common)
        var record = DraftRecord(
            of: self.origin, at: originRevision,
            ahead: try ahead.erasing(places, applyingTo: &draft), by: authors,
            behind: try behind.erasing(places, applyingTo: &origin))
        // Where an edit is gone, it is not known whose the others are.
        if record.ahead.count == ahead.count { record.authorNumbers = authorNumbers }
        return record
    }
}

extension DraftState {
    /// The same of all records.
    package func erasing(_ places: [PointerPattern]) throws -> DraftState {
        var state = self
        state.records = try records.map { entry in
            Entry(
                revision: entry.revision, kind: entry.kind,
                record: try entry.record.erasing(places, common: entry.common),
                common: entry.common.without(places))
        }
        return state
    }
}
