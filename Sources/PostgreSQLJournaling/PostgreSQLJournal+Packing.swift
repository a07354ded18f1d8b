public import Journaling

// Packing: old entries of a document become a segment, and old rows of the order become one. Many
// daemons share the work: the daemon that locks the row with the position does the next step.

extension PostgreSQLJournal: Packable {
    public func pack(_ policy: PackingPolicy?) throws(JournalError) -> PackingStep {
        try pack(policy, order: .standard)
    }

    /// The same, with another policy for the order.
    func pack(
        _ policy: PackingPolicy?, order: OrderPackingPolicy
    ) throws(JournalError) -> PackingStep {
        try reading { connection throws(PostgreSQLError) in
            var transaction = PackingTransaction(connection, columns)
            do throws(PostgreSQLError) {
                return try transaction.step(policy, order)
            } catch {
                // Another transaction holds the document: continue with the next one.
                guard case .locked = error, let position = transaction.position else {
                    throw error
                }
                try connection.run([.init(.movePacking, [.bytes(position)])])
                return .looked
            }
        }
    }

    /// Frees the space of packed rows for new ones, if the server permits this role to do so.
    public func vacuum() throws(JournalError) {
        try reading { connection throws(PostgreSQLError) in
            try connection.patiently(try connection.vacuum())
        }
    }
}
