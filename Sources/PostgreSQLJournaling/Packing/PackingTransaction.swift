import Journaling

/// Which places of the order are packed.
struct OrderPackingPolicy {
    /// The minimum age of packed rows, by the database's clock. A commit whose response was lost is
    /// searched by its name for up to a minute, and packing removes names.
    var age: Duration
    /// Fewer are not worth a row.
    var placesMin: Int

    static let standard = OrderPackingPolicy(age: .seconds(600), placesMin: 4_096)
}

/// One step of packing, in one transaction; a document's checkpoints follow in another one.
struct PackingTransaction {
    typealias Command = PostgreSQLConnection.Command

    private let connection: PostgreSQLConnection
    private let columns: any BodyColumns
    /// The document that is being packed: if this step fails, another one continues after it.
    private(set) var position: [UInt8]?

    /// The limit on documents that one step visits.
    private static let lookedMax = 500

    init(_ connection: PostgreSQLConnection, _ columns: any BodyColumns) {
        self.connection = connection
        self.columns = columns
    }

    /// Packs places at the beginning of a round, then entries of the next document that has enough.
    ///
    /// - Parameter policy: for all documents; `nil` for the policy next to running daemons.
    mutating func step(
        _ policy: PackingPolicy?, _ order: OrderPackingPolicy
    ) throws(PostgreSQLError) -> PackingStep {
        let answers = try connection.run(
            [Command(.begin)] + connection.opening
                + [Command(.waitForMoment), Command(.claimPacking)])
        guard let state = answers.last?.rows.first else {
            try connection.run([Command(.rollback)])
            return .finished
        }
        let start = state.bytes(0)
        if start.isEmpty {
            let count = try packOrder(state, order)
            if count > 0 { return .packed(count) }
        }
        return try packEntries(after: start, policy)
    }

    // MARK: The order

    /// Packs the oldest places, if they are old and many enough. Returns how many.
    private func packOrder(
        _ state: SQLRow, _ policy: OrderPackingPolicy
    ) throws(PostgreSQLError) -> Int {
        let newest = try connection.newest().last
        let time = (try connection.time() ?? .zero) / .microseconds(1)
        let (marked, markedAt) = (state.integer(1), state.integer(2))
        guard Int(time) - markedAt >= Int(policy.age / .microseconds(1)) else { return 0 }
        // All up to the mark is that old; the newest row always stays.
        let places = try connection.oldestPlaces(upTo: min(marked, newest - 1))
        guard places.count >= policy.placesMin, let last = places.last?.sequence else {
            try connection.run([
                Command(.markPacking, [.integer(newest), .integer(Int(time))])
            ])
            return 0
        }
        // One commit may have had as many as a whole history.
        let size = 2 * PackedOrder.placesMax
        let packed = try stride(from: 0, to: places.count, by: size).map {
            start throws(PostgreSQLError) in
            try PackingTransaction.packing(Array(places[start...].prefix(size)))
        }
        try connection.run(packed + [Command(.removeOrder, [.integer(last)]), Command(.commit)])
        return places.count
    }

    private static func packing(_ places: [EntryPlace]) throws(PostgreSQLError) -> Command {
        let order = PackedOrder(places)
        let (last, body) = (order.numbers.upperBound, order.packed())
        guard PackedOrder(last: last, count: places.count, body) == order else {
            throw .corrupt("places are not the same when they are unpacked")
        }
        return Command(.packOrder, [.integer(last), .integer(places.count), .bytes(body)])
    }

    // MARK: Entries

    private mutating func packEntries(
        after start: [UInt8], _ policy: PackingPolicy?
    ) throws(PostgreSQLError) -> PackingStep {
        let isComplete = policy != nil
        let looked = try connection.unpackedDocuments(
            after: start, limit: PackingTransaction.lookedMax)
        let edited = policy == nil ? try edited(among: looked) : []
        for (index, document) in looked.enumerated() {
            let policy = policy ?? (edited.contains(document.name) ? .busy : .quiet)
            guard let range = policy.range(of: document.unpacked) else { continue }
            position = document.name
            if let count = try pack(document, range) {
                // It may have more.
                let before = index == 0 ? start : looked[index - 1].name
                let step = try end(at: before, .packed(count))
                try connection.packCheckpoints(of: document.name)
                return step
            }
            return try end(at: document.name, .looked)
        }
        let isLast = looked.count < PackingTransaction.lookedMax
        let step = try end(
            at: isLast ? [] : looked[looked.count - 1].name, isLast ? .finished : .looked)
        // Beside daemons a document's checkpoints follow its entries.
        if isLast && isComplete { try connection.packAllCheckpoints() }
        return step
    }

    private func end(
        at position: [UInt8], _ step: PackingStep
    ) throws(PostgreSQLError) -> PackingStep {
        try connection.run([Command(.movePacking, [.bytes(position)]), Command(.commit)])
        return step
    }

    /// Of the documents that are packed only if they are quiet, those that are not.
    private func edited(
        among looked: [UnpackedDocument]
    ) throws(PostgreSQLError) -> Set<[UInt8]> {
        let names = looked.filter { PackingPolicy.quiet.range(of: $0.unpacked) != nil }.map(\.name)
        if names.isEmpty { return [] }
        let since = try connection.newest().last - PackingPolicy.changesUntilQuiet
        return Set(
            try connection.rows(.editedAfter, [.integer(since), .array(names)]).map { $0.bytes(0) })
    }

    /// Packs entries of a document; `nil` if they have been rewritten meanwhile.
    private func pack(
        _ document: UnpackedDocument, _ revisions: ClosedRange<Int>
    ) throws(PostgreSQLError) -> Int? {
        guard let id = DocumentID(String(decoding: document.name, as: UTF8.self)) else {
            throw .corrupt("a document has no name")
        }
        let entries = try packable(id, revisions)
        guard !entries.isEmpty else { return nil }
        // The numbers are those of the order of all entries.
        let numbered = entries.map { (sequence: $0.revision + 1, entry: $0) }
        let segment = Segment(packing: numbered, columns: columns)
        do throws(JournalError) { try segment.check(numbered) } catch {
            throw .corrupt(error.description)
        }
        let answers = try connection.run([
            Command(.keep, [.bytes(document.name)]), Command(.pack, segment.values),
        ])
        if answers[1].changed == 0 { return nil }
        guard answers[1].changed == segment.count else {
            throw .corrupt("\(id) has not the entries that were packed")
        }
        return segment.count
    }
}

extension PackingTransaction {
    /// The first of some entries, as many as one segment takes.
    private func packable(
        _ document: DocumentID, _ revisions: ClosedRange<Int>
    ) throws(PostgreSQLError) -> ArraySlice<JournalEntry> {
        let entries = try connection.packedEntries(
            of: document, from: revisions.lowerBound, limit: revisions.count)
        var bytes = 0
        return entries.prefix { entry in
            defer { bytes += entry.body.count }
            return bytes < PackingPolicy.bytesMax
        }
    }
}

/// A document with the revisions that are not packed.
struct UnpackedDocument {
    let name: [UInt8]
    let unpacked: ClosedRange<Int>
}

extension PostgreSQLConnection {
    /// Documents in the order of their names.
    fileprivate func unpackedDocuments(
        after name: [UInt8], limit: Int
    ) throws(PostgreSQLError) -> [UnpackedDocument] {
        try rows(.unpacked, [.bytes(name), .integer(limit)]).map { row in
            let (last, first) = (row.integer(1), row.columns[2].map { _ in row.integer(2) })
            return UnpackedDocument(
                name: row.bytes(0), unpacked: min(first ?? last, last)...max(last, first ?? last))
        }
    }

    /// The places of the oldest rows, up to a number: whole rows, as many as are packed together.
    fileprivate func oldestPlaces(upTo last: Int) throws(PostgreSQLError) -> [EntryPlace] {
        try rows(.order, [.integer(0), .integer(PackedOrder.placesMax)])
            .prefix { $0.integer(0) <= last }
            .flatMap { PostgreSQLConnection.places($0) }
    }
}
