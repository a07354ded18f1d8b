import Journaling

// Where entries stand in the order of commits: in a row for each commit, the older ones packed.

/// The documents whose entries are looked for.
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

/// Places, and up to which number there are no others.
struct FoundPlaces {
    var places: [EntryPlace]
    var end: Int
}

extension PostgreSQLConnection {
    /// The first places of wanted documents after a number: up to `limit`, and up to the number
    /// `last`. As many numbers are looked at as `span` says, or are packed together.
    func places(
        after sequence: Int, upTo last: Int, of wanted: WantedDocuments, span: Int, limit: Int
    ) throws(PostgreSQLError) -> FoundPlaces {
        let next = min(last, sequence + span)
        // What is packed in between goes after it was looked for, or is seen to be packed.
        let answers = try run([
            Command(
                .places,
                [.integer(sequence), .integer(next)] + wanted.bounds + [.integer(limit)]),
            Command(.packedOrderEnd),
        ])
        let packedEnd = answers[1].rows.first?.integer(0) ?? 0
        let found: FoundPlaces
        if packedEnd > sequence {
            let order = try packedOrder(after: sequence)
            let places = order.places.lazy.filter {
                sequence < $0.sequence && $0.sequence <= last && wanted.contains($0.document)
            }
            found = FoundPlaces(
                places: Array(places.prefix(limit)), end: min(last, order.numbers.upperBound))
        } else {
            found = FoundPlaces(places: answers[0].rows.compactMap(EntryPlace.init), end: next)
        }
        if case .all = wanted, let first = found.places.first, first.sequence > sequence + 1 {
            throw PostgreSQLConnection.noOrder(of: sequence + 1)
        }
        guard found.places.count == limit, let newest = found.places.last else { return found }
        return FoundPlaces(places: found.places, end: newest.sequence)
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
    /// What `places` has found.
    fileprivate init?(_ row: SQLRow) {
        guard let document = DocumentID(row.text(1)) else { return nil }
        self.init(sequence: row.integer(0), document: document, revision: row.integer(2))
    }
}
