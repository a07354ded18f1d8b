import JSONTree

extension Snapshot {
    func write(to writer: inout ByteWriter, _ values: StoredValues) {
        writer.number(revision)
        writer.name(actor)
        writer.number(max(0, time.milliseconds))
        writer.number(places.count)
        for place in places {
            writer.text(place.pointer.description)
            writer.number(values.number(of: place.value))
        }
    }

    init(
        from reader: inout ByteReader, _ values: StoredValues
    ) throws(ByteReader.Malformed) {
        let revision = try reader.number()
        let actor = try reader.name()
        let time = Timestamp(milliseconds: try reader.number())
        var places: [Place] = []
        for _ in 0..<(try reader.number()) {
            let pointer = try JSONPointer(from: &reader)
            let value = try values.value(try reader.number())
            places.append(Place(pointer: pointer, value: value))
        }
        self.init(revision: revision, actor: actor, time: time, places: places)
    }
}

extension JSONPointer {
    init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        guard let pointer = JSONPointer(parsing: try reader.text()) else {
            throw ByteReader.Malformed()
        }
        self = pointer
    }
}

/// The values that snapshots hold, by numbers: 0 is none, 1 the document's own.
struct StoredValues {
    private var values: [JSON]
    private var numbers: [JSON: Int]

    init(_ tree: JSON) {
        values = [tree]
        numbers = [tree: 1]
    }

    mutating func note(_ value: JSON?) {
        guard let value, numbers[value] == nil else { return }
        values.append(value)
        numbers[value] = values.count
    }

    func number(of value: JSON?) -> Int {
        value.flatMap { numbers[$0] } ?? 0
    }

    func value(_ number: Int) throws(ByteReader.Malformed) -> JSON? {
        guard number <= values.count else { throw ByteReader.Malformed() }
        return number == 0 ? nil : values[number - 1]
    }

    func write(to writer: inout ByteWriter) {
        writer.number(values.count - 1)
        for value in values.dropFirst() { writer.block(value.serialized()) }
    }

    init(_ tree: JSON, _ reader: inout ByteReader) throws(ByteReader.Malformed) {
        self.init(tree)
        for _ in 0..<(try reader.number()) {
            guard let value = try? JSON(parsing: try reader.block(), limits: .stored) else {
                throw ByteReader.Malformed()
            }
            values.append(value)
        }
    }
}
