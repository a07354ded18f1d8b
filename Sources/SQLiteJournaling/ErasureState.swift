/// The state of an erasure that has not left the files yet.
///
/// - `mark`: the end of the journal before a document was rewritten. The high-water mark in its
///   file may still be this one, with the chain of an entry that has been replaced since.
/// - `leftovers`: deleted rows were not overwritten in this file, by versions before 0.3.
struct ErasureState {
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    static let leftoversStatement = "INSERT INTO state VALUES('leftovers', x'');"

    /// A document is rewritten in this transaction.
    func begin(at mark: HighWaterMark.Mark) throws(SQLiteError) {
        let statement = try connection.prepare("INSERT OR REPLACE INTO state VALUES('mark', ?1)")
        try statement.bind(1, mark.bytes)
        try statement.run()
    }

    /// The former mark is in no file any more and is forgotten. Overwrites the content that older
    /// versions have left, which takes as long as copying the file.
    func finish() throws(SQLiteError) {
        if try connection.integer("SELECT count(*) FROM state WHERE name = 'leftovers'") > 0 {
            try connection.compact()
        }
        try connection.execute("DELETE FROM state WHERE name IN ('mark', 'leftovers')")
    }

    /// The former mark is in no file any more. The log may contain the replaced entries for a
    /// while.
    func end() throws(SQLiteError) {
        try connection.execute("DELETE FROM state WHERE name = 'mark'")
    }

    /// Where the journal ended before the last rewriting, if that is not finished.
    var formerMark: [UInt8]? {
        get throws(SQLiteError) {
            let statement = try connection.prepare("SELECT value FROM state WHERE name = 'mark'")
            return try statement.step() ? statement.bytes(0) : nil
        }
    }

    /// Whether a mark is the one from before the last rewriting.
    func isFormer(_ mark: HighWaterMark.Mark) throws(SQLiteError) -> Bool {
        try formerMark == mark.bytes
    }
}
