// The tables.

extension Statement {
    static let schemaVersion = 3

    static let schemaTable = Statement(
        name: "",
        sql: """
            CREATE TABLE IF NOT EXISTS versiond_schema(
                id bigint PRIMARY KEY, version bigint NOT NULL)
            """)

    static let schemaRow = Statement(
        name: "",
        sql: "INSERT INTO versiond_schema(id, version) VALUES (1, 0) ON CONFLICT (id) DO NOTHING")

    static let schemaRead = Statement(
        name: "", sql: "SELECT version FROM versiond_schema WHERE id = 1")

    /// Of several daemons that start at once, one makes the tables and the others wait here.
    static let schemaLock = Statement(
        name: "", sql: "SELECT version FROM versiond_schema WHERE id = 1 FOR UPDATE")

    static let schemaDone = Statement(
        name: "", sql: "UPDATE versiond_schema SET version = \(schemaVersion) WHERE id = 1")

    /// The statements that migrate the tables of a version to this one; `nil` if there are none.
    static func migration(from version: Int) -> [Statement]? {
        switch version {
        case 0: firstTables + packedTables + indexTables + [schemaDone]
        // Daemons of the version before cannot store anything without the table that goes.
        case 1:
            packedTables + indexTables
                + [Statement(name: "", sql: "DROP TABLE versiond_head"), schemaDone]
        case 2: indexTables + [schemaDone]
        case schemaVersion: []
        default: nil
        }
    }

    /// Names and bodies are bytes: no encoding touches them, and names are in byte order.
    private static let firstTables = [
        """
        CREATE TABLE IF NOT EXISTS versiond_document(
            name bytea PRIMARY KEY,
            revision bigint NOT NULL,
            chain bytea NOT NULL,
            deleted boolean NOT NULL,
            batch bytea NOT NULL)
        """,
        """
        CREATE TABLE IF NOT EXISTS versiond_entry(
            document bytea NOT NULL,
            revision bigint NOT NULL,
            lifecycle bigint NOT NULL,
            chain bytea NOT NULL,
            body bytea NOT NULL,
            PRIMARY KEY (document, revision))
        """,
        """
        CREATE TABLE IF NOT EXISTS versiond_checkpoint(
            document bytea NOT NULL,
            revision bigint NOT NULL,
            chain bytea NOT NULL,
            body bytea NOT NULL,
            checksum bytea NOT NULL,
            PRIMARY KEY (document, revision))
        """,
        """
        CREATE TABLE IF NOT EXISTS versiond_order(
            last bigint PRIMARY KEY,
            batch bytea NOT NULL,
            documents bytea[] NOT NULL,
            revisions bigint[] NOT NULL)
        """,
    ].map { Statement(name: "", sql: $0) }

    /// Old entries of a document, and old rows of the order, many in one row; since schema 2.
    private static let packedTables = [
        """
        CREATE TABLE IF NOT EXISTS versiond_segment(
            document bytea NOT NULL,
            first bigint NOT NULL,
            count bigint NOT NULL,
            chain bytea NOT NULL,
            body bytea NOT NULL,
            PRIMARY KEY (document, first))
        """,
        """
        CREATE TABLE IF NOT EXISTS versiond_order_segment(
            last bigint PRIMARY KEY,
            count bigint NOT NULL,
            body bytea NOT NULL)
        """,
        """
        CREATE TABLE IF NOT EXISTS versiond_packing(
            id bigint PRIMARY KEY,
            position bytea NOT NULL,
            marked bigint NOT NULL,
            marked_at bigint NOT NULL)
        """,
        """
        INSERT INTO versiond_packing(id, position, marked, marked_at) VALUES (1, '', 0, 0)
        ON CONFLICT (id) DO NOTHING
        """,
    ].map { Statement(name: "", sql: $0) }

    /// Rows that are computed from the entries, and the number of the last of these; since schema
    /// 3.
    private static let indexTables = [
        "CREATE TABLE IF NOT EXISTS versiond_index(key bytea PRIMARY KEY, value bytea NOT NULL)",
        """
        INSERT INTO versiond_packing(id, position, marked, marked_at) VALUES (3, '', 0, 0)
        ON CONFLICT (id) DO NOTHING
        """,
    ].map { Statement(name: "", sql: $0) }
}
