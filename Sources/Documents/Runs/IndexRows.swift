import JSONTree
import Journaling

/// The rows of the index as this daemon knows them: those that the journal stores, and newer ones
/// that it does not store yet.
struct IndexRows: Sendable {
    private let journal: any Journal
    /// The position of the stored rows that the newer ones were computed from.
    private(set) var base: Int
    /// New values by key; `nil` for a row that is removed.
    private(set) var fresh: [[UInt8]: [UInt8]?] = [:]
    /// The keys of the new values in their order, once they were asked for.
    private var order: [[UInt8]]?
    /// The update that was submitted last.
    private var submitted: IndexUpdate?

    init(_ journal: any Journal, base: Int) {
        self.journal = journal
        self.base = base
    }

    /// How many rows the journal does not store yet and no update contains.
    var freshCount: Int { fresh.count - (submitted?.values.count ?? 0) }

    /// The position of the stored rows once the submitted update is stored.
    var pending: Int { submitted?.end ?? base }

    /// Whether an update was submitted that is not known to be stored.
    var isPending: Bool { submitted != nil }

    /// Whether the rows still fit to those that the journal stores. Rows that it has stored since
    /// are not new any more.
    mutating func settle() throws(JournalError) -> Bool {
        let stored = try journal.indexPosition()
        // An update of another daemon may have the same end.
        if journal.shared != nil { return stored == base }
        if let submitted, stored == submitted.end, stored != base {
            // Rows that were changed since the update was made stay.
            fresh = fresh.filter { key, value in submitted.values[key].map { $0 != value } ?? true }
            (base, order) = (stored, nil)
            self.submitted = nil
        }
        return stored == base
    }

    /// The update that stores all new rows and moves the index to a number.
    mutating func update(to end: Int) -> IndexUpdate {
        let update = IndexUpdate(from: base, to: end, values: fresh)
        submitted = update
        return update
    }

    mutating func set(_ key: [UInt8], _ value: [UInt8]?) {
        guard fresh.updateValue(value, forKey: key) == nil else { return }
        if let place = order.map({ IndexRows.place(of: key, in: $0) }) {
            order?.insert(key, at: place)
        }
    }

    /// The place of the first of the ordered keys that is not before a key.
    private static func place(of key: [UInt8], in keys: [[UInt8]]) -> Int {
        keys.partitioningIndex { !$0.lexicographicallyPrecedes(key) }
    }

    /// The value of a key; `nil` if there is none.
    func value(_ key: [UInt8]) throws(JournalError) -> [UInt8]? {
        if let known = fresh[key] { return known }
        return try journal.indexRows(from: key, before: key + [0], limit: 1).first?.value
    }

    /// Up to `limit` rows in the order of their keys, from a key on and before another.
    mutating func rows(
        from key: [UInt8], before end: [UInt8], limit: Int
    ) throws(JournalError) -> [IndexRow] {
        var found: [IndexRow] = []
        var start = key
        while found.count < limit, start.lexicographicallyPrecedes(end) {
            let stored = try journal.indexRows(from: start, before: end, limit: limit)
            // Behind the last stored row of a full page, there may be more.
            let isAll = stored.count < limit
            let reach = isAll ? end : (stored.last?.key ?? end) + [0]
            found += merged(stored, from: start, before: reach)
            if isAll { break }
            start = reach
        }
        return Array(found.prefix(limit))
    }

    private mutating func merged(
        _ stored: [IndexRow], from start: [UInt8], before end: [UInt8]
    ) -> [IndexRow] {
        let keys = freshKeys(from: start, before: end)
        if keys.isEmpty { return stored }
        let replaced = stored.filter { fresh[$0.key] == nil }
        let added = keys.compactMap { key in
            fresh[key].flatMap { $0 }.map { IndexRow(key: key, value: $0) }
        }
        return (replaced + added).sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    /// O(log n), once the keys are in order.
    private mutating func freshKeys(from start: [UInt8], before end: [UInt8]) -> [[UInt8]] {
        let keys = order ?? fresh.keys.sorted { $0.lexicographicallyPrecedes($1) }
        order = keys
        let (first, last) = (
            IndexRows.place(of: start, in: keys), IndexRows.place(of: end, in: keys)
        )
        return Array(keys[first..<last])
    }
}
