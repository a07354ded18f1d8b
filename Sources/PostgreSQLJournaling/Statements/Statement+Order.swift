// The order of commits.

extension Statement {
    /// Every transaction that adds entries takes this lock before it numbers them and holds it
    /// until the commit, so numbers become visible in their order, without gaps. An update of the
    /// row would leave old versions of it, which must stay as long as any transaction reads an old
    /// state; a lock leaves none.
    static let lockOrder = Statement(
        name: "lock_order", sql: "SELECT version FROM versiond_schema WHERE id = 1 FOR UPDATE")

    /// The last statement of every transaction that adds entries: it gives them their numbers.
    /// Before it the order is locked, so that what it sees is the newest.
    static let number = numbering(
        "number", row: "SELECT h.last, $1, a.names, a.revisions FROM h, a")

    /// The limit on entries in one row of the order: the server reads a row whole, however small
    /// the wanted part is.
    static let numbersMax = 2_048

    /// The same of more entries than one row takes, as a copied history has: they get several.
    static let numberMany = numbering(
        "number_many",
        row: """
            SELECT h.last - a.count + least(a.count, (p.part + 1) * \(numbersMax)), $1,
                a.names[(p.part * \(numbersMax) + 1)::int:((p.part + 1) * \(numbersMax))::int],
                a.revisions[(p.part * \(numbersMax) + 1)::int:((p.part + 1) * \(numbersMax))::int]
            FROM h,
                (SELECT names, revisions, cardinality(revisions) AS count FROM a OFFSET 0) AS a,
                (SELECT (k.place - 1) / \(numbersMax) AS part
                    FROM unnest($3::bigint[]) WITH ORDINALITY AS k(revision, place)
                    GROUP BY (k.place - 1) / \(numbersMax)) AS p
            WHERE p.part * \(numbersMax) < a.count
            """)

    /// It numbers the entries of documents that this batch was the last to write to: others came
    /// first at the rest, and none of it is there. So all of a commit can be sent at once.
    ///
    /// It is an error, which ends the transaction, if all documents must be written to, and are
    /// not; or if the tables have become those of another version. As everywhere here, a division
    /// by zero.
    private static func numbering(_ name: String, row: String) -> Statement {
        Statement(
            name: name,
            sql: """
                WITH s AS (SELECT version FROM versiond_schema WHERE id = 1),
                w AS (
                    SELECT d.name FROM unnest($4::bytea[]) AS k(name)
                    JOIN versiond_document d ON d.name = k.name AND d.batch = $1),
                c AS (SELECT count(*) AS written FROM w),
                e AS (
                    SELECT k.name, k.revision, k.place
                    FROM unnest($2::bytea[], $3::bigint[])
                        WITH ORDINALITY AS k(name, revision, place)
                    WHERE k.name IN (SELECT name FROM w)),
                h AS (
                    SELECT coalesce((SELECT max(last) FROM versiond_order), 0)
                        + CASE WHEN (SELECT written FROM c) = cardinality($4) THEN cardinality($2)
                            ELSE (SELECT count(*) FROM e) END AS last
                    FROM s WHERE version = \(schemaVersion)
                        AND (SELECT written FROM c) >= greatest(1, $5)),
                a AS (
                    SELECT CASE WHEN (SELECT written FROM c) = cardinality($4) THEN $2
                            ELSE (SELECT array_agg(e.name ORDER BY e.place) FROM e) END AS names,
                        CASE WHEN (SELECT written FROM c) = cardinality($4) THEN $3
                            ELSE (SELECT array_agg(e.revision ORDER BY e.place) FROM e) END
                            AS revisions),
                o AS (
                    INSERT INTO versiond_order(last, batch, documents, revisions)
                    \(row) RETURNING last)
                SELECT max(last) AS last,
                    CASE WHEN (SELECT written FROM c) < cardinality($4)
                        THEN (SELECT array_agg(name) FROM w) END AS names,
                    1 / (count(*)
                        + CASE WHEN (SELECT written FROM c) = 0 AND $5 = 0 THEN 1 ELSE 0 END)
                        AS ok
                FROM o
                """)
    }

    /// The newest commit.
    static let newest = Statement(
        name: "newest", sql: "SELECT last, batch FROM versiond_order ORDER BY last DESC LIMIT 1")

    /// The name of the commit that ended at a number.
    static let batchAt = Statement(
        name: "batch_at", sql: "SELECT batch FROM versiond_order WHERE last = $1")

    /// The content of a commit, by its name.
    static let batch = Statement(
        name: "batch",
        sql: """
            SELECT last, documents, revisions FROM versiond_order WHERE last > $1 AND batch = $2
            """)

    /// The rows after a number, until they have enough entries: the fastest query if all documents
    /// are wanted and there are no more rows.
    static let order = Statement(
        name: "order",
        sql: """
            SELECT last, documents, revisions FROM (
                SELECT last, documents, revisions,
                    sum(cardinality(revisions)) OVER (ORDER BY last) - cardinality(revisions)
                        AS before
                FROM (
                    SELECT last, documents, revisions FROM versiond_order
                    WHERE last > $1 ORDER BY last LIMIT $2) AS page) AS sized
            WHERE before < $2 + \(numbersMax) ORDER BY last
            """)

    /// The most names for which a row is searched before its entries are scanned one by one.
    private static let namesFew = 8

    /// The positions of unpacked entries of wanted documents in a range of numbers. Only the part
    /// of a commit inside the range is scanned, since many pages may read one commit; if few names
    /// are wanted, a commit without any of them is skipped in an eighth of the time. OFFSET:
    /// otherwise the server measures each row again for each of its entries.
    static let places = Statement(
        name: "places",
        sql: """
            SELECT o.before + o.skipped + k.place AS number, k.name, k.revision
            FROM (
                SELECT documents, revisions, last - cardinality(revisions) AS before,
                    greatest(0, $1 - last + cardinality(revisions)) AS skipped
                FROM versiond_order
                WHERE last > $1 AND last <= coalesce((
                    SELECT last FROM versiond_order WHERE last >= $2 ORDER BY last LIMIT 1), $2)
                    AND ($5::bytea[] IS NULL OR cardinality($5) > \(namesFew)
                        OR documents && $5)
                OFFSET 0) AS o
            CROSS JOIN unnest(
                o.documents[(o.skipped + 1)::int:greatest(0, $2 - o.before)::int],
                o.revisions[(o.skipped + 1)::int:greatest(0, $2 - o.before)::int])
                WITH ORDINALITY AS k(name, revision, place)
            WHERE k.name >= $3 AND ($4::bytea IS NULL OR k.name < $4)
                AND ($5::bytea[] IS NULL OR k.name = ANY($5))
            ORDER BY number LIMIT $6
            """)
}
