/// The tables. A file with another schema is refused; see `Documentation/JournalFormat.md`.
enum Schema {
    static let version = 1

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
        PRAGMA user_version = 1;
        """
}
