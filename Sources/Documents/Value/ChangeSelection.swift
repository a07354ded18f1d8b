public import JSONTree
public import Naming

/// Which edits are taken back together: those of which all that it says is true.
public struct ChangeSelection: Sendable, Equatable {
    /// Who made them.
    public var actor: Name?
    /// The label that they have, equal in bytes.
    public var label: Name?
    /// They came after this revision.
    public var since: Int?
    /// They came no later than this revision.
    public var until: Int?
    /// All that they edit is at one of these places, or in one; anywhere, if there are none.
    public var places: [JSONPointer]

    /// Places that can be named: each is compared with each edit.
    public static let placesMax = 64
    /// Edits that are taken back at once: one entry names them all.
    public static let changesMax = 10_000

    public init(
        actor: Name? = nil, label: Name? = nil, since: Int? = nil, until: Int? = nil,
        places: [JSONPointer] = []
    ) {
        self.actor = actor
        self.label = label
        self.since = since
        self.until = until
        self.places = places
    }

    /// No edit at all.
    public static let none = ChangeSelection(until: -1)

    /// Whether a change is an edit that is meant.
    func includes(_ change: Change) -> Bool {
        guard change.makesVersion, change.reversal == nil, isMade(change) else { return false }
        if places.isEmpty { return true }
        return change.patch.pointers.allSatisfy { pointer in
            places.contains { pointer.inside($0) != nil }
        }
    }

    /// Whether it was made by whom, when and as it says.
    private func isMade(_ change: Change) -> Bool {
        if let actor, change.actor != actor { return false }
        if let label, change.label.map({ Name($0) }) != label { return false }
        if let since, change.revision <= since { return false }
        if let until, change.revision > until { return false }
        return true
    }
}

// MARK: Bytes

extension ChangeSelection {
    func write(to writer: inout ByteWriter) {
        writer.optionalName(actor)
        writer.optionalName(label)
        // One more, so that 0 stands for none.
        writer.number((since ?? -1) + 1)
        writer.number((until ?? -1) + 1)
        writer.texts(places.map(\.description))
    }

    init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        actor = try reader.optionalName()
        label = try reader.optionalName()
        let bounds = (try reader.number(), try reader.number())
        since = bounds.0 == 0 ? nil : bounds.0 - 1
        until = bounds.1 == 0 ? nil : bounds.1 - 1
        places = try reader.texts().map { text throws(ByteReader.Malformed) in
            guard let place = JSONPointer(parsing: text) else { throw ByteReader.Malformed() }
            return place
        }
    }
}
