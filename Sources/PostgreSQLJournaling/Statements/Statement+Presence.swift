// Who is in which document, for other daemons. The table is unlogged: it costs no log, no standby
// has it, and after a crash of the server it is empty.

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
            until timestamptz NOT NULL,
            number bigint NOT NULL,
            PRIMARY KEY (document, client))
        """,
        "CREATE INDEX IF NOT EXISTS versiond_presence_number ON versiond_presence(number)",
        "CREATE SEQUENCE IF NOT EXISTS versiond_presence_sequence",
    ].map { Statement(name: "", sql: $0) }

    /// A client of others' credentials is left as it is, unless its time is over.
    static let putPresence = Statement(
        name: "put_presence",
        sql: """
            INSERT INTO versiond_presence VALUES ($1, $2, $3, $4, $5, $6, $7,
                now() + $8 * interval '1 millisecond', nextval('versiond_presence_sequence'))
            ON CONFLICT (document, client) DO UPDATE SET daemon = excluded.daemon,
                actor = excluded.actor, owner = excluded.owner, state = excluded.state,
                revision = excluded.revision, until = excluded.until, number = excluded.number
            WHERE versiond_presence.owner = excluded.owner OR versiond_presence.until < now()
            """)

    static let newPresence = Statement(
        name: "new_presence",
        sql: """
            SELECT document, client, actor, owner, state, revision,
                (extract(epoch FROM until - now()) * 1000)::bigint, number
            FROM versiond_presence WHERE number > $1 AND daemon <> $2 AND until > now()
            ORDER BY number
            """)

    static let removePresence = Statement(
        name: "remove_presence",
        sql: "DELETE FROM versiond_presence WHERE until < now() - interval '10 seconds'")
}
