import JSONTree
public import Journaling

/// Takes the bodies of entries apart into columns, so that many of them compress well: see
/// `Segment`.
///
/// Walks through a body as `Change(decoding:)` does. Of a kind of change that is rare, what follows
/// the code is one part.
public struct ChangeColumns: BodyColumns {
    public init() {}

    /// The columns. A number means the same kind of data in the segments of all versions of the
    /// program; the code that joins bodies does not need to know which.
    enum Column {
        static let format: UInt8 = 1
        static let kind: UInt8 = 2
        static let joins: UInt8 = 3
        static let tag: UInt8 = 4
        static let version: UInt8 = 5
        static let actor: UInt8 = 6
        static let time: UInt8 = 7
        static let label: UInt8 = 8
        static let hash: UInt8 = 9
        static let extras: UInt8 = 10
        static let key: UInt8 = 11
        static let fingerprint: UInt8 = 12
        static let kept: UInt8 = 13
        static let group: UInt8 = 14
        static let base: UInt8 = 15
        static let flags: UInt8 = 16
        static let rest: UInt8 = 17
    }

    /// Where the columns of a patch begin: a change may have three.
    enum Patch: UInt8 {
        case tracked = 32
        case untracked = 48
        case sent = 64

        func column(_ part: Part) -> UInt8 { rawValue + part.rawValue }
    }

    enum Part: UInt8 {
        case form, count, code, path, old, value, target, position, nextPosition, removed, inserted
    }

    /// The columns of replaced values: usually, a value repeats the one that the last edit of the
    /// same place set.
    public var recalled: Set<UInt8> {
        [Patch.tracked.column(.old), Patch.untracked.column(.old), Patch.sent.column(.old)]
    }

    public func tokens(of body: [UInt8]) throws(BodyTokens.Malformed) -> BodyTokens {
        var reader = BodyTokens(body)
        let format = try reader.byte(Column.format)
        guard (1...Change.format).contains(format) else { throw BodyTokens.Malformed() }
        guard try readKind(&reader) else {
            reader.rest(Column.rest)
            return reader
        }
        try reader.text(Column.actor)
        try reader.number(Column.time, .difference)
        try readOptionalText(&reader, Column.label)
        if format <= Change.lastHashedFormat { try readHash(&reader, Column.hash) }
        try readPatch(&reader, .tracked)
        if format > 1 { try readExtras(&reader, format) }
        return reader
    }

    /// Whether it is a kind that is read on.
    private func readKind(_ reader: inout BodyTokens) throws(BodyTokens.Malformed) -> Bool {
        let code = Change.Kind.Code(rawValue: try reader.byte(Column.kind))
        guard let layout = code?.layout else { return false }
        for part in layout {
            switch part {
            case .flag: _ = try reader.byte(Column.joins)
            case .direction: _ = try reader.byte(Column.flags)
            case .name: try reader.text(Column.tag)
            case .optionalName: try readOptionalText(&reader, Column.tag)
            case .version: try reader.number(Column.version, .difference)
            }
        }
        return true
    }

    private func readExtras(
        _ reader: inout BodyTokens, _ format: UInt8
    ) throws(BodyTokens.Malformed) {
        let extras = Change.Extras(rawValue: try reader.byte(Column.extras))
        if extras.contains(.untracked) { try readPatch(&reader, .untracked) }
        if extras.contains(.trackedHash) { try readHash(&reader, Column.hash) }
        if extras.contains(.token) {
            try reader.text(Column.key)
            try readHash(&reader, Column.fingerprint)
        }
        if extras.contains(.trim) { try reader.number(Column.kept) }
        if extras.contains(.group) { try reader.number(Column.group, .difference) }
        if extras.contains(.sent) {
            try reader.number(Column.base)
            try reader.number(Column.base)
            let flags = try reader.byte(Column.flags)
            if flags & SentEdit.hasPatchFlag != 0 { try readPatch(&reader, .sent) }
        }
        if extras.contains(.priorHash) {
            _ = try reader.byte(Column.hash)
            if format <= Change.lastFormatOfLongHashes { _ = try reader.byte(Column.hash) }
        }
        if extras.contains(.rare) { reader.rest(Column.rest) }
    }

    private func readPatch(
        _ reader: inout BodyTokens, _ patch: Patch
    ) throws(BodyTokens.Malformed) {
        _ = try reader.byte(patch.column(.form))
        let count = try reader.number(patch.column(.count))
        for index in 0..<count { try readEdit(&reader, patch, isFirst: index == 0) }
    }

    /// One edit, as `JSONEdit` writes it.
    private func readEdit(
        _ reader: inout BodyTokens, _ patch: Patch, isFirst: Bool
    ) throws(BodyTokens.Malformed) {
        let code = try reader.byte(patch.column(.code))
        guard let edit = EditCode(code) else { throw BodyTokens.Malformed() }
        if !edit.hasSamePointer { try reader.text(patch.column(.path)) }
        switch edit.kind {
        case .add, .remove: try reader.text(patch.column(.value))
        case .replace:
            try reader.text(patch.column(.old))
            try reader.text(patch.column(.value))
        case .move: try reader.text(patch.column(.target))
        case .splice:
            // The first position counts from the beginning of the text, the others from there.
            _ =
                try isFirst
                ? reader.number(patch.column(.position), .difference)
                : reader.number(patch.column(.nextPosition))
            if edit.removes { try reader.text(patch.column(.removed)) }
            if edit.inserts { try reader.text(patch.column(.inserted)) }
        }
    }

    private func readOptionalText(
        _ reader: inout BodyTokens, _ column: UInt8
    ) throws(BodyTokens.Malformed) {
        if try reader.byte(Column.flags) != 0 { try reader.text(column) }
    }

    private func readHash(
        _ reader: inout BodyTokens, _ column: UInt8
    ) throws(BodyTokens.Malformed) {
        try reader.word(column)
        try reader.word(column)
    }
}
