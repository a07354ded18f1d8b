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
    /// Whether the commit was sent: if the connection is lost after that, its outcome is unknown.
    private(set) var isCommitting = false

    /// The first commands.
    private let opening: [Command]
    /// The commands to send before the next statements.
    private var pending: [Command] = []
    let isPatient: Bool

    /// `isPatient`: waits for locks of other transactions as long as the session's limit, and not
    /// only for a moment.
    init(_ connection: PostgreSQLConnection, isPatient: Bool = true) {
        self.connection = connection
        self.isPatient = isPatient
        let waiting: [Command] =
            isPatient
            ? [Command(.waitPatiently)]
            : connection.keepsSession ? [] : [Command(.waitForMoment)]
        opening = connection.opening + waiting
    }

    /// The entries to be stored, in the order of the batch.
    var stored: [JournalEntry] { zip(entries, isStored).filter(\.1).map(\.0) }

    private mutating func run(
        _ commands: [Command]
    ) throws(PostgreSQLError) -> [PostgreSQLConnection.Answer] {
        let first = (hasBegun ? [] : [Command(.begin)] + opening) + pending
        (hasBegun, pending) = (true, [])
        return Array(try connection.run(first + commands).dropFirst(first.count))
    }

    /// The documents that other transactions hold. Changes nothing, and waits for none.
    mutating func kept(_ documents: Set<DocumentID>) throws(PostgreSQLError) -> Set<DocumentID> {
        let names = PostgreSQLConnection.names(documents.sorted())
        let answers = try connection.run([
            Command(.begin), Command(.heads, [names]), Command(.free, [names]), Command(.rollback),
        ])
        let free = Set(answers[2].rows.compactMap { DocumentID($0.text(0)) })
        return Set(answers[1].rows.compactMap { DocumentID($0.text(0)) }).subtracting(free)
    }

    /// Locks documents: no other transaction can write to them from now on. Returns their entries
    /// after the known ones, and the errors of those that cannot be read.
    mutating func lock(
        _ documents: [DocumentRevision]
    ) throws(PostgreSQLError) -> TurnBeginning {
        let answers = try run([
            Command(.lock, [PostgreSQLConnection.names(documents.map(\.document))]),
            PostgreSQLConnection.readingEntries(after: documents),
        ])
        let found = PostgreSQLConnection.rows(answers[1], count: documents.count)
        let heads = PostgreSQLConnection.heads(answers[0].rows)
        var beginning = TurnBeginning()
        for (known, rows) in zip(documents, found) {
            let head = heads[known.document]?.revision ?? -1
            do throws(PostgreSQLError) {
                beginning.missed[known.document] = try missed(rows, after: known, upTo: head)
            } catch {
                guard case .corrupt(let reason) = error else { throw error }
                beginning.overdue[known.document] = .corrupt(reason)
            }
        }
        return beginning
    }

    /// From now on it waits as long as any session does: what was made must not be given up.
    mutating func becomePatient() {
        if !isPatient { pending = [Command(.waitPatiently)] }
    }

    /// All entries after what is known: with the rest, if all together was too much or is packed.
    private func missed(
        _ rows: [EntryRow], after known: DocumentRevision, upTo head: Int
    ) throws(PostgreSQLError) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        if let first = rows.first, first.follows(known) {
            entries = try rows.map { row throws(PostgreSQLError) in
                try row.entry(of: known.document)
            }
        }
        while true {
            let last = entries.last?.revision ?? known.revision
            if last >= head { return entries }
            entries += try connection.packedEntries(
                of: known.document, from: last + 1, limit: PostgreSQLJournal.pageSize)
        }
    }

    /// Adds entries and makes them durable in one round trip: those of documents to which no other
    /// daemon wrote first; with units, all or none. Returns `nil`, and has done nothing, if the
    /// server does not show which entries follow.
    mutating func commitAtOnce(
        _ batch: JournalBatch
    ) throws(PostgreSQLError) -> [EntryFate]? {
        let entries = batch.entries
        let runs = AppendingTransaction.runs(of: entries)
        guard batch.units.allSatisfy(\.conditions.isEmpty),
            runs.allSatisfy({ following(nil, $0.value, of: entries).count == $0.value.count })
        else { return nil }
        self.entries = entries
        isStored = entries.map { _ in true }
        let stores = AppendingTransaction.storing(
            runs.map { run in run.value.map { entries[$0] } }, self.batch)
        let numbering = AppendingTransaction.numbering(
            entries, self.batch, of: runs.map(\.key), isAll: !batch.units.isEmpty)
        isCommitting = true
        do throws(PostgreSQLError) {
            let answers = try run(stores + numbering + [Command(.commit)])  // The commit point.
            let numbered = answers[stores.count + 1].rows[0]
            note(numbered, runs)
            return fates(last: numbered.integer(0))
        } catch {
            // Division by zero: another daemon came first, or the tables are not ours any more.
            guard case .refused(state: "22012", _) = error else { throw error }
            (isCommitting, hasBegun) = (false, false)
            if batch.units.isEmpty { throw PostgreSQLError.otherTables }
            return nil
        }
    }

    /// Other daemons came first at some documents; the server reports which are left.
    private mutating func note(
        _ numbered: SQLRow, _ runs: [(key: DocumentID, value: [Int])]
    ) {
        if numbered.integer(0) > 0, numbered.columns[1] == nil { return }
        let names = Set(numbered.integer(0) > 0 ? numbered.elements(1) : [])
        for (document, run) in runs where !names.contains(Array(document.name.utf8)) {
            for place in run { isStored[place] = false }
        }
    }

    /// The places of each document's entries, in the order in which documents are locked: by their
    /// names, and those that there are first.
    private static func runs(
        of entries: [JournalEntry]
    ) -> [(key: DocumentID, value: [Int])] {
        func isNew(_ run: [Int]) -> Bool { entries[run[0]].revision == 0 }
        let runs = Dictionary(grouping: entries.indices) { entries[$0].document }
            .sorted { $0.key < $1.key }
        return runs.filter { !isNew($0.value) } + runs.filter { isNew($0.value) }
    }

    /// Adds entries, those that follow; of a unit all or none.
    mutating func append(_ batch: JournalBatch) throws(PostgreSQLError) {
        if batch.units.isEmpty { return try append(batch.entries) }
        entries = batch.entries
        isStored = entries.map { _ in false }
        let heads = try lockedHeads(for: batch)
        let follows = batch.following { heads[$0] }
        let stored = zip(entries, follows).filter(\.1).map(\.0)
        let answers = try run(
            AppendingTransaction.storing(
                AppendingTransaction.runs(of: stored).map { $0.value.map { stored[$0] } },
                self.batch))
        // A missing document could not be locked, and another transaction has made it.
        guard answers.reduce(0, { $0 + $1.changed }) == stored.count else {
            try connection.run([Command(.rollback)])
            throw .transient("another document of the name was made")
        }
        isStored = follows
        try releaseAbsent()
    }

    /// Locks all documents that a batch is about, those that may be there first. Returns where they
    /// end. Of one that must not be there, the name is held until `releaseAbsent`.
    private mutating func lockedHeads(
        for batch: JournalBatch
    ) throws(PostgreSQLError) -> [DocumentID: JournalHead] {
        let conditions = batch.units.flatMap(\.conditions)
        let documents = (batch.entries.map(\.document) + conditions.map(\.document)).inOrder
        absent = conditions.filter { $0.head == nil }.map(\.document)
        let present = documents.filter { !absent.contains($0) }
        let holds = documents.filter { absent.contains($0) }.map {
            Command(.hold, [.text($0.name), .bytes(self.batch)])
        }
        let locks = [present, documents].map { Command(.lock, [PostgreSQLConnection.names($0)]) }
        _ = try run([locks[0]] + (holds.isEmpty ? [] : holds + [locks[1]]))
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
        let answers = try run(guesses.map { run in storing(run.map { entries[$0] }) })
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
            let command = storing(following.map { entries[$0] })
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
            let numbering = AppendingTransaction.numbering(
                stored, batch, of: stored.map(\.document).inOrder, isAll: true)
            let answers = try connection.run(numbering + [Command(.commit)])  // The commit point.
            return fates(last: answers[1].rows.first?.integer(0) ?? 0)
        } catch {
            guard case .refused(state: "22012", _) = error else { throw error }
            throw PostgreSQLError.otherTables
        }
    }

    /// Tries to store the first entry of each document: a transaction that does so waits for the
    /// end of one that holds locks.
    var trials: [Command] {
        let stored = stored
        return AppendingTransaction.storing(
            AppendingTransaction.runs(of: stored).map { [stored[$0.value[0]]] }, [])
    }

    private func storing(_ run: [JournalEntry]) -> Command {
        AppendingTransaction.storing([run], batch)[0]
    }

    /// The fates of all entries, if these places are what it has stored.
    func fates(in places: [EntryPlace]) -> [EntryFate] {
        let documents = Dictionary(grouping: places, by: \.document).mapValues { places in
            Dictionary(places.map { ($0.revision, $0.sequence) }, uniquingKeysWith: max)
        }
        // Of two entries with one revision at most one was sent to be stored.
        return zip(entries, isStored).map { entry, isStored in
            guard isStored, let sequence = documents[entry.document]?[entry.revision] else {
                return .refused
            }
            return .stored(sequence: sequence)
        }
    }

    /// The fates of all entries, if the last one that is stored has a number.
    private func fates(last: Int) -> [EntryFate] {
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
