// The index.

extension Statement {
    static let indexPosition = Statement(
        name: "index_position", sql: "SELECT marked FROM versiond_packing WHERE id = 3")

    /// Of many daemons that move it, one does.
    static let moveIndex = Statement(
        name: "move_index",
        sql: """
            UPDATE versiond_packing SET marked = $2
            WHERE id = (
                SELECT id FROM versiond_packing WHERE id = 3 AND marked = $1
                FOR UPDATE SKIP LOCKED)
            RETURNING id
            """)

    static let setIndexRows = Statement(
        name: "set_index_rows",
        sql: """
            INSERT INTO versiond_index(key, value)
            SELECT k.key, k.value FROM unnest($1::bytea[], $2::bytea[]) AS k(key, value)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value
            """)

    static let removeIndexRows = Statement(
        name: "remove_index_rows", sql: "DELETE FROM versiond_index WHERE key = ANY($1)")

    static let indexRows = Statement(
        name: "index_rows",
        sql: """
            SELECT key, value FROM versiond_index WHERE key >= $1 AND key < $2
            ORDER BY key LIMIT $3
            """)
}
