import Journaling

// The statements of a transaction.

extension AppendingTransaction {
    /// About how many bytes one statement has at most, if it is about several documents.
    private static let bytesMax = 16 << 20

    /// Stores entries, in each run those of one document, which follow one another: those of which
    /// the first follows the head. In the order of the runs, but first those of documents that
    /// there are.
    static func storing(_ runs: [[JournalEntry]], _ batch: [UInt8]) -> [Command] {
        let (old, new) = (runs.filter { $0[0].revision > 0 }, runs.filter { $0[0].revision == 0 })
        return parts(of: old).map { appending($0, batch) }
            + parts(of: new).map { creating($0, batch) }
    }

    private static func parts(of runs: [[JournalEntry]]) -> [ArraySlice<[JournalEntry]>] {
        var parts: [ArraySlice<[JournalEntry]>] = []
        var (start, bytes) = (0, 0)
        for (index, run) in runs.enumerated() {
            let more = run.reduce(0) { $0 + $1.body.count }
            if index > start, bytes + more > bytesMax {
                parts.append(runs[start..<index])
                (start, bytes) = (index, 0)
            }
            bytes += more
        }
        return start < runs.count ? parts + [runs[start...]] : parts
    }

    private static func appending(
        _ runs: ArraySlice<[JournalEntry]>, _ batch: [UInt8]
    ) -> Command {
        let firsts = runs.map { $0[0] }
        let heads: [SQLValue] = [
            PostgreSQLConnection.names(firsts.map(\.document)),
            .array(firsts.map { $0.revision - 1 }), .array(firsts.map(\.previousChain.bytes)),
        ]
        return Command(.append, heads + ends(of: runs) + [.bytes(batch)] + columns(of: runs))
    }

    private static func creating(
        _ runs: ArraySlice<[JournalEntry]>, _ batch: [UInt8]
    ) -> Command {
        let names = PostgreSQLConnection.names(runs.map { $0[0].document })
        return Command(.create, [names] + ends(of: runs) + [.bytes(batch)] + columns(of: runs))
    }

    /// The states of documents after it: revisions, chains, and whether they are deleted; -1 means
    /// unchanged.
    private static func ends(of runs: ArraySlice<[JournalEntry]>) -> [SQLValue] {
        let lasts = runs.map { $0[$0.count - 1] }
        let turns = runs.map { run in
            run.last { $0.lifecycle != .goesOn }.map { $0.lifecycle == .ends ? 1 : 0 } ?? -1
        }
        return [
            .array(lasts.map(\.revision)), .array(lasts.map(\.chain.bytes)), .array(turns),
        ]
    }

    private static func columns(of runs: ArraySlice<[JournalEntry]>) -> [SQLValue] {
        let entries = runs.flatMap { $0 }
        return [
            PostgreSQLConnection.names(entries.map(\.document)), .array(entries.map(\.revision)),
            .array(entries.map(\.lifecycle.rawValue)), .array(entries.map(\.chain.bytes)),
            .array(entries.map(\.body)),
        ]
    }

    /// Gives numbers to entries, in their order: to those of documents that were written to by the
    /// batch, or if `isAll`, to all or none. The second answer says which.
    static func numbering(
        _ entries: [JournalEntry], _ batch: [UInt8], of documents: [DocumentID], isAll: Bool
    ) -> [Command] {
        numbering(
            PostgreSQLConnection.names(entries.map(\.document)), entries.map(\.revision), batch,
            of: PostgreSQLConnection.names(documents), isAll ? documents.count : 0)
    }

    private static func numbering(
        _ names: SQLValue, _ revisions: [Int], _ batch: [UInt8], of documents: SQLValue,
        _ countMin: Int
    ) -> [Command] {
        [
            Command(.lockOrder),
            Command(
                revisions.count > Statement.numbersMax ? .numberMany : .number,
                [.bytes(batch), names, .array(revisions), documents, .integer(countMin)]),
        ]
    }

    /// Does what a commit does, and takes it back: at a key that nothing has.
    static func trial(_ name: [UInt8]) -> [Command] {
        let key = SQLValue.bytes(name)
        return [Command(.tryDocument, [key]), Command(.tryEntry, [key])]
            + numbering(.array([name]), [-1], name, of: .array([name]), 1) + [Command(.rollback)]
    }
}
