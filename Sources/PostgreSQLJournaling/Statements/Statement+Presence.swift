// The clients present in each document, for other daemons. The table is unlogged: it costs no log,
// no standby has it, and after a crash of the server it is empty. Times are the daemons', in
// milliseconds.

extension Statement {
    static let presenceTables = [
        """
        CREATE UNLOGGED TABLE IF NOT EXISTS versiond_presence(
            document bytea NOT NULL,
            client bytea NOT NULL,
            daemon bytea NOT NULL,
            actor bytea NOT NULL,
            owner bytea NOT NULL,
            state bytea,
            revision bigint NOT NULL,
            stamp bigint NOT NULL,
            changed bigint NOT NULL,
            until bigint NOT NULL,
            PRIMARY KEY (document, client))
        """,
        "CREATE INDEX IF NOT EXISTS versiond_presence_changed ON versiond_presence(changed)",
    ].map { Statement(name: "", sql: $0) }

    /// A client of others' credentials is left as it is, unless its time is over.
    static let putPresence = Statement(
        name: "put_presence",
        sql: """
            INSERT INTO versiond_presence VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            ON CONFLICT (document, client) DO UPDATE SET daemon = excluded.daemon,
                actor = excluded.actor, owner = excluded.owner, state = excluded.state,
                revision = excluded.revision, stamp = excluded.stamp, changed = excluded.changed,
                until = excluded.until
            WHERE versiond_presence.until < excluded.changed
                OR (versiond_presence.owner = excluded.owner
                    AND versiond_presence.stamp <= excluded.stamp)
            """)

    static let newPresence = Statement(
        name: "new_presence",
        sql: """
            SELECT document, client, actor, owner, state, revision, stamp, until
            FROM versiond_presence WHERE changed >= $1 AND daemon <> $2 AND until > $3
            ORDER BY changed
            """)

    static let removePresence = Statement(
        name: "remove_presence", sql: "DELETE FROM versiond_presence WHERE until < $1")
}
