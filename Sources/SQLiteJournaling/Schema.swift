import Journaling

/// The tables. A file with another schema is refused; see
/// `Documentation/Reference/JournalFormat.md`.
enum Schema {
    static let version = 3
    /// Without an index. Opened for writing it becomes the newest one; reading alone leaves it.
    static let withoutIndex = 2
    /// The same, also without segments.
    static let withoutSegments = 1

    /// The database's `application_id` once a mark is written after every commit; versions before
    /// 0.2 wrote one now and then, and none before the 256th commit. "vdmk".
    static let markedID = 0x7664_6d6b

    /// `secret` is the key of the content hashes in entries up to format 3; it is no longer used.
    ///
    /// `entry.sequence` grows with every commit, so entries are appended to the end of the file and
    /// the high-water mark is one number. Bodies and names are blobs: no encoding touches them.
    static let statements = """
        CREATE TABLE document(
            key INTEGER PRIMARY KEY,
            name BLOB NOT NULL UNIQUE,
            deleted INTEGER NOT NULL);
        CREATE TABLE entry(
            sequence INTEGER PRIMARY KEY,
            document INTEGER NOT NULL REFERENCES document(key),
            revision INTEGER NOT NULL,
            lifecycle INTEGER NOT NULL,
            body BLOB NOT NULL,
            chain BLOB NOT NULL);
        CREATE UNIQUE INDEX entry_revision ON entry(document, revision);
        CREATE TABLE checkpoint(
            document INTEGER NOT NULL REFERENCES document(key),
            revision INTEGER NOT NULL,
            chain BLOB NOT NULL,
            body BLOB NOT NULL,
            checksum BLOB NOT NULL,
            PRIMARY KEY(document, revision));
        CREATE TABLE secret(bytes BLOB NOT NULL);
        INSERT INTO secret VALUES(randomblob(32));
        """

    /// Old entries, packed: from the first of a document on, without gaps. `sequence` finds those
    /// that hold entries behind a number. `state` is empty but while something is erased, see
    /// `ErasureState`, after a cut, see `StoredCuts`, and once there is an index.
    static let segmentStatements = """
        CREATE TABLE segment(
            key INTEGER PRIMARY KEY,
            document INTEGER NOT NULL REFERENCES document(key),
            first INTEGER NOT NULL,
            count INTEGER NOT NULL,
            first_sequence INTEGER NOT NULL,
            last_sequence INTEGER NOT NULL,
            chain BLOB NOT NULL,
            body BLOB NOT NULL);
        CREATE UNIQUE INDEX segment_revision ON segment(document, first);
        CREATE INDEX segment_sequence ON segment(last_sequence, first_sequence);
        CREATE TABLE state(name TEXT PRIMARY KEY, value BLOB NOT NULL);
        """

    /// Rows that are computed from the entries, see `StoredIndex`.
    static let indexStatements = """
        CREATE TABLE index_row(key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
        PRAGMA user_version = 3;
        """

    /// Whether the tables were never made: a first start found no room for them.
    static func isMissing(_ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        let declared = try connection.texts("SELECT name FROM sqlite_schema")
        let version = try connection.integer("PRAGMA user_version")
        return declared.isEmpty && version == 0
    }

    /// The error of a tool that needs the tables.
    static func missing(in path: String) -> JournalError {
        .unavailable(
            "\(path) has no tables yet, since the first start found no room for them; the next "
                + "start makes them")
    }

    /// Throws unless the tables are declared as here: a letter that changed there changes what
    /// is read, and nothing else notices.
    static func check(_ connection: SQLiteConnection) throws(SQLiteError) {
        let version = try connection.integer("PRAGMA user_version")
        let declared = try connection.texts("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
        var known = statements.components(of: "CREATE ")
        if version > withoutSegments { known += segmentStatements.components(of: "CREATE ") }
        if version > withoutIndex { known += indexStatements.components(of: "CREATE ") }
        guard declared.sorted() == known.sorted() else {
            throw .damaged("the declarations of the tables are not those of schema \(version)")
        }
    }
}

extension String {
    /// The statements that begin with a word, without their semicolons.
    fileprivate func components(of word: String) -> [String] {
        split(separator: ";").map { $0.drop { $0 == "\n" } }.filter { $0.hasPrefix(word) }
            .map(String.init)
    }
}
