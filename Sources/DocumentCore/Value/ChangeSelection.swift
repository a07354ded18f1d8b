public import JSONTree
public import Naming
package import SelectiveUndo

/// The edits to undo together: those that meet all criteria.
public struct ChangeSelection: Sendable, Equatable {
    /// The author of the edits.
    public var actor: Name?
    /// The label that they have, equal in bytes.
    public var label: Name?
    /// They came after this.
    public var since: Bound?
    /// They came no later than this.
    public var until: Bound?
    /// Whether the selection includes the creation of the document: it is deleted if no other actor
    /// has worked in it.
    public var takesCreation = false
    /// The newest revision of the selection: changes that arrived during its search are not a part
    /// of it. It is not stored.
    package var head: Int?
    /// No selected edit has an earlier revision, so that earlier changes are not read. It is not
    /// stored.
    package var oldest: Int?
    /// The operations at one of these places, or in one; anywhere, if there are none.
    public var places: [JSONPointer]

    /// Places that can be named: each is compared with each edit.
    public static let placesMax = 64
    /// The limit on edits that one undo may name: one entry names them all.
    public static let changesMax = 10_000

    public init(
        actor: Name? = nil, label: Name? = nil, since: Bound? = nil, until: Bound? = nil,
        places: [JSONPointer] = []
    ) {
        self.actor = actor
        self.label = label
        self.since = since
        self.until = until
        self.places = places
    }

    /// No edit at all.
    public static let none = ChangeSelection(until: .revision(-1))

    /// Whether it is every edit of an actor.
    package var isAllOfActor: Bool {
        actor != nil && label == nil && since == nil && until == nil && places.isEmpty
    }

    /// The selection as the undo records it.
    var stored: ChangeSelection {
        var stored = self
        (stored.head, stored.oldest) = (nil, nil)
        return stored
    }

    /// Where what is meant begins or ends.
    public enum Bound: Sendable, Equatable {
        case revision(Int)
        case time(Timestamp)

        /// Whether a change lies before it, or at it.
        public func includes(_ change: Change) -> Bool {
            switch self {
            case .revision(let revision): change.revision <= revision
            case .time(let time): change.time <= time
            }
        }
    }

    /// The selected part of a change, if it is an edit: with places, the operations in these.
    package func part(of change: Change) -> ChangePart? {
        guard change.makesVersion, change.reversal == nil, isMade(change) else { return nil }
        if places.isEmpty { return ChangePart(change.revision) }
        let operations = change.patch.edits.indices.filter { operation in
            change.patch.edits[operation].pointers.allSatisfy { pointer in
                places.contains { pointer.inside($0) != nil }
            }
        }
        if operations.isEmpty { return nil }
        let isWhole = operations.count == change.patch.count
        return ChangePart(change.revision, operations: isWhole ? nil : operations)
    }

    /// Whether the creation of the document is meant.
    package func includes(creation change: Change) -> Bool {
        mayInclude(creationAt: change.revision) && isMade(change)
    }

    /// Whether the creation of the document may be meant, as far as its revision shows.
    package func mayInclude(creationAt revision: Int) -> Bool {
        takesCreation && places.isEmpty && revision >= oldest ?? revision
    }

    /// Whether it was made by whom, when and as it says.
    public func isMade(_ change: Change) -> Bool {
        if let actor, change.actor != actor { return false }
        if let label, change.label.map({ Name($0) }) != label { return false }
        if let since, since.includes(change) { return false }
        if let until, !until.includes(change) { return false }
        if let head, change.revision > head { return false }
        return true
    }
}

// MARK: Bytes

extension ChangeSelection {
    func write(to writer: inout ByteWriter) {
        writer.optionalName(actor)
        writer.optionalName(label)
        since.write(to: &writer)
        until.write(to: &writer)
        writer.texts(places.map(\.description))
    }

    init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        actor = try reader.optionalName()
        label = try reader.optionalName()
        since = try .init(from: &reader)
        until = try .init(from: &reader)
        places = try reader.texts().map { text throws(ByteReader.Malformed) in
            guard let place = JSONPointer(parsing: text) else { throw ByteReader.Malformed() }
            return place
        }
    }
}

extension ChangeSelection.Bound? {
    fileprivate func write(to writer: inout ByteWriter) {
        switch self {
        case nil: writer.byte(0)
        case .revision(let revision)?:
            writer.byte(1)
            writer.number(max(0, revision))
        case .time(let time)?:
            writer.byte(2)
            writer.number(max(0, time.milliseconds))
        }
    }

    fileprivate init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        switch try reader.byte() {
        case 0: self = nil
        case 1: self = .revision(try reader.number())
        case 2: self = .time(Timestamp(milliseconds: try reader.number()))
        default: throw ByteReader.Malformed()
        }
    }
}
