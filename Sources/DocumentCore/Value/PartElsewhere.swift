import JSONTree
public import Journaling
public import SelectiveUndo

/// The effects of a transaction that undoes or redoes others in another document: left out, or
/// beyond the named changes.
public struct PartElsewhere: Sendable, Equatable {
    public let place: DocumentRevision
    public let fate: Fate

    /// The result of a part.
    public enum Fate: Sendable, Equatable {
        /// There was nothing to do, for this reason.
        case absent(Absence, revision: Int)
        /// It stays: later work of others would be lost.
        case skipped(Conflict)
        /// Its document was deleted together with these later changes.
        case deleted(with: [Int])
    }

    /// Why there was nothing to do.
    public enum Absence: UInt8, Sendable {
        case notInEffect = 1
        case unknownDocument, deleted, purged, trimmed
    }

    package init(_ place: DocumentRevision, _ fate: Fate) {
        self.place = place
        self.fate = fate
    }
}

extension PartElsewhere.Fate {
    /// `nil` for an error that does not concern the part.
    package init?(_ error: ChangeError, at revision: Int) {
        switch error {
        case .notInEffect, .nothingOwn: self = .absent(.notInEffect, revision: revision)
        case .unknownDocument: self = .absent(.unknownDocument, revision: revision)
        case .deleted(let end): self = .absent(.deleted, revision: end)
        case .purged(let end): self = .absent(.purged, revision: end)
        case .trimmed(let oldest): self = .absent(.trimmed, revision: oldest)
        default: return nil
        }
    }

    /// The reason as it is for the document alone; `nil` if something was done, or is in conflict.
    public var absence: ChangeError? {
        guard case .absent(let absence, let revision) = self else { return nil }
        return switch absence {
        case .notInEffect: .notInEffect(revision: revision)
        case .unknownDocument: .unknownDocument
        case .deleted: .deleted(revision: revision)
        case .purged: .purged(revision: revision)
        case .trimmed: .trimmed(oldest: revision)
        }
    }
}

// MARK: Bytes

extension PartElsewhere {
    private enum Code {
        static let skipped: UInt8 = 64
        static let deleted: UInt8 = 65
    }

    func write(to writer: inout ByteWriter) {
        writer.text(place.document.name)
        writer.number(place.revision)
        switch fate {
        case .absent(let absence, let revision):
            writer.byte(absence.rawValue)
            writer.number(revision)
        case .skipped(let conflict):
            writer.byte(Code.skipped)
            conflict.write(to: &writer)
        case .deleted(let revisions):
            writer.byte(Code.deleted)
            writer.numbers(revisions)
        }
    }

    init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        guard let document = DocumentID(try reader.text()) else { throw ByteReader.Malformed() }
        place = DocumentRevision(document, try reader.number())
        switch try reader.byte() {
        case Code.skipped: fate = .skipped(try Conflict(from: &reader))
        case Code.deleted: fate = .deleted(with: try reader.numbers())
        case let code:
            guard let absence = Absence(rawValue: code) else { throw ByteReader.Malformed() }
            fate = .absent(absence, revision: try reader.number())
        }
    }
}

extension Conflict {
    func write(to writer: inout ByteWriter) {
        writer.number(change)
        writer.texts(places.map(\.description))
        writer.numbers(with)
    }

    init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        let change = try reader.number()
        let places = try reader.texts().compactMap { JSONPointer(parsing: $0) }
        self.init(change: change, places: places, with: try reader.numbers())
    }
}
