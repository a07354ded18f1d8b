import Journaling

/// A journal that tells what it stored, entry by entry: the only place that everything passes.
struct CountingJournal: ForwardingJournal {
    let base: any Journal
    let note: @Sendable (JournalEntry) -> Void

    func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate] {
        let fates = try base.commit(batch)
        for (entry, fate) in zip(batch.entries, fates) {
            if case .stored = fate { note(entry) }
        }
        return fates
    }

    var shared: (any SharedJournal)? { base.shared }
}
