extension ReversiblePatch {
    /// The number of the binary form, with which every patch begins. Form 2 is for patches that may
    /// move a value onto a member: the value overwrites the removed one there.
    private static let (form, overwritingForm): (UInt8, UInt8) = (1, 2)

    /// Whether it removes a value and moves another one later to a place of the same name.
    private var mayOverwrite: Bool {
        var names: Set<MemberName> = []
        for edit in edits {
            switch edit {
            case .remove(let place, _): place.tokens.last.map { _ = names.insert($0) }
            case .move(_, let to):
                if let name = to.tokens.last, names.contains(name) { return true }
            case .add, .replace, .splice: break
            }
        }
        return false
    }

    /// Appends the patch's binary form: each edit once, both ways, and relative to the one before:
    /// an edit of the same place does not repeat its path.
    public func write(to writer: inout ByteWriter) {
        let overwrites = !removesTargets && mayOverwrite
        writer.byte(overwrites ? ReversiblePatch.overwritingForm : ReversiblePatch.form)
        writer.number(edits.count)
        var context = EditContext()
        for edit in edits { edit.write(to: &writer, after: &context) }
    }

    /// Reads the binary form. Bytes that are not one are an error, never a crash.
    public init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        let form = try reader.byte()
        guard form == ReversiblePatch.form || form == ReversiblePatch.overwritingForm else {
            throw ByteReader.Malformed()
        }
        let count = try reader.number()
        var context = EditContext()
        edits = []
        for _ in 0..<count { edits.append(try JSONEdit(from: &reader, after: &context)) }
        removesTargets = form == ReversiblePatch.form && mayOverwrite
    }
}

/// The base of relative addresses: the place of the edit before.
private struct EditContext {
    var pointer = JSONPointer.root
    /// The UTF-16 position behind the text that was inserted last.
    var position = 0
}

/// The first byte of an edit in its binary form, for code that splits patches without decoding
/// them.
package struct EditCode {
    /// The kind of edit.
    package enum Kind: UInt8 {
        case add = 1
        case remove, replace, move, splice
    }

    package let kind: Kind
    private let first: UInt8

    /// The meaning of a byte; `nil` if it has none.
    package init?(_ byte: UInt8) {
        guard byte & ~Flag.all == 0, let kind = Kind(rawValue: byte & Flag.codes) else {
            return nil
        }
        self.kind = kind
        first = byte
    }

    package var hasSamePointer: Bool { first & Flag.samePointer != 0 }
    package var removes: Bool { first & Flag.removes != 0 }
    package var inserts: Bool { first & Flag.inserts != 0 }
    fileprivate var isValue: Bool { first & Flag.isValue != 0 }

    /// The flags of the code.
    fileprivate enum Flag {
        static let codes: UInt8 = 0b111
        /// The pointer is that of the edit before.
        static let samePointer: UInt8 = 8
        static let removes: UInt8 = 16
        static let inserts: UInt8 = 32
        /// Found by comparing whole strings; from entry format 5 on.
        static let isValue: UInt8 = 64
        static let all: UInt8 = 0b1111111
    }
}

extension JSONEdit {
    private typealias Flag = EditCode.Flag

    private var code: EditCode.Kind {
        switch self {
        case .add: .add
        case .remove: .remove
        case .replace: .replace
        case .move: .move
        case .splice: .splice
        }
    }

    fileprivate func write(to writer: inout ByteWriter, after context: inout EditContext) {
        let pointer = pointers[0]
        var first = code.rawValue
        if pointer == context.pointer { first |= Flag.samePointer }
        if case .splice(_, _, let removed, let inserted, let isValue) = self {
            if !removed.isEmpty { first |= Flag.removes }
            if !inserted.isEmpty { first |= Flag.inserts }
            if isValue { first |= Flag.isValue }
        }
        writer.byte(first)
        if pointer != context.pointer { writer.block(pointer.text) }
        context.pointer = pointer
        switch self {
        case .add(_, let value), .remove(_, let value): writer.block(value.serialized())
        case .replace(_, let old, let new):
            writer.block(old.serialized())
            writer.block(new.serialized())
        case .move(_, let to): writer.block(to.text)
        case .splice(_, let position, let removed, let inserted, _):
            writer.signed(position - context.position)
            if !removed.isEmpty { writer.block(removed) }
            if !inserted.isEmpty { writer.block(inserted) }
            context.position = position + UTF16Offsets.count(inserted[...])
        }
    }

    fileprivate init(
        from reader: inout ByteReader, after context: inout EditContext
    ) throws(ByteReader.Malformed) {
        guard let code = EditCode(try reader.byte()) else { throw ByteReader.Malformed() }
        if !code.hasSamePointer { context.pointer = try JSONEdit.pointer(&reader) }
        let pointer = context.pointer
        switch code.kind {
        case .add: self = .add(pointer, try JSONEdit.value(&reader))
        case .remove: self = .remove(pointer, try JSONEdit.value(&reader))
        case .replace:
            let old = try JSONEdit.value(&reader)
            self = .replace(pointer, old: old, new: try JSONEdit.value(&reader))
        case .move: self = .move(from: pointer, to: try JSONEdit.pointer(&reader))
        case .splice:
            let position = context.position.addingReportingOverflow(try reader.signed())
            guard !position.overflow, position.partialValue >= 0 else {
                throw ByteReader.Malformed()
            }
            let removed = code.removes ? try reader.text() : ""
            let inserted = code.inserts ? try reader.text() : ""
            self = .splice(
                pointer, at: position.partialValue, removed: Array(removed.utf8),
                inserted: Array(inserted.utf8), isValue: code.isValue)
            let end = position.partialValue.addingReportingOverflow(inserted.utf16.count)
            guard !end.overflow else { throw ByteReader.Malformed() }
            context.position = end.partialValue
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
        let text = try reader.slice()
        // Most values that are replaced again and again are small numbers.
        if let value = JSON(digits: text) { return value }
        guard let value = try? JSON(parsing: Array(text), limits: .stored) else {
            throw ByteReader.Malformed()
        }
        return value
    }
}

extension JSONLimits {
    /// For reading what was once accepted, whatever the limits were then.
    public static let stored = JSONLimits(
        depthMax: .max, numberBytesMax: .max, operationsMax: .max, tokensMax: .max,
        documentBytesMax: .max, valuesMax: .max)
}
