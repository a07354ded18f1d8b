/// The entries of one commit.
public struct JournalBatch: Sendable {
    public var entries: [JournalEntry]
    public var checkpoints: [Checkpoint]
    /// Entries that are stored together or not at all, in the order of their places. An entry
    /// outside all units is a unit of its own.
    public var units: [JournalUnit]
    /// Rows that were computed from earlier entries. Their failure fails no entry.
    public var index: IndexUpdate?

    public init(
        entries: [JournalEntry] = [], checkpoints: [Checkpoint] = [], units: [JournalUnit] = [],
        index: IndexUpdate? = nil
    ) {
        self.index = index
        self.entries = entries
        self.checkpoints = checkpoints
        self.units = units
    }

    /// A batch of which all entries are stored or none.
    public init(unit entries: [JournalEntry], if conditions: [JournalCondition] = []) {
        self.init(
            entries: entries, units: [JournalUnit(entries.indices, if: conditions)])
    }
}

/// Entries in a row of a batch that are stored together or not at all.
public struct JournalUnit: Sendable, Equatable {
    /// The indices in the batch.
    public let places: Range<Int>
    /// The conditions on other documents for storing them.
    public let conditions: [JournalCondition]

    public init(_ places: Range<Int>, if conditions: [JournalCondition] = []) {
        self.places = places
        self.conditions = conditions
    }

    /// The same unit in a batch that begins earlier by some entries, or later.
    func moved(by count: Int) -> JournalUnit {
        JournalUnit(
            (places.lowerBound + count)..<(places.upperBound + count), if: conditions)
    }
}

/// A document that must end where it is known to, although nothing is added to it.
public struct JournalCondition: Sendable, Equatable {
    public let document: DocumentID
    /// `nil`: it has no entries.
    public let head: JournalHead?

    public init(_ document: DocumentID, endsAt head: JournalHead?) {
        self.document = document
        self.head = head
    }
}

/// The result for one entry of a committed batch.
public enum EntryFate: Sendable, Equatable {
    /// It is durable, with this number in the journal's order.
    case stored(sequence: Int)
    /// It is not stored, because it, or another one of its unit, does not follow the last entry of
    /// its document, or a condition is not true.
    case refused
    /// It is not stored yet, because another process holds its document, or another one of its
    /// unit: it has to be committed again, before later entries.
    case held
    /// It is not stored and is given up, for a reason that concerns no other entry.
    case failed(JournalError)
}

extension JournalBatch {
    /// Adds another batch behind this one.
    mutating func append(_ next: JournalBatch) {
        units += next.units.map { $0.moved(by: entries.count) }
        entries += next.entries
        checkpoints += next.checkpoints
        index = next.index ?? index
    }

    /// Whether there is nothing to store.
    public var isEmpty: Bool { entries.isEmpty && checkpoints.isEmpty && index == nil }

    /// The batch without some entries and those units, and where the ones that stay have been.
    public func keeping(_ isKept: [Bool]) -> (batch: JournalBatch, places: [Int]) {
        let places = entries.indices.filter { isKept[$0] }
        var kept = JournalBatch(entries: places.map { entries[$0] })
        for unit in units where isKept[unit.places.lowerBound] {
            guard let start = places.firstIndex(of: unit.places.lowerBound) else { continue }
            kept.units.append(
                JournalUnit(start..<(start + unit.places.count), if: unit.conditions))
        }
        return (kept, places)
    }
}

extension JournalBatch {
    /// Which entries are to be stored: those that follow their document's head, or the entry of the
    /// document before them, with all of their unit. O(entries).
    public func following<Failure: Error>(
        _ head: (DocumentID) throws(Failure) -> JournalHead?
    ) throws(Failure) -> [Bool] {
        var heads = KnownHeads()
        var follows = [Bool](repeating: false, count: entries.count)
        var units = units[...]
        var place = 0
        while place < entries.count {
            var part = JournalUnit(place..<(place + 1))
            if let unit = units.first, unit.places.contains(place) { part = units.removeFirst() }
            if try heads.take(entries[part.places], if: part.conditions, head) {
                for place in part.places { follows[place] = true }
            }
            place = part.places.upperBound
        }
        return follows
    }
}

/// Where documents end, with what is to be stored.
private struct KnownHeads {
    private var known: [DocumentID: JournalHead?] = [:]

    /// Takes all of some entries, or none. Returns whether it has.
    mutating func take<Failure: Error>(
        _ entries: ArraySlice<JournalEntry>, if conditions: [JournalCondition],
        _ find: (DocumentID) throws(Failure) -> JournalHead?
    ) throws(Failure) -> Bool {
        func head(of document: DocumentID) throws(Failure) -> JournalHead? {
            if let head = known[document] { head } else { try find(document) }
        }
        for condition in conditions {
            guard try head(of: condition.document) == condition.head else { return false }
        }
        let before = known
        for entry in entries {
            guard entry.follows(try head(of: entry.document)) else {
                known = before
                return false
            }
            known[entry.document] = entry.head
        }
        return true
    }
}
