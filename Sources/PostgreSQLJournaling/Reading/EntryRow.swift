import Journaling

/// A row of entries.
struct EntryRow {
    let revision: Int
    let lifecycle: Int
    /// `nil` if the entry before is packed, or not there.
    let previous: [UInt8]?
    let chain: [UInt8]
    let body: [UInt8]

    /// The columns from one on.
    init(_ row: SQLRow, from column: Int = 0) {
        revision = row.integer(column)
        lifecycle = row.integer(column + 1)
        previous = row.columns[column + 2]
        chain = row.bytes(column + 3)
        body = row.bytes(column + 4)
    }

    /// Whether the chain before it is known, and so not packed.
    var isLinked: Bool { revision == 0 || previous != nil }

    /// The entry, proven by its chain; `known` is that before it, if it is not in the row.
    func entry(
        of document: DocumentID, following known: ChainHash? = nil
    ) throws(PostgreSQLError) -> JournalEntry {
        let linked = revision == 0 ? ChainHash.start : previous.flatMap { ChainHash(bytes: $0) }
        guard let before = known ?? linked,
            let lifecycle = JournalEntry.Lifecycle(rawValue: lifecycle)
        else { throw .corrupt("\(document) has no entry before revision \(revision)") }
        let entry = JournalEntry(
            document: document, revision: revision, body: body, following: before,
            lifecycle: lifecycle)
        guard entry.chain.bytes == chain else {
            throw .corrupt("\(document) is not what was stored at revision \(revision)")
        }
        return entry
    }
}
