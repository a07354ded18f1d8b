// Where the history was cut.

extension Statement {
    static let readCuts = Statement(
        name: "read_cuts", sql: "SELECT position FROM versiond_packing WHERE id = 2")

    static let makeCuts = Statement(
        name: "make_cuts",
        sql: """
            INSERT INTO versiond_packing(id, position, marked, marked_at) VALUES (2, $1, 0, 0)
            ON CONFLICT (id) DO NOTHING
            """)

    /// Of many daemons that cut, one does.
    static let replaceCuts = Statement(
        name: "replace_cuts",
        sql: """
            UPDATE versiond_packing SET position = $1 WHERE id = 2 AND position = $2
            RETURNING id
            """)
}
