import DocumentCore
import Journaling
import Naming

/// A page of runs, the one with the newest edit first.
public struct RunPage: Sendable {
    public internal(set) var runs: [Run] = []
    /// The next page is about runs whose last edit is before this number; `nil`: there is none.
    public internal(set) var next: Int?

    /// The limit on runs that are scanned for one page.
    static let scannedMax = 1_000
}

extension IndexRows {
    /// Runs whose last edit is before a number. `label` reads the label of a change.
    mutating func page(
        before number: Int, limit: Int, _ query: RunQuery, at now: Timestamp,
        label: (DocumentRevision) -> String?
    ) throws(JournalError) -> RunPage {
        var page = RunPage()
        // Most daemons have no open run.
        let mayBeOpen = try !rows(
            from: RunKey.openings, before: RunKey.end(of: RunKey.openings), limit: 1
        ).isEmpty
        var next = RunKey.end(of: RunKey.recency(before: number))
        var scanned = 0
        var last: Int?
        while true {
            let found = try rows(from: next, before: RunKey.endOfRecencies, limit: limit)
            for row in found {
                if page.runs.count == limit || scanned == RunPage.scannedMax {
                    page.next = last
                    return page
                }
                (next, last) = (row.key + [0], RunKey.last(ofRecency: row.key))
                scanned += 1
                let name = Name(RunKey.text(of: row.key, after: RunKey.recencyBytes))
                guard query.mayWant(name),
                    var run = try run(
                        name, prefix: query.prefix, at: now, mayBeOpen: mayBeOpen)
                else {
                    continue
                }
                run.label = run.labelled.flatMap(label)
                if query.wants(run) { page.runs.append(run) }
            }
            if found.count < limit { return page }
        }
    }

    /// A run in documents of a prefix; `nil` if it has no edits there. `mayBeOpen`: whether a run
    /// was opened and not closed.
    mutating func run(
        _ name: Name, prefix: String, at now: Timestamp, mayBeOpen: Bool = true
    ) throws(JournalError) -> Run? {
        let counts = try counts(of: name, prefix: prefix, after: nil, limit: .max)
        let opening = mayBeOpen ? try opening(of: name) : nil
        guard var run = Run(name, counts, opening) else { return nil }
        if let opening {
            // An edit in any other document also keeps it open.
            let edited = prefix.isEmpty ? counts.map(\.count.ended).max() : try lastEdit(of: name)
            let expiry = opening.expiry(edited: edited)
            if expiry > now { run.expiry = expiry }
        }
        return run
    }

    /// A run that is open and has no edits; `nil` if it is not.
    mutating func runWithoutEdits(
        _ name: Name, at now: Timestamp
    ) throws(JournalError) -> Run? {
        guard let opening = try opening(of: name), let open = try openRun(name, at: now) else {
            return nil
        }
        var run = Run(name, opening)
        run.expiry = open.expiry
        return run
    }

    /// The edits of a run in documents of a prefix, in the order of their names, after a name.
    mutating func counts(
        of run: Name, prefix: String, after name: String?, limit: Int
    ) throws(JournalError) -> [(document: DocumentID, count: RunCount)] {
        let beginning = RunKey.counts(run)
        // A name before the prefix leads to no document outside of it.
        let names = Array(prefix.utf8)
        let start: [UInt8] = name.map { $0.utf8 + [0] } ?? []
        let first = beginning + (start.lexicographicallyPrecedes(names) ? names : start)
        return try rows(from: first, before: RunKey.end(of: beginning + names), limit: limit)
            .compactMap { row in
                guard
                    let document = DocumentID(RunKey.text(of: row.key, after: beginning.count)),
                    let count = RunCount(bytes: row.value)
                else { return nil }
                return (document, count)
            }
    }
}
