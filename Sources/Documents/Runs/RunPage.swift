import DocumentCore
import Journaling
import Naming

/// A page of runs, the one with the newest edit first. An open run without edits counts from where
/// it was opened.
public struct RunPage: Sendable {
    public internal(set) var runs: [Run] = []
    /// The next page is about runs before this number; `nil`: there is none.
    public internal(set) var next: Int?

    /// The limit on runs that are scanned for one page.
    static let scannedMax = 1_000
}

/// A run with its place in the list.
private struct PlacedRun {
    let name: Name
    let number: Int
    /// Whether it is the place of the opening, and not of the last edit.
    let isOpening: Bool

    init(recency row: IndexRow) {
        name = Name(RunKey.text(of: row.key, after: RunKey.recencyBytes))
        (number, isOpening) = (RunKey.last(ofRecency: row.key), false)
    }

    init(opening row: IndexRow, number: Int) {
        name = Name(RunKey.text(of: row.key, after: RunKey.openings.count))
        (self.number, isOpening) = (number, true)
    }
}

extension IndexRows {
    /// Runs whose last edit is before a number; without edits, the opening. `label` reads the label
    /// of a change.
    mutating func page(
        before number: Int, limit: Int, _ query: RunQuery, at now: Timestamp,
        label: (DocumentRevision) -> String?
    ) throws(JournalError) -> RunPage {
        var page = RunPage()
        // Most daemons have no open run.
        let openings = try rows(
            from: RunKey.openings, before: RunKey.end(of: RunKey.openings),
            limit: query.listsUnedited ? .max : 1)
        let mayBeOpen = !openings.isEmpty
        var opened = query.listsUnedited ? opened(openings, before: number, at: now) : []
        var next = RunKey.end(of: RunKey.recency(before: number))
        var scanned = 0
        var last: Int?
        while true {
            let found = try rows(from: next, before: RunKey.endOfRecencies, limit: limit)
            let isAtEnd = found.count < limit
            var runs = found.map(PlacedRun.init(recency:))
            let reach = isAtEnd ? -1 : runs.last?.number ?? -1
            while let run = opened.last, run.number > reach {
                runs.append(run)
                opened.removeLast()
            }
            for place in runs.sorted(by: { $0.number > $1.number }) {
                if page.runs.count == limit || scanned == RunPage.scannedMax {
                    page.next = last
                    return page
                }
                last = place.number
                scanned += 1
                guard
                    var run = try run(place, query, at: now, mayBeOpen: mayBeOpen)
                else { continue }
                run.label = run.labelled.flatMap(label)
                if query.wants(run) { page.runs.append(run) }
            }
            guard !isAtEnd, let last = found.last else { return page }
            next = last.key + [0]
        }
    }

    /// The runs that were opened before a number and are open without an edit, the oldest first.
    private func opened(
        _ openings: [IndexRow], before number: Int, at now: Timestamp
    ) -> [PlacedRun] {
        openings.compactMap { row in
            guard let opening = RunOpening(bytes: row.value), opening.number < number,
                opening.expiry(edited: nil) > now
            else { return nil }
            return PlacedRun(opening: row, number: opening.number)
        }.sorted { $0.number < $1.number }
    }

    /// A run as a list shows it; `nil` if it does not.
    private mutating func run(
        _ place: PlacedRun, _ query: RunQuery, at now: Timestamp, mayBeOpen: Bool
    ) throws(JournalError) -> Run? {
        guard query.mayWant(place.name) else { return nil }
        // With an edit, it is listed there.
        if place.isOpening, try newest(of: place.name) > 0 { return nil }
        let run = try run(
            place.name, prefix: query.prefix, at: now, mayBeOpen: mayBeOpen)
        if run != nil || !mayBeOpen || !query.listsUnedited(place.name) { return run }
        return try runWithoutEdits(place.name, at: now)
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
        try rows(RunKey.counts(run), prefix: prefix, after: name, limit: limit)
            .compactMap { document, value in RunCount(bytes: value).map { (document, $0) } }
    }

    /// The changes of a run that are not edits in documents of a prefix, in the order of their
    /// names, after a name and up to another.
    mutating func others(
        of run: Name, prefix: String, after name: String?, upTo last: DocumentID?
    ) throws(JournalError) -> [(document: DocumentID, change: OtherChanges.Element)] {
        let found = try rows(
            RunKey.others(run), prefix: prefix, after: name, limit: OtherChanges.countMax)
        return Array(
            found.prefix { last == nil || $0.document <= last ?? $0.document }
                .flatMap { document, value in
                    (OtherChanges(bytes: value)?.elements ?? []).map { (document, $0) }
                }.prefix(OtherChanges.countMax))
    }

    /// Rows of documents of a prefix, in the order of their names, after a name. `beginning`: of
    /// their keys.
    private mutating func rows(
        _ beginning: [UInt8], prefix: String, after name: String?, limit: Int
    ) throws(JournalError) -> [(document: DocumentID, value: [UInt8])] {
        // A name before the prefix leads to no document outside of it.
        let names = Array(prefix.utf8)
        let start: [UInt8] = name.map { $0.utf8 + [0] } ?? []
        let first = beginning + (start.lexicographicallyPrecedes(names) ? names : start)
        return try rows(from: first, before: RunKey.end(of: beginning + names), limit: limit)
            .compactMap { row in
                DocumentID(RunKey.text(of: row.key, after: beginning.count)).map { ($0, row.value) }
            }
    }
}
