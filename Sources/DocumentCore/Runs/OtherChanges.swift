public import JSONTree

/// The changes of one run in one document that are not edits, so that an undo of the run does not
/// take them: undo, redo, tags, settings, a deletion.
public struct OtherChanges: Sendable, Equatable {
    /// One change.
    public struct Element: Sendable, Equatable {
        public let revision: Int
        /// The word for it in HTTP.
        public let kind: String
    }

    /// The oldest ones, in order.
    public private(set) var elements: [Element] = []

    /// The limit: all of them are in one row.
    public static let countMax = 100

    package init() {}

    /// Notes a change, in any order. Returns whether it is kept.
    @discardableResult
    package mutating func note(_ change: Change) -> Bool {
        let place = elements.partitioningIndex { $0.revision >= change.revision }
        guard place < OtherChanges.countMax,
            place == elements.count || elements[place].revision > change.revision
        else { return false }
        elements.insert(Element(revision: change.revision, kind: change.kind.name), at: place)
        if elements.count > OtherChanges.countMax { elements.removeLast() }
        return true
    }
}

// MARK: Bytes

extension OtherChanges {
    /// The value of its row.
    package var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 8 * elements.count)
        writer.list(elements) { writer, element in
            writer.number(element.revision)
            writer.text(element.kind)
        }
        return writer.bytes
    }

    /// `nil` if the bytes are none of such changes.
    package init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        let elements = try? reader.list { reader throws(ByteReader.Malformed) in
            Element(revision: try reader.number(), kind: try reader.text())
        }
        guard let elements else { return nil }
        self.elements = elements
    }
}
