import Journaling

/// All SQL there is, in a subset that several engines have: `PortableSQLTests` reads this folder.
///
/// No sequences, since they have gaps and are in no order; no advisory locks, triggers or
/// extensions. Each statement but those about the order names one document, or keys of many, and
/// every key begins with the document: so a table can be spread by documents.
struct Statement: Hashable {
    /// Under which it is prepared.
    let name: String
    let sql: String

    static let begin = Statement(name: "begin", sql: "BEGIN ISOLATION LEVEL READ COMMITTED")
    static let commit = Statement(name: "commit", sql: "COMMIT")
    static let rollback = Statement(name: "rollback", sql: "ROLLBACK")

    /// No statement is prepared any more.
    static let forgetAll = Statement(name: "", sql: "DEALLOCATE ALL")

    // MARK: Writing

    /// Entries of documents, each of which must end at a revision and a chain: of one that does not
    /// none.
    static let append = Statement(
        name: "append",
        sql: """
            WITH w AS (
                UPDATE versiond_document AS d
                SET revision = k.revision, chain = k.chain, batch = $7,
                    deleted = CASE WHEN k.turn < 0 THEN d.deleted ELSE k.turn > 0 END
                FROM unnest($1::bytea[], $2::bigint[], $3::bytea[], $4::bigint[], $5::bytea[],
                    $6::bigint[]) AS k(name, head, head_chain, revision, chain, turn)
                WHERE d.name = k.name AND d.revision = k.head AND d.chain = k.head_chain
                RETURNING d.name)
            INSERT INTO versiond_entry(document, revision, lifecycle, chain, body)
            SELECT e.document, e.revision, e.lifecycle, e.chain, e.body
            FROM unnest($8::bytea[], $9::bigint[], $10::bigint[], $11::bytea[], $12::bytea[])
                AS e(document, revision, lifecycle, chain, body)
            WHERE e.document IN (SELECT name FROM w)
            """)

    /// The first entries of documents; of one that is there already none.
    static let create = Statement(
        name: "create",
        sql: """
            WITH w AS (
                INSERT INTO versiond_document(name, revision, chain, deleted, batch)
                SELECT k.name, k.revision, k.chain, k.turn > 0, $5
                FROM unnest($1::bytea[], $2::bigint[], $3::bytea[], $4::bigint[])
                    AS k(name, revision, chain, turn)
                ON CONFLICT (name) DO NOTHING RETURNING name)
            INSERT INTO versiond_entry(document, revision, lifecycle, chain, body)
            SELECT e.document, e.revision, e.lifecycle, e.chain, e.body
            FROM unnest($6::bytea[], $7::bigint[], $8::bigint[], $9::bytea[], $10::bytea[])
                AS e(document, revision, lifecycle, chain, body)
            WHERE e.document IN (SELECT name FROM w)
            """)

    /// Locks documents, in the order of their names: no other transaction can write to them until
    /// this one ends.
    static let lock = Statement(
        name: "lock",
        sql: """
            SELECT name, revision, chain FROM versiond_document WHERE name = ANY($1)
            ORDER BY name FOR UPDATE
            """)

    /// The entries of documents after revisions, until they are too many bytes; with the chain
    /// before each.
    static let entriesAfter = Statement(
        name: "entries_after",
        sql: """
            SELECT place, revision, lifecycle, previous, chain, body FROM (
                SELECT k.place, e.revision, e.lifecycle, p.chain AS previous, e.chain, e.body,
                    sum(octet_length(e.body)) OVER (ORDER BY k.place, e.revision)
                        - octet_length(e.body) AS before
                FROM unnest($1::bytea[], $2::bigint[])
                    WITH ORDINALITY AS k(document, revision, place)
                JOIN versiond_entry e
                    ON e.document = k.document AND e.revision > k.revision
                LEFT JOIN versiond_entry p
                    ON p.document = e.document AND p.revision = e.revision - 1) AS sized
            WHERE before < $3 ORDER BY place, revision
            """)

    /// Other parts of the same commit must not wait for a locked document, and work that can be
    /// done later waits for no lock. For the session, and for a transaction.
    static let waitsForMoment = Statement(name: "", sql: "SET lock_timeout = '200ms'")
    static let waitForMoment = Statement(
        name: "wait_for_moment", sql: "SET LOCAL lock_timeout = '200ms'")

    /// As long as any session waits.
    static let waitPatiently = Statement(
        name: "wait_patiently", sql: "SET LOCAL lock_timeout = '2s'")

    /// The documents that no other transaction holds at the moment. Waits for none.
    static let free = Statement(
        name: "free",
        sql: """
            SELECT name FROM versiond_document WHERE name = ANY($1) FOR UPDATE SKIP LOCKED
            """)

    /// Reserves the name of a missing document until the transaction ends, so that no other
    /// transaction can make it; the row is removed before the end.
    static let hold = Statement(
        name: "hold",
        sql: """
            INSERT INTO versiond_document(name, revision, chain, deleted, batch)
            VALUES ($1, -1, $2, true, $2) ON CONFLICT (name) DO NOTHING
            """)

    static let release = Statement(
        name: "release", sql: "DELETE FROM versiond_document WHERE name = $1 AND revision = -1")

    /// Others may add to the document, but not rewrite it, until the transaction ends.
    static let keep = Statement(
        name: "keep",
        sql: "SELECT revision FROM versiond_document WHERE name = $1 FOR KEY SHARE")

    static let addCheckpoint = Statement(
        name: "add_checkpoint",
        sql: """
            INSERT INTO versiond_checkpoint(document, revision, chain, body, checksum)
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT (document, revision) DO NOTHING
            """)

    /// The chain of an entry, if it is in a row.
    static let entryChain = Statement(
        name: "entry_chain",
        sql: "SELECT chain FROM versiond_entry WHERE document = $1 AND revision = $2")

    /// All checkpoints of a document, locked until the transaction ends: a delta may need one that
    /// is about to be removed. The first bytes of the small ones show which are deltas.
    static let keptCheckpoints = Statement(
        name: "kept_checkpoints",
        sql: """
            SELECT revision, octet_length(body),
                CASE WHEN octet_length(body) <= \(CheckpointBody.deltaContentMax)
                    THEN substring(body FROM 1 FOR \(CheckpointBody.headBytesMax)) END AS head
            FROM versiond_checkpoint WHERE document = $1 ORDER BY revision FOR UPDATE
            """)

    static let removeCheckpoints = Statement(
        name: "remove_checkpoints",
        sql: "DELETE FROM versiond_checkpoint WHERE document = $1 AND revision = ANY($2)")

    static let removeAllCheckpoints = Statement(
        name: "remove_all_checkpoints",
        sql: "DELETE FROM versiond_checkpoint WHERE document = $1")

    static let rewriteHead = Statement(
        name: "rewrite_head", sql: "UPDATE versiond_document SET chain = $2 WHERE name = $1")

    /// Frees what no transaction sees any more. PostgreSQL alone knows it; elsewhere it fails.
    static let vacuum = ["entry", "segment", "checkpoint", "order"].map {
        Statement(name: "", sql: "VACUUM versiond_\($0)")
    }

    // MARK: Trying whether a change can be stored

    /// The statements of a commit, at unused keys: to be rolled back.
    static let tryDocument = Statement(
        name: "try_document",
        sql: """
            INSERT INTO versiond_document(name, revision, chain, deleted, batch)
            VALUES ($1, -1, $1, true, $1)
            """)

    static let tryEntry = Statement(
        name: "try_entry",
        sql: """
            INSERT INTO versiond_entry(document, revision, lifecycle, chain, body)
            VALUES ($1, -1, 0, $1, $1)
            """)

    // MARK: Reading

    /// Which cluster it is, and which of its timelines: each promotion begins another one.
    static let server = Statement(
        name: "server",
        sql: """
            SELECT system_identifier, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)::bytea
            FROM pg_control_system()
            """)

    /// The server's clock, in microseconds since 1970.
    static let clock = Statement(
        name: "clock",
        sql: "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint")

    static let heads = Statement(
        name: "heads",
        sql: "SELECT name, revision, chain FROM versiond_document WHERE name = ANY($1)")

    /// From a revision on, until they are too many bytes; with the chain before each.
    static let entriesFrom = Statement(
        name: "entries_from",
        sql: """
            SELECT revision, lifecycle, previous, chain, body FROM (
                SELECT revision, lifecycle, chain, body,
                    lag(chain) OVER (ORDER BY revision) AS previous,
                    sum(CASE WHEN revision >= $2 THEN octet_length(body) ELSE 0 END)
                        OVER (ORDER BY revision) - octet_length(body) AS before
                FROM (
                    SELECT revision, lifecycle, chain, body FROM versiond_entry
                    WHERE document = $1 AND revision >= $2 - 1
                    ORDER BY revision LIMIT $3) AS page) AS sized
            WHERE revision >= $2 AND before < $4 ORDER BY revision
            """)

    /// Up to a revision, the last ones that are not too many bytes; with the chain before each.
    static let entriesUpTo = Statement(
        name: "entries_up_to",
        sql: """
            SELECT revision, lifecycle, previous, chain, body FROM (
                SELECT revision, lifecycle, chain, body,
                    lag(chain) OVER (ORDER BY revision) AS previous,
                    row_number() OVER (ORDER BY revision DESC) AS place,
                    sum(octet_length(body)) OVER (ORDER BY revision DESC) - octet_length(body)
                        AS before
                FROM (
                    SELECT revision, lifecycle, chain, body FROM versiond_entry
                    WHERE document = $1 AND revision <= $2
                    ORDER BY revision DESC LIMIT $3) AS page) AS sized
            WHERE (place < $3 OR revision = 0) AND before < $4 ORDER BY revision
            """)

    /// Changes nothing, and its commit waits for standbys like any other.
    static let touch = Statement(
        name: "touch", sql: "UPDATE versiond_schema SET version = version WHERE id = 1")

    /// Entries by their keys, in the order of these, until they are too many bytes.
    static let entriesAt = Statement(
        name: "entries_at",
        sql: """
            SELECT n, document, revision, lifecycle, previous, chain, body FROM (
                SELECT k.n, e.document, e.revision, e.lifecycle, p.chain AS previous, e.chain,
                    e.body, sum(octet_length(e.body)) OVER (ORDER BY k.n) - octet_length(e.body)
                        AS before
                FROM unnest($1::bigint[], $2::bytea[], $3::bigint[]) AS k(n, document, revision)
                JOIN versiond_entry e
                    ON e.document = k.document AND e.revision = k.revision
                LEFT JOIN versiond_entry p
                    ON p.document = k.document AND p.revision = k.revision - 1) AS sized
            WHERE before < $4 ORDER BY n
            """)

    /// The newest one up to a revision, and those after it up to one that is not a delta.
    static let checkpoint = Statement(
        name: "checkpoint",
        sql: """
            WITH found AS (
                SELECT max(revision) AS revision FROM versiond_checkpoint
                WHERE document = $1 AND revision <= $2)
            SELECT revision, chain, body, checksum FROM versiond_checkpoint
            WHERE document = $1 AND revision >= (SELECT revision FROM found)
                AND revision <= (
                    SELECT revision FROM versiond_checkpoint
                    WHERE document = $1 AND revision >= (SELECT revision FROM found)
                        AND substring(body FROM 1 FOR 1) <> $3
                    ORDER BY revision LIMIT 1)
            ORDER BY revision
            """)

    static let documents = Statement(
        name: "documents",
        sql: """
            SELECT name, revision, deleted FROM versiond_document
            WHERE name >= $1 AND name < $2 ORDER BY name LIMIT $3
            """)

    /// Entries without a predecessor, or beyond the end of their document: for `check`.
    static let counts = Statement(
        name: "counts",
        sql: """
            SELECT (SELECT count(*) FROM versiond_entry)
                    + (SELECT coalesce(sum(count), 0)::bigint FROM versiond_segment),
                (SELECT coalesce(sum(revision + 1), 0)::bigint FROM versiond_document),
                (SELECT coalesce(max(last), 0) FROM versiond_order),
                (SELECT coalesce(sum(cardinality(revisions)), 0)::bigint FROM versiond_order)
                    + (SELECT coalesce(sum(count), 0)::bigint FROM versiond_order_segment)
            """)

    /// The documents that take most: for `usage`.
    static let usage = Statement(
        name: "usage",
        sql: """
            SELECT document, sum(entries)::bigint, sum(bytes)::bigint AS total FROM (
                SELECT document, count(*) AS entries, sum(length(body) + 96) AS bytes
                FROM versiond_entry GROUP BY document
                UNION ALL SELECT document, sum(count), sum(length(body) + 96)
                FROM versiond_segment GROUP BY document
                UNION ALL SELECT document, 0, sum(length(body) + 96)
                FROM versiond_checkpoint GROUP BY document) AS parts
            WHERE document >= $2 GROUP BY document ORDER BY total DESC, document LIMIT $1
            """)

    /// The sizes of the documents in a range of names: for quotas.
    static let usageOfPrefix = Statement(
        name: "usage_of_prefix",
        sql: """
            SELECT (SELECT count(*) FROM versiond_document
                    WHERE name >= $1 AND ($2::bytea IS NULL OR name < $2) AND NOT deleted),
                (SELECT coalesce(sum(bytes), 0)::bigint FROM (
                    SELECT length(body) + 96 AS bytes FROM versiond_entry
                    WHERE document >= $1 AND ($2::bytea IS NULL OR document < $2)
                    UNION ALL SELECT length(body) + 96 FROM versiond_segment
                    WHERE document >= $1 AND ($2::bytea IS NULL OR document < $2)
                    UNION ALL SELECT length(body) + 96 FROM versiond_checkpoint
                    WHERE document >= $1 AND ($2::bytea IS NULL OR document < $2)) AS parts)
            """)

    // MARK: The session

    static let settings = Statement(
        name: "settings",
        sql: """
            SELECT name::text::bytea, setting::text::bytea FROM pg_settings
            WHERE name IN ('fsync', 'synchronous_commit', 'server_version', 'full_page_writes',
                'transaction_read_only')
            """)

    /// A commit is confirmed when it is on the disk, and on the disks of synchronous standbys; or
    /// when these show it. For the session, and for a transaction.
    static let confirmedWhenSafe = Statement(name: "", sql: "SET synchronous_commit = on")
    static let confirmedWhenApplied = Statement(
        name: "", sql: "SET synchronous_commit = remote_apply")
    static let confirmWhenSafe = Statement(name: "", sql: "SET LOCAL synchronous_commit = on")
    static let confirmWhenApplied = Statement(
        name: "", sql: "SET LOCAL synchronous_commit = remote_apply")

    static let session = [
        // The server reports by a warning that a commit's wait for a standby was cancelled.
        "SET client_min_messages = warning", "SET statement_timeout = '30s'",
        "SET lock_timeout = '2s'",
        "SET idle_in_transaction_session_timeout = '10s'",
    ].map { Statement(name: "", sql: $0) }

    /// Settings that save the server work. All statements find rows by their keys: a server that
    /// does not know the size of the tables would scan them instead, and would make a new plan each
    /// time, since arrays have different lengths.
    static let saving = [
        "SET enable_seqscan = off", "SET plan_cache_mode = force_generic_plan",
    ].map { Statement(name: "", sql: $0) }

    /// Wakes other daemons. Not needed: those that cannot listen look now and then.
    static let notify = Statement(name: "notify", sql: "NOTIFY versiond")
    static let listen = Statement(name: "listen", sql: "LISTEN versiond")
}
