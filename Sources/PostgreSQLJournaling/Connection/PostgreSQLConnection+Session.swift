import Glibc

// How a session begins, and what the server must promise.

extension PostgreSQLConnection {
    /// Bounds how long anything takes, and makes sure that what is confirmed is on the disk, and on
    /// those standbys that are waited for.
    func begin() throws(PostgreSQLError) {
        try run(Statement.session.map { Command($0) })
        // Other engines may not know these.
        for statement in Statement.saving { _ = try told(statement) }
        for (name, value) in try settings() {
            switch (name, value) {
            case ("fsync", "off"):
                throw .refused(
                    state: "55000",
                    "fsync is off, so that confirmed changes could be lost; put it on")
            case ("transaction_read_only", "on"):
                throw .readOnly("it only reads; a standby, or default_transaction_read_only")
            case ("synchronous_commit", let value):
                // In the session, so that no change of the settings reaches it.
                let isStronger = value == "remote_apply"
                try run([Command(isStronger ? .confirmedWhenApplied : .confirmedWhenSafe)])
                open(with: [Command(isStronger ? .confirmWhenApplied : .confirmWhenSafe)])
            default: break
            }
        }
    }

    /// Throws unless a change could be stored: does what a commit does, and takes it back.
    func tryToStore() throws(PostgreSQLError) {
        let name = (0..<16).map { _ in UInt8.random(in: 0...255) }
        do throws(PostgreSQLError) {
            try run([Command(.begin)] + opening + AppendingTransaction.trial(name))
        } catch {
            guard case .refused(state: "22012", _) = error else { throw error }
            throw PostgreSQLError.otherTables
        }
    }

    /// The server's settings that matter. Other engines have fewer of them.
    func settings() throws(PostgreSQLError) -> [(name: String, value: String)] {
        try run([Command(.settings)])[0].rows.map { ($0.text(0), $0.text(1)) }
    }

    /// Throws unless the tables are there as this version needs them; makes them if there are none,
    /// and if they may be changed, those of another version what they are now.
    func prepareTables(mayChange: Bool) throws(PostgreSQLError) {
        let version = try schemaVersion()
        if version == Statement.schemaVersion { return }
        if let version, version > 0, !mayChange {
            throw .refused(
                state: "55000",
                "its tables are of an older versiond (schema \(version)): start a daemon of this "
                    + "version, which changes them; those of the older one must be stopped")
        }
        var attempts = 0
        while true {
            do throws(PostgreSQLError) {
                try makeTables(from: version)
                return
            } catch {
                // Two that make the first table at once: one of them fails, and finds it then.
                attempts += 1
                guard attempts < 10, error.isAboutMeeting else { throw error }
                usleep(UInt32.random(in: 1_000...100_000))
            }
        }
    }

    /// `nil` if the table of the version does not exist.
    private func schemaVersion() throws(PostgreSQLError) -> Int? {
        let version: Int?
        do throws(PostgreSQLError) {
            version = try run([Command(.schemaRead)])[0].rows.first?.integer(0)
        } catch {
            // Undefined table.
            if case .refused(state: "42P01", _) = error { return nil }
            throw error
        }
        if let version, Statement.migration(from: version) == nil {
            throw .refused(
                state: "55000",
                "its tables are of a newer versiond (schema \(version)); this one knows "
                    + "\(Statement.schemaVersion)")
        }
        return version
    }

    /// Of several daemons one does it, all in one transaction, and the others find it done.
    private func makeTables(from known: Int?) throws(PostgreSQLError) {
        // It may be in another schema than that in which tables are made.
        if known == nil { try run([Command(.schemaTable)]) }
        try run([Command(.schemaRow)])
        let version = try run([Command(.begin), Command(.schemaLock)])[1].rows.first?.integer(0)
        for statement in version.flatMap({ Statement.migration(from: $0) }) ?? [] {
            try run([Command(statement)])
        }
        try run([Command(.commit)])
    }
}

extension PostgreSQLError {
    /// Whether another daemon was creating the same: a key, a table or its type exists already, a
    /// row of the catalogue was changed meanwhile, or the transactions deadlocked.
    fileprivate var isAboutMeeting: Bool {
        switch self {
        case .transient, .locked: true
        case .refused(let state, _): ["23505", "42710", "42P07", "XX000"].contains(state)
        default: false
        }
    }
}
