extension ReversiblePatch {
    /// Appends the patch's binary form: each edit once, both ways, its path as text.
    public func write(to writer: inout ByteWriter) {
        writer.number(edits.count)
        for edit in edits { edit.write(to: &writer) }
    }

    /// Reads the binary form.
    public init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        let count = try reader.number()
        edits = []
        for _ in 0..<count { edits.append(try JSONEdit(from: &reader)) }
    }
}

extension JSONEdit {
    private enum Code: UInt8 {
        case add = 1
        case remove, replace, move, splice
    }

    fileprivate func write(to writer: inout ByteWriter) {
        func begin(_ code: Code, _ pointer: JSONPointer) {
            writer.byte(code.rawValue)
            writer.block(pointer.text)
        }
        switch self {
        case .add(let pointer, let value):
            begin(.add, pointer)
            writer.block(value.serialized())
        case .remove(let pointer, let value):
            begin(.remove, pointer)
            writer.block(value.serialized())
        case .replace(let pointer, let old, let new):
            begin(.replace, pointer)
            writer.block(old.serialized())
            writer.block(new.serialized())
        case .move(let from, let to):
            begin(.move, from)
            writer.block(to.text)
        case .splice(let pointer, let position, let removed, let inserted):
            begin(.splice, pointer)
            writer.number(position)
            writer.block(removed)
            writer.block(inserted)
        }
    }

    fileprivate init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        guard let code = Code(rawValue: try reader.byte()) else { throw ByteReader.Malformed() }
        let pointer = try JSONEdit.pointer(&reader)
        switch code {
        case .add: self = .add(pointer, try JSONEdit.value(&reader))
        case .remove: self = .remove(pointer, try JSONEdit.value(&reader))
        case .replace:
            let old = try JSONEdit.value(&reader)
            self = .replace(pointer, old: old, new: try JSONEdit.value(&reader))
        case .move: self = .move(from: pointer, to: try JSONEdit.pointer(&reader))
        case .splice:
            let position = try reader.number()
            let removed = Array(try reader.text().utf8)
            self = .splice(
                pointer, at: position, removed: removed, inserted: Array(try reader.text().utf8))
        }
    }

    private static func pointer(
        _ reader: inout ByteReader
    ) throws(ByteReader.Malformed) -> JSONPointer {
        guard let pointer = JSONPointer(parsing: try reader.block()) else {
            throw ByteReader.Malformed()
        }
        return pointer
    }

    private static func value(_ reader: inout ByteReader) throws(ByteReader.Malformed) -> JSON {
        guard let value = try? JSON(parsing: try reader.block(), limits: .stored) else {
            throw ByteReader.Malformed()
        }
        return value
    }
}

extension JSONLimits {
    /// For reading what was once accepted, whatever the limits were then.
    public static let stored = JSONLimits(
        depthMax: 4096, numberBytesMax: .max, operationsMax: .max, tokensMax: .max,
        documentBytesMax: .max)
}
