import Journaling

// Positions of entries in the order of commits: in rows of commits, the older ones packed.

/// The documents whose entries a search returns.
enum WantedDocuments {
    case all
    /// Whose names begin so.
    case prefix([UInt8])
    case named(Set<DocumentID>)

    func contains(_ document: DocumentID) -> Bool {
        switch self {
        case .all: true
        case .prefix(let prefix): document.name.utf8.starts(with: prefix)
        case .named(let documents): documents.contains(document)
        }
    }

    /// The least name, the first name behind all, and all names, as far as there are such.
    fileprivate var bounds: [SQLValue] {
        switch self {
        case .all: [.bytes([]), .bytes(nil), .noArray]
        case .prefix(let prefix):
            [.bytes(prefix), .bytes(PostgreSQLConnection.end(of: prefix)), .noArray]
        case .named(let documents):
            [.bytes([]), .bytes(nil), PostgreSQLConnection.names(Array(documents))]
        }
    }
}

/// Positions, and the number up to which there are no others.
struct FoundPlaces {
    var places: [EntryPlace]
    var end: Int

    /// Behind the last of as many as were asked for there may be others.
    init(places: [EntryPlace], end: Int, limit: Int = .max) {
        self.places = places
        self.end = places.count == limit ? places.last?.sequence ?? end : end
    }
}

extension PostgreSQLConnection {
    /// The first positions of wanted documents after a number: up to `limit`, and up to the number
    /// `last`. The query scans `span` numbers, or as many as are packed together.
    func places(
        after sequence: Int, upTo last: Int, of wanted: WantedDocuments, span: Int, limit: Int
    ) throws(PostgreSQLError) -> FoundPlaces {
        let next = min(last, sequence + span)
        let look = Command(
            .places, [.integer(sequence), .integer(next)] + wanted.bounds + [.integer(limit)])
        let found =
            if case .all = wanted { try allPlaces(after: sequence, look) } else {
                try wantedPlaces(after: sequence, upTo: next, look, limit: limit)
            }
        if let found { return found }
        let order = try packedOrder(after: sequence)
        let places = order.places.lazy.filter {
            sequence < $0.sequence && $0.sequence <= last && wanted.contains($0.document)
        }
        return FoundPlaces(
            places: Array(places.prefix(limit)), end: min(last, order.numbers.upperBound),
            limit: limit)
    }

    /// The places after a number that was the last of late.
    func newPlaces(after sequence: Int, limit: Int) throws(PostgreSQLError) -> [EntryPlace] {
        let places = try rows(.order, [.integer(sequence), .integer(limit)])
            .flatMap { PostgreSQLConnection.places($0) }.drop { $0.sequence <= sequence }
        if places.isEmpty || places.first?.sequence == sequence + 1 {
            return Array(places.prefix(limit))
        }
        return try self.places(
            after: sequence, upTo: sequence + limit, of: .all, span: limit, limit: limit
        ).places
    }

    /// Each number must have its place; `nil` if the first is packed.
    private func allPlaces(
        after sequence: Int, _ look: Command
    ) throws(PostgreSQLError) -> FoundPlaces? {
        let places = try EntryPlace.read(try run([look])[0])
        if places.first?.sequence != sequence + 1 {
            if try packedOrderEnd() > sequence { return nil }
            guard places.isEmpty else { throw PostgreSQLConnection.noOrder(of: sequence + 1) }
        }
        guard places.last?.sequence ?? sequence == sequence + places.count else {
            throw PostgreSQLConnection.noOrder(of: sequence + places.count)
        }
        return FoundPlaces(places: places, end: sequence + places.count)
    }

    /// `nil` if the first numbers are packed: what is packed in between goes after it was looked
    /// for, or is seen to be packed.
    private func wantedPlaces(
        after sequence: Int, upTo last: Int, _ look: Command, limit: Int
    ) throws(PostgreSQLError) -> FoundPlaces? {
        let answers = try run([Command(.newest), look, Command(.packedOrderEnd)])
        if answers[2].rows.first?.integer(0) ?? 0 > sequence { return nil }
        // Numbers after the newest one of this server were not scanned.
        let newest = answers[0].rows.first?.integer(0) ?? 0
        return FoundPlaces(
            places: try EntryPlace.read(answers[1]), end: max(sequence, min(last, newest)),
            limit: limit)
    }

    private func packedOrder(after sequence: Int) throws(PostgreSQLError) -> PackedOrder {
        guard let row = try rows(.packedPlaces, [.integer(sequence)]).first,
            let order = PackedOrder(last: row.integer(0), count: row.integer(1), row.bytes(2)),
            order.numbers.contains(sequence + 1)
        else { throw PostgreSQLConnection.noOrder(of: sequence + 1) }
        return order
    }

    private static func noOrder(of sequence: Int) -> PostgreSQLError {
        .corrupt("the order of entry \(sequence) is not there")
    }
}

extension EntryPlace {
    /// The result of `places`.
    fileprivate static func read(
        _ answer: PostgreSQLConnection.Answer
    ) throws(PostgreSQLError) -> [EntryPlace] {
        try answer.rows.map { row throws(PostgreSQLError) in
            guard let document = DocumentID(row.text(1)) else {
                throw .corrupt("entry \(row.integer(0)) is of a document without a name")
            }
            return EntryPlace(
                sequence: row.integer(0), document: document, revision: row.integer(2))
        }
    }
}
