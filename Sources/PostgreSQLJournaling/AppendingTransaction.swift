import Journaling

/// A transaction that adds entries of documents, each only if it follows.
struct AppendingTransaction {
    typealias Command = PostgreSQLConnection.Command

    private let connection: PostgreSQLConnection
    private var entries: [JournalEntry] = []
    private var isStored: [Bool] = []
    /// Documents that must not be there, and whose names are held.
    private var absent: [DocumentID] = []
    /// Its first statements go out with its beginning.
    private var hasBegun = false
    /// The name of the batch, by which it is found in the order of all.
    let batch = (0..<16).map { _ in UInt8.random(in: 0...255) }
    /// Whether the commit was sent: if the connection is lost then, nobody knows.
    private(set) var isCommitting = false

    /// What it begins with.
    private let opening: [Command]
    let isPatient: Bool

    /// `isPatient`: it waits for what others keep as long as any session does, and not only for a
    /// moment.
    init(_ connection: PostgreSQLConnection, isPatient: Bool = true) {
        self.connection = connection
        self.isPatient = isPatient
        opening = connection.opening + (isPatient ? [] : [Command(.waitForMoment)])
    }

    /// What will be stored, in the order of the batch.
    var stored: [JournalEntry] { zip(entries, isStored).filter(\.1).map(\.0) }

    private mutating func run(
        _ commands: [Command]
    ) throws(PostgreSQLError) -> [PostgreSQLConnection.Answer] {
        if hasBegun { return try connection.run(commands) }
        hasBegun = true
        let answers = try connection.run([Command(.begin)] + opening + commands)
        return Array(answers.dropFirst(1 + opening.count))
    }

    /// Those of some documents that somebody else keeps. Changes nothing, and waits for nobody.
    mutating func kept(_ documents: Set<DocumentID>) throws(PostgreSQLError) -> Set<DocumentID> {
        let names = PostgreSQLConnection.names(documents.sorted())
        let answers = try connection.run([
            Command(.begin), Command(.heads, [names]), Command(.free, [names]), Command(.rollback),
        ])
        let free = Set(answers[2].rows.compactMap { DocumentID($0.text(0)) })
        return Set(answers[1].rows.compactMap { DocumentID($0.text(0)) }).subtracting(free)
    }

    /// Nobody else can write to documents from now on. Returns their entries after what is known.
    mutating func lock(
        _ documents: [DocumentRevision]
    ) throws(PostgreSQLError) -> [DocumentID: [JournalEntry]] {
        let ordered = documents.map(\.document).inOrder
        _ = try run(ordered.map { Command(.lock, [.text($0.name)]) })
        var missed: [DocumentID: [JournalEntry]] = [:]
        for known in documents {
            missed[known.document] = try entries(of: known.document, after: known.revision)
        }
        return missed
    }

    private func entries(
        of document: DocumentID, after revision: Int
    ) throws(PostgreSQLError) -> [JournalEntry] {
        var missed: [JournalEntry] = []
        while true {
            let rows = try connection.entries(
                of: document, from: (missed.last?.revision ?? revision) + 1,
                limit: PostgreSQLJournal.pageSize)
            do throws(JournalError) {
                missed += try rows.map { row throws(JournalError) in try row.entry(of: document) }
            } catch {
                throw .refused(state: "XX001", error.description)
            }
            if rows.isEmpty { return missed }
        }
    }

    /// Adds entries and makes them durable, all sent at once, if all of them follow. Returns `nil`,
    /// and has done nothing, if one does not.
    mutating func appendAll(
        _ entries: [JournalEntry]
    ) throws(PostgreSQLError) -> [EntryFate]? {
        let runs = AppendingTransaction.runs(of: entries)
        guard runs.allSatisfy({ following(nil, $0.value, of: entries).count == $0.value.count })
        else { return nil }
        self.entries = entries
        isStored = entries.map { _ in true }
        let stores = runs.map { run in
            AppendingTransaction.storing(run.value.map { entries[$0] }, batch)
        }
        isCommitting = true
        do throws(PostgreSQLError) {
            let answers = try connection.run(
                [Command(.begin)] + opening + stores
                    + [
                        AppendingTransaction.numbering(entries, batch, of: runs.map(\.key)),
                        Command(.commit),  // The commit point.
                    ])
            return fates(last: answers[answers.count - 2].rows.first?.integer(0) ?? 0)
        } catch {
            // Division by zero: somebody else came first, or the tables are not ours any more.
            guard case .refused(state: "22012", _) = error else { throw error }
            isCommitting = false
            return nil
        }
    }

    /// The places of each document's entries, by the documents' names.
    private static func runs(
        of entries: [JournalEntry]
    ) -> [(key: DocumentID, value: [Int])] {
        Dictionary(grouping: entries.indices) { entries[$0].document }
            .sorted { $0.key < $1.key }
    }

    /// Adds entries, those that follow; of a unit all or none.
    mutating func append(_ batch: JournalBatch) throws(PostgreSQLError) {
        if batch.units.isEmpty { return try append(batch.entries) }
        entries = batch.entries
        isStored = entries.map { _ in false }
        let heads = try lockedHeads(for: batch)
        let follows = batch.following { heads[$0] }
        let runs = AppendingTransaction.runs(of: entries).compactMap { _, run in
            let stored = run.filter { follows[$0] }
            return stored.isEmpty ? nil : stored
        }
        let answers = try run(
            runs.map { run in AppendingTransaction.storing(run.map { entries[$0] }, self.batch) })
        // A document that there was not could not be locked, and somebody else has made it.
        guard answers.allSatisfy({ $0.changed > 0 }) else {
            try connection.run([Command(.rollback)])
            throw .transient("another document of the name was made")
        }
        isStored = follows
        try releaseAbsent()
    }

    /// Locks all documents that a batch is about, in the order of their names. Returns where they
    /// end. Of one that must not be there, the name is held until `releaseAbsent`.
    private mutating func lockedHeads(
        for batch: JournalBatch
    ) throws(PostgreSQLError) -> [DocumentID: JournalHead] {
        let conditions = batch.units.flatMap(\.conditions)
        let documents = (batch.entries.map(\.document) + conditions.map(\.document)).inOrder
        absent = conditions.filter { $0.head == nil }.map(\.document)
        var commands: [Command] = []
        for document in documents {
            if absent.contains(document) {
                commands.append(Command(.hold, [.text(document.name), .bytes(self.batch)]))
            }
            commands.append(Command(.lock, [.text(document.name)]))
        }
        _ = try run(commands)
        return try connection.heads(of: documents).filter { $0.value.revision >= 0 }
    }

    private mutating func releaseAbsent() throws(PostgreSQLError) {
        if absent.isEmpty { return }
        _ = try run(absent.map { Command(.release, [.text($0.name)]) })
    }

    /// Adds entries, those that follow.
    private mutating func append(_ entries: [JournalEntry]) throws(PostgreSQLError) {
        self.entries = entries
        isStored = entries.map { _ in false }
        let runs = AppendingTransaction.runs(of: entries)
        // First as if all followed one another, and the first of them the head.
        let guesses = runs.map { following(nil, $0.value, of: entries) }
        let answers = try run(
            guesses.map { AppendingTransaction.storing($0.map { entries[$0] }, batch) })
        var missed: [[Int]] = []
        for (index, (guess, answer)) in zip(guesses, answers).enumerated() {
            if answer.changed > 0 {
                for place in guess { isStored[place] = true }
            } else {
                missed.append(runs[index].value)
            }
        }
        if !missed.isEmpty { try appendAfterHead(missed) }
    }

    /// Adds what follows the heads that there are.
    private mutating func appendAfterHead(_ runs: [[Int]]) throws(PostgreSQLError) {
        let documents = runs.map { entries[$0[0]].document }
        let heads = try connection.heads(of: documents)
        for (document, run) in zip(documents, runs) {
            let head = heads[document] ?? JournalHead(revision: -1, chain: .start)
            let following = following(head, run, of: entries)
            guard !following.isEmpty else { continue }
            let command = AppendingTransaction.storing(following.map { entries[$0] }, batch)
            guard try connection.run([command])[0].changed > 0 else { continue }
            for place in following { isStored[place] = true }
        }
    }

    /// Of a document's entries those that follow one another and a head; without one, the first.
    private func following(
        _ head: JournalHead?, _ run: [Int], of entries: [JournalEntry]
    ) -> [Int] {
        var found: [Int] = []
        var head = head
        for place in run {
            let entry = entries[place]
            let follows = head.map { entry.follows($0) } ?? true
            guard follows else { continue }
            found.append(place)
            head = entry.head
        }
        return found
    }

    /// Makes it durable. Returns the fates of all entries.
    mutating func commit() throws(PostgreSQLError) -> [EntryFate] {
        let stored = stored
        guard !stored.isEmpty else {
            if hasBegun { try connection.run([Command(.rollback)]) }
            return entries.map { _ in .refused }
        }
        isCommitting = true
        do throws(PostgreSQLError) {
            let answers = try connection.run([
                AppendingTransaction.numbering(stored, batch),
                Command(.commit),  // The commit point.
            ])
            return fates(last: answers[0].rows.first?.integer(0) ?? 0)
        } catch {
            guard case .refused(state: "22012", _) = error else { throw error }
            throw PostgreSQLError.otherTables
        }
    }

    /// The fates of all entries, if the last one has a number.
    func fates(last: Int) -> [EntryFate] {
        var sequence = last - stored.count
        return isStored.map { isStored in
            guard isStored else { return .refused }
            sequence += 1
            return .stored(sequence: sequence)
        }
    }
}

extension [DocumentID] {
    /// Each once, in the order in which they are locked.
    fileprivate var inOrder: [DocumentID] {
        Set(self).sorted()
    }
}

// MARK: Statements

extension AppendingTransaction {
    /// Stores entries of one document that follow one another, if the first follows the head.
    static func storing(_ entries: [JournalEntry], _ batch: [UInt8]) -> Command {
        let (first, last) = (entries[0], entries[entries.count - 1])
        let turn = entries.last { $0.lifecycle != .goesOn }?.lifecycle
        let columns: [SQLValue] = [
            .array(entries.map(\.revision)), .array(entries.map(\.lifecycle.rawValue)),
            .array(entries.map(\.chain.bytes)), .array(entries.map(\.body)), .bytes(batch),
        ]
        let state: [SQLValue] = [
            .integer(last.revision), .bytes(last.chain.bytes), .flag(turn.map { $0 == .ends }),
        ]
        let name = SQLValue.text(first.document.name)
        if first.revision == 0 { return Command(.create, [name] + state + columns) }
        let head: [SQLValue] = [
            .integer(first.revision - 1), .bytes(first.previousChain.bytes),
        ]
        return Command(.append, [name] + head + state + columns)
    }

    /// Gives numbers to entries, in their order, if all their documents were written to by the
    /// batch.
    static func numbering(
        _ entries: [JournalEntry], _ batch: [UInt8], of documents: [DocumentID]
    ) -> Command {
        Command(
            .numberIfAll,
            numbering(entries, batch).values + [
                .integer(documents.count), .array(documents.map { Array($0.name.utf8) }),
            ])
    }

    /// Gives numbers to entries, in their order.
    static func numbering(_ entries: [JournalEntry], _ batch: [UInt8]) -> Command {
        Command(
            .number,
            [
                .integer(entries.count), .bytes(batch),
                .array(entries.map { Array($0.document.name.utf8) }),
                .array(entries.map(\.revision)),
            ])
    }
}
