package import JSONTree
package import Journaling
import Naming

/// The places that the changes of a segment edited, read from a few of its columns: a small part of
/// the cost of reading the changes.
package struct SegmentOutline {
    private typealias Column = ChangeColumns.Column
    private typealias Patch = ChangeColumns.Patch

    /// All of its changes.
    package let revisions: Range<Int>
    /// The places that their edits name.
    package private(set) var places: Set<JSONPointer> = []
    /// The versions from before the segment that some of them belong to.
    private(set) var groups: Set<Int> = []
    /// Those of them that took changes out of effect, or put them back, the oldest first.
    private(set) var reversals: [Change] = []

    /// `nil` if the columns do not show the places of all changes, as with rare kinds and old
    /// formats.
    package init?(_ segment: Segment) throws(Segment.Fault) {
        let columns = try SegmentColumns(segment)
        revisions = segment.first..<(segment.first + segment.count)
        guard try noteChanges(columns), try notePlaces(columns) else { return nil }
    }

    /// The facts about a body's parts that an outline needs.
    private struct Shape {
        let joins, hasGroup, hasRest: Bool

        /// `nil` if nothing is known of the body, or if it does something where nothing has
        /// versions.
        init?(_ columns: [UInt8]) {
            let untracked = Patch.untracked.rawValue..<Patch.sent.rawValue
            guard columns.starts(with: [Column.format, Column.kind]),
                !columns.contains(where: untracked.contains)
            else { return nil }
            joins = columns.contains(Column.joins)
            hasGroup = columns.contains(Column.group)
            hasRest = columns.contains(Column.rest)
        }
    }

    private mutating func noteChanges(_ columns: SegmentColumns) throws(Segment.Fault) -> Bool {
        let all = columns.shapes
        let shapes = all.compactMap(Shape.init)
        guard shapes.count == all.count else { return false }
        let formats = try columns.bytes(in: Column.format)
        let kinds = try columns.bytes(in: Column.kind)
        guard formats.count == revisions.count, kinds.count == revisions.count else {
            return false
        }
        var joins = try columns.bytes(in: Column.joins).makeIterator()
        var groups = try columns.numbers(in: Column.group).makeIterator()
        var rests = try columns.texts(in: Column.rest).makeIterator()
        for (index, revision) in revisions.enumerated() {
            let shape = shapes[columns.entries[index]]
            let isUnnamed = shape.joins && joins.next() != 0 && !shape.hasGroup
            if shape.hasGroup, let back = groups.next() { note(group: revision &- back) }
            let rest = shape.hasRest ? rests.next() : nil
            guard !isUnnamed, note(kinds[index], formats[index], rest, revision) else {
                return false
            }
        }
        return true
    }

    private mutating func note(group: Int) {
        if group < revisions.lowerBound { groups.insert(group) }
    }

    /// `rest`: what of the change is one part.
    private mutating func note(
        _ kind: UInt8, _ format: UInt8, _ rest: ArraySlice<UInt8>?, _ revision: Int
    ) -> Bool {
        switch Change.Kind.Code(rawValue: kind) {
        case .append, .touch, .move, .tag, .removeTag, .removeSnapshot, .restore, .pushScope:
            guard let rest else { return true }
            var reader = ByteReader(Array(rest))
            var requester: Name?
            let rare = try? Change.RareExtras(from: &reader, format, &requester)
            return rare?.isSubset(of: [.selection, .transaction]) ?? false
        case .revert, .revertChanges:
            let body = [format, kind] + (rest ?? [])
            guard let change = try? Change(decoding: body, revision: revision) else {
                return false
            }
            reversals.append(change)
            return true
        // These kinds add nothing that an undo could remove.
        case .snapshot, .pushTimedScope: return true
        default: return false
        }
    }

    private mutating func notePlaces(_ columns: SegmentColumns) throws(Segment.Fault) -> Bool {
        let patch = Patch.tracked
        let codes = try columns.bytes(in: patch.column(.code))
        var next = 0
        for count in try columns.numbers(in: patch.column(.count)) where count > 0 {
            guard codes.indices.contains(next), let code = EditCode(codes[next]) else {
                return false
            }
            // The first edit of a patch names its place, unless that is the whole document.
            if code.hasSamePointer { places.insert(.root) }
            next &+= count
        }
        let texts = try columns.texts(in: patch.column(.path))
        for text in try texts.distinct.union(columns.texts(in: patch.column(.target)).distinct) {
            guard let place = JSONPointer(parsing: Array(text)) else { return false }
            places.insert(place)
        }
        return true
    }
}

extension [ArraySlice<UInt8>] {
    /// Each once. Most are the same as the one before.
    fileprivate var distinct: Set<ArraySlice<UInt8>> {
        var found: Set<ArraySlice<UInt8>> = []
        var last: ArraySlice<UInt8>?
        for text in self where text != last {
            found.insert(text)
            last = text
        }
        return found
    }
}
