// Statements of packing: many old rows become one.

extension Statement {
    // MARK: Reading

    /// For reading with several statements from one state, whatever is packed or rewritten
    /// meanwhile.
    static let beginReading = Statement(
        name: "begin_reading", sql: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    /// The segment that a revision may be in, with the chain before it; its body only if it is none
    /// of those that are known.
    static let segment = Statement(
        name: "segment",
        sql: """
            SELECT s.first, s.count, s.chain,
                CASE WHEN s.chain = ANY($3) THEN NULL ELSE s.body END AS body,
                (SELECT p.chain FROM versiond_segment p
                    WHERE p.document = $1 AND p.first < s.first ORDER BY p.first DESC LIMIT 1)
                    AS previous
            FROM versiond_segment s
            WHERE s.document = $1 AND s.first <= $2 ORDER BY s.first DESC LIMIT 1
            """)

    /// The chain at the end of a segment, if one ends before a revision.
    static let packedChain = Statement(
        name: "packed_chain",
        sql: """
            SELECT chain FROM versiond_segment
            WHERE document = $1 AND first < $2 AND first + count = $2
            ORDER BY first DESC LIMIT 1
            """)

    /// The positions of entries after a number: those that are packed together with the first of
    /// them.
    static let packedPlaces = Statement(
        name: "packed_places",
        sql: """
            SELECT last, count, body FROM versiond_order_segment
            WHERE last > $1 ORDER BY last LIMIT 1
            """)

    /// How far the order is packed.
    static let packedOrderEnd = Statement(
        name: "packed_order_end", sql: "SELECT max(last) AS last FROM versiond_order_segment")

    // MARK: Packing

    /// The position of packing; no row while another daemon packs.
    static let claimPacking = Statement(
        name: "claim_packing",
        sql: """
            SELECT position, marked, marked_at FROM versiond_packing WHERE id = 1
            FOR UPDATE SKIP LOCKED
            """)

    static let movePacking = Statement(
        name: "move_packing", sql: "UPDATE versiond_packing SET position = $1 WHERE id = 1")

    /// The last number at a time.
    static let markPacking = Statement(
        name: "mark_packing",
        sql: "UPDATE versiond_packing SET marked = $1, marked_at = $2 WHERE id = 1")

    /// Documents behind a name, each with its newest revision and the first that is not packed.
    static let unpacked = Statement(
        name: "unpacked",
        sql: """
            SELECT d.name, d.revision,
                (SELECT e.revision FROM versiond_entry e WHERE e.document = d.name
                    ORDER BY e.revision LIMIT 1) AS first
            FROM versiond_document d WHERE d.name > $1 ORDER BY d.name LIMIT $2
            """)

    /// Those of some documents to which something was added after a number.
    static let editedAfter = Statement(
        name: "edited_after",
        sql: """
            SELECT DISTINCT k.name
            FROM versiond_order o CROSS JOIN unnest(o.documents) AS k(name)
            WHERE o.last > $1 AND k.name = ANY($2)
            """)

    /// A segment takes the place of its entries, if they are still those that were packed. The
    /// document must be kept from being rewritten.
    static let pack = Statement(
        name: "pack",
        sql: """
            WITH s AS (
                INSERT INTO versiond_segment(document, first, count, chain, body)
                SELECT $1, $2, $3, $4, $5 WHERE EXISTS (
                    SELECT 1 FROM versiond_entry
                    WHERE document = $1 AND revision = $2 + $3 - 1 AND chain = $4)
                RETURNING document)
            DELETE FROM versiond_entry
            WHERE document = $1 AND revision >= $2 AND revision < $2 + $3
                AND EXISTS (SELECT 1 FROM s)
            """)

    static let documentsWithCheckpoints = Statement(
        name: "documents_with_checkpoints",
        sql: "SELECT document FROM versiond_checkpoint GROUP BY document HAVING count(*) > 1")

    static let checkpointBodies = Statement(
        name: "checkpoint_bodies",
        sql: """
            SELECT revision, body, checksum FROM versiond_checkpoint
            WHERE document = $1 AND revision = ANY($2)
            """)

    static let replaceCheckpoint = Statement(
        name: "replace_checkpoint",
        sql: """
            UPDATE versiond_checkpoint SET body = $3, checksum = $4
            WHERE document = $1 AND revision = $2
            """)

    static let packOrder = Statement(
        name: "pack_order",
        sql: "INSERT INTO versiond_order_segment(last, count, body) VALUES ($1, $2, $3)")

    static let removeOrder = Statement(
        name: "remove_order", sql: "DELETE FROM versiond_order WHERE last <= $1")

    // MARK: Rewriting

    static let removeEntries = Statement(
        name: "remove_entries", sql: "DELETE FROM versiond_entry WHERE document = $1")

    static let removeSegments = Statement(
        name: "remove_segments", sql: "DELETE FROM versiond_segment WHERE document = $1")

    static let addSegment = Statement(
        name: "add_segment",
        sql: """
            INSERT INTO versiond_segment(document, first, count, chain, body)
            VALUES ($1, $2, $3, $4, $5)
            """)

    static let addEntry = Statement(
        name: "add_entry",
        sql: """
            INSERT INTO versiond_entry(document, revision, lifecycle, chain, body)
            VALUES ($1, $2, $3, $4, $5)
            """)
}
