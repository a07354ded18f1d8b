public import Journaling
import Threading

/// Where the history was cut, in the table `state`; no row if it never was.
struct StoredCuts {
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    /// A file without segments has no place for them, and was never cut.
    func read() throws(SQLiteError) -> [HistoryCut] {
        if try connection.integer("PRAGMA user_version") == Schema.withoutSegments { return [] }
        let statement = try connection.prepare("SELECT value FROM state WHERE name = 'cuts'")
        guard try statement.step() else { return [] }
        guard let cuts = HistoryCut.list(of: String(decoding: statement.bytes(0), as: UTF8.self))
        else { throw .damaged("the cuts of the history cannot be read") }
        return cuts
    }

    func write(_ cuts: [HistoryCut]) throws(SQLiteError) {
        let statement = try connection.prepare("INSERT OR REPLACE INTO state VALUES('cuts', ?1)")
        try statement.bind(1, Array(HistoryCut.text(of: cuts).utf8))
        try statement.run()
    }
}

extension SQLiteJournal {
    public func setCuts(
        _ cuts: [HistoryCut], replacing known: [HistoryCut]
    ) throws(JournalError) -> Bool {
        let isStored = try withWriter { marked throws(JournalError) in
            try marked.writer.commit(cuts, replacing: known)
        }
        if isStored { knownCuts.note(cuts, insteadOf: known) }
        return isStored
    }

    /// Reads them when the journal is opened: without them, numbers of a lost history would be
    /// accepted.
    func readCuts() throws(JournalError) {
        let cuts = try reading { reader throws(SQLiteError) in
            try StoredCuts(reader.connection).read()
        }
        knownCuts.note(cuts, insteadOf: [])
    }
}
