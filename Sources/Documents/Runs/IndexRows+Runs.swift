import DocumentCore
import Journaling
import Naming

// Runs in the rows of the index.

extension IndexRows {
    /// The edits of a run in a document; `nil` if it made none.
    func count(of run: Name, in document: DocumentID) throws(JournalError) -> RunCount? {
        try value(RunKey.count(run, document)).flatMap { RunCount(bytes: $0) }
    }

    /// Notes an edit of a run. It is not counted if a count of the whole document contains it.
    mutating func note(
        _ change: Change, of run: Name, in document: DocumentID, _ sequence: Int
    ) throws(JournalError) {
        let known = try count(of: run, in: document)
        var count = known ?? RunCount(at: change.time, last: sequence)
        if try isNew(change.revision, in: document) { count.note(change) }
        try set(count, of: run, in: document, last: sequence)
    }

    /// Notes that edits went out of effect by the change of a revision: for each its run. `actor`:
    /// as in `RunEvent`.
    mutating func noteUndo(
        of runs: [Name], by actor: Name?, in document: DocumentID, at revision: Int
    ) throws(ChangeError) {
        do throws(JournalError) {
            guard try isNew(revision, in: document) else { return }
            for run in runs {
                guard var count = try count(of: run, in: document) else { continue }
                if actor == run { count.edits -= 1 } else { count.undone += 1 }
                set(RunKey.count(run, document), count.bytes)
            }
        } catch {
            throw .journal(error)
        }
    }

    /// Notes a change of a run that is not an edit.
    mutating func noteOther(
        _ change: Change, of run: Name, in document: DocumentID
    ) throws(JournalError) {
        guard try isNew(change.revision, in: document) else { return }
        var others = try others(of: run, in: document) ?? OtherChanges()
        if others.note(change) { set(others, of: run, in: document) }
    }

    /// The changes of a run in a document that are not edits; `nil` if there are none.
    func others(of run: Name, in document: DocumentID) throws(JournalError) -> OtherChanges? {
        try value(RunKey.others(run, document)).flatMap { OtherChanges(bytes: $0) }
    }

    private mutating func set(_ others: OtherChanges, of run: Name, in document: DocumentID) {
        set(RunKey.others(run, document), others.bytes)
        set(RunKey.member(document, run), [])
    }

    /// Whether a revision is not contained in a count of the whole document.
    private func isNew(_ revision: Int, in document: DocumentID) throws(JournalError) -> Bool {
        let counted = try value(RunKey.counted(document)).flatMap {
            Int(String(decoding: $0, as: UTF8.self))
        }
        return revision > counted ?? -1
    }

    /// Whether runs have changed a document.
    mutating func hasRuns(_ document: DocumentID) throws(JournalError) -> Bool {
        try !runs(of: document, limit: 1).isEmpty
    }

    /// The runs that have changed a document.
    mutating func runs(
        of document: DocumentID, limit: Int = .max
    ) throws(JournalError) -> [Name] {
        let beginning = RunKey.members(document)
        return try rows(from: beginning, before: RunKey.end(of: beginning), limit: limit)
            .map { Name(RunKey.text(of: $0.key, after: beginning.count)) }
    }

    /// Sets the edits of a run in a document, and the number of the run's last edit.
    mutating func set(
        _ count: RunCount, of run: Name, in document: DocumentID, last: Int
    ) throws(JournalError) {
        var count = count
        count.last = max(count.last, last)
        set(RunKey.count(run, document), count.bytes)
        set(RunKey.member(document, run), [])
        try move(run, to: max(last, newest(of: run)))
    }

    /// The number of the last edit of a run; 0 if there is none.
    func newest(of run: Name) throws(JournalError) -> Int {
        try value(RunKey.run(run)).flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    private mutating func move(_ run: Name, to last: Int) throws(JournalError) {
        let former = try newest(of: run)
        if former == last { return }
        if former > 0 { set(RunKey.recency(run, last: former), nil) }
        set(RunKey.run(run), last == 0 ? nil : Array("\(last)".utf8))
        if last > 0 { set(RunKey.recency(run, last: last), []) }
    }

    /// The numbers of the last edits of all runs in a document.
    mutating func lasts(in document: DocumentID) throws(JournalError) -> [Name: Int] {
        var lasts: [Name: Int] = [:]
        for run in try runs(of: document) { lasts[run] = try count(of: run, in: document)?.last }
        return lasts
    }

    /// Puts the counts and other changes of all runs of a document in the place of the known ones.
    /// `revision`: up to which they contain its changes. `lasts`: the numbers of the last edits,
    /// where no row has them; `position` where that is unknown.
    mutating func replace(
        _ counts: [Name: RunCount], _ others: [Name: OtherChanges], in document: DocumentID,
        at revision: Int, lasts: [Name: Int], position: Int
    ) throws(JournalError) {
        for run in try runs(of: document) {
            if counts[run] == nil { try remove(run, from: document) }
            let isOther = try self.others(of: run, in: document) != nil
            if isOther, others[run] == nil { set(RunKey.others(run, document), nil) }
        }
        for (run, new) in others { set(new, of: run, in: document) }
        for (run, new) in counts {
            var count = new
            let former = try self.count(of: run, in: document)
            count.last = former?.last ?? lasts[run] ?? position
            try set(count, of: run, in: document, last: count.last)
        }
        let isNone = counts.isEmpty && others.isEmpty
        set(RunKey.counted(document), isNone ? nil : Array("\(revision)".utf8))
        if try value(RunKey.uncounted(document)) != nil { set(RunKey.uncounted(document), nil) }
    }

    /// Removes a run from a document. Its last edit is then that of another document.
    private mutating func remove(
        _ run: Name, from document: DocumentID
    ) throws(JournalError) {
        set(RunKey.member(document, run), nil)
        guard let last = try count(of: run, in: document)?.last else { return }
        set(RunKey.count(run, document), nil)
        if try last < newest(of: run) { return }
        let beginning = RunKey.counts(run)
        let rest = try rows(from: beginning, before: RunKey.end(of: beginning), limit: .max)
        try move(run, to: rest.compactMap { RunCount(bytes: $0.value)?.last }.max() ?? 0)
    }
}
