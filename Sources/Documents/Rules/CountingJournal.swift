import DocumentCore
import Journaling

/// A journal that reports stored entries: all commits but turns pass it.
struct CountingJournal: ForwardingJournal {
    let base: any Journal
    let book: RuleBook
    let committed: CommittedEntries
    let now: @Sendable () -> Timestamp

    func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate] {
        let fates = try base.commit(batch)
        committed.note(batch, fates)
        guard book.isCounting else { return fates }
        let day = DocumentStore.day(at: now())
        for (entry, fate) in zip(batch.entries, fates) {
            if case .stored = fate { book.note(entry, on: day) }
        }
        return fates
    }

    var shared: (any SharedJournal)? { base.shared }
}
