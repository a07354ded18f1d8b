import JSONTree

extension Snapshot {
    func write(to writer: inout ByteWriter) {
        writer.number(revision)
        writer.text(actor)
        writer.number(max(0, time.milliseconds))
        writer.number(places.count)
        for place in places {
            writer.text(place.pointer.description)
            writer.byte(place.value == nil ? 0 : 1)
            if let value = place.value { writer.block(value.serialized()) }
        }
    }

    init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        let revision = try reader.number()
        let actor = try reader.text()
        let time = Timestamp(milliseconds: try reader.number())
        var places: [Place] = []
        for _ in 0..<(try reader.number()) {
            let pointer = try JSONPointer(from: &reader)
            var value: JSON?
            if try reader.byte() == 1 {
                value = try? JSON(parsing: try reader.block(), limits: .stored)
                guard value != nil else { throw ByteReader.Malformed() }
            }
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
