import Journaling
import Threading

/// Which database it is, and the last thing that is known to be stored there: so that one that went
/// back, after a failover to a standby that was behind or from a backup, is noticed, and one that
/// is another.
///
/// The state in memory would be ahead of such a database for ever. So the daemon refuses all
/// requests from then on and exits; after a restart, it uses the database as it is.
final class DatabaseIdentity: Sendable {
    private struct State {
        /// By PostgreSQL's own number of the cluster; `nil` from engines that have none.
        var server: PostgreSQLConnection.Server?
        var last: PostgreSQLConnection.StoredBatch?
        var loss: JournalError?
    }

    private let state = Lock(State())
    let cuts = KnownCuts()

    /// The reason why the journal refuses all calls.
    var loss: JournalError? { state.withLock { $0.loss } }

    /// Checks the database of a new connection.
    func check(_ connection: PostgreSQLConnection) throws(PostgreSQLError) {
        if let server = try connection.server() { try check(server) }
        try checkLast(connection)
        // Before anything is stored there: of many daemons one cuts, and the others find it.
        let known = cuts.list
        cuts.note(try connection.currentCuts(), insteadOf: known)
    }

    private func checkLast(_ connection: PostgreSQLConnection) throws(PostgreSQLError) {
        guard let known = state.withLock({ $0.last }) else { return }
        let batch = try connection.batch(at: known.last)
        if batch == known.batch { return }
        guard batch.isEmpty, try connection.packedOrderEnd() >= known.last else {
            throw lost("the change with the number \(known.last) is not there any more", connection)
        }
        // It may be the same database whose order was packed meanwhile; this cannot be verified.
        throw end(
            "the database was unreachable too long to verify that it is the same; "
                + "restart the daemon to read it again")
    }

    /// Checks which server it is.
    func check(_ server: PostgreSQLConnection.Server) throws(PostgreSQLError) {
        let known = state.withLock { state in
            let known = state.server ?? server
            if known.system == server.system, known.timeline <= server.timeline {
                state.server = server
            }
            return known
        }
        guard known.system == server.system else {
            throw .unreachable("it is another database cluster than before")
        }
        guard known.timeline <= server.timeline else {
            throw .unreachable(
                "it is a former primary (timeline \(server.timeline)), and timeline "
                    + "\(known.timeline) is known; shut it down")
        }
    }

    /// Compares the last number found with the one that was known before the query.
    func note(
        _ found: PostgreSQLConnection.StoredBatch, known: Int, on connection: PostgreSQLConnection
    ) throws(PostgreSQLError) {
        guard found.last >= known else {
            throw lost("its last number is \(found.last), and \(known) was known", connection)
        }
        state.withLock { state in
            if (state.last?.last ?? 0) < found.last { state.last = found }
        }
    }

    /// After the restart, nothing remembers that changes were lost: so the history is cut now.
    private func lost(
        _ reason: String, _ connection: PostgreSQLConnection
    ) -> PostgreSQLError {
        do throws(PostgreSQLError) { _ = try connection.currentCuts(isLost: true) } catch {
            // Nothing else is refused then: the next connection finds the loss again.
            return error
        }
        return end("the database lost changes: \(reason); restart the daemon to read it again")
    }

    private func end(_ reason: String) -> PostgreSQLError {
        state.withLock { $0.loss = $0.loss ?? .stopped(reason) }
        return .lostHistory(reason)
    }
}
