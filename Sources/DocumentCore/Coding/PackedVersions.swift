import JSONTree
import Threading
import VersioningKit

/// The first versions of a long history, in the form of a checkpoint: pages, each of which is
/// decoded when it is read.
///
/// So a document with a million versions opens in the time that it takes to check them, and each
/// takes a byte or two of memory. Later versions are stored elsewhere; see `PersistentArray`.
final class PackedVersions: PackedElements {
    typealias Version = VersionHistory<Int>.Version

    /// Versions in a page: taking one apart takes some microseconds.
    static let pageCount = 64

    let count: Int
    private let bytes: [UInt8]
    /// Where each page begins, and where the last one ends.
    private let starts: [Start]
    /// The page that was decoded last: a walk through the history reads one page many times.
    private let last = Lock<(page: Int, versions: [Version])>((-1, []))

    private struct Start {
        var offset: Int
        var last: PackedPage.Last
        /// The versions of the row that the page before is a part of.
        var row: Range<Int>?
    }

    /// Checks all pages. `total` is the number of versions that there are with those that are not
    /// packed. O(bytes).
    init(_ bytes: [UInt8], pages: Int, total: Int) throws(ByteReader.Malformed) {
        guard pages >= 0, pages <= bytes.count, pages * PackedVersions.pageCount <= total else {
            throw ByteReader.Malformed()
        }
        var reader = ByteReader(bytes)
        var start = Start(offset: 0, last: .none)
        var starts = [start]
        starts.reserveCapacity(pages + 1)
        for page in 0..<pages {
            start.last = try PackedPage.check(
                &reader, first: page * PackedVersions.pageCount, after: start.last, total: total)
            start.offset = bytes.count - reader.count
            starts.append(start)
        }
        guard reader.isAtEnd else { throw ByteReader.Malformed() }
        self.starts = PackedVersions.withRows(starts, bytes)
        self.bytes = bytes
        count = pages * PackedVersions.pageCount
    }

    subscript(index: Int) -> Version {
        let (page, place) = index.quotientAndRemainder(dividingBy: PackedVersions.pageCount)
        return last.withLock { last in
            if last.page != page { last = (page, versions(inPage: page)) }
            return last.versions[place]
        }
    }

    /// The page that the version with an id is in: of each the last id is known.
    func places(from id: Int) -> ClosedRange<Int> {
        var (page, end) = (0, starts.count - 1)
        while page < end {
            let middle = (page + end) / 2
            if starts[middle + 1].last.id < id { page = middle + 1 } else { end = middle }
        }
        let first = page * PackedVersions.pageCount
        return first...min(first + PackedVersions.pageCount, count)
    }

    /// Pages that are lines, one after the other, are a row.
    func row(at index: Int) -> Range<Int>? { starts[index / PackedVersions.pageCount + 1].row }

    private static func withRows(_ starts: [Start], _ bytes: [UInt8]) -> [Start] {
        var starts = starts
        var first = 0
        for page in starts.indices.dropLast() {
            guard PackedPage.isLine(bytes[starts[page].offset...]) else {
                first = page + 1
                continue
            }
            let isLast =
                page + 2 == starts.count || !PackedPage.isLine(bytes[starts[page + 1].offset...])
            if isLast { note(first...page, in: &starts) }
        }
        return starts
    }

    private static func note(_ pages: ClosedRange<Int>, in starts: inout [Start]) {
        let row = (pages.lowerBound * pageCount)..<((pages.upperBound + 1) * pageCount)
        for page in pages { starts[page + 1].row = row }
    }

    /// About what it takes in memory.
    var weight: Int { bytes.count + starts.count * MemoryLayout<Start>.stride }

    /// The last version that is packed.
    var end: PackedPage.Last { starts[starts.count - 1].last }

    /// A page in bytes.
    func bytes(ofPage page: Int) -> ArraySlice<UInt8> {
        bytes[starts[page].offset..<starts[page + 1].offset]
    }

    private func versions(inPage page: Int) -> [Version] {
        var reader = ByteReader(Array(bytes(ofPage: page)))
        let versions = try? PackedPage.read(
            &reader, first: page * PackedVersions.pageCount, count: PackedVersions.pageCount,
            after: starts[page].last)
        guard let versions else { preconditionFailure("all pages were checked") }
        return versions
    }
}

/// Some versions in a row, in bytes. Of those before it, one must know the last version to read it.
///
/// `form · first id · depth · versions`: id and depth are stored as the difference from the values
/// that follow the last version. Form 1 fits typing: each version follows the one before and
/// consists of all changes up to the next one, except some that are not edits. It stores the number
/// of changes and of exceptions of each version. Form 0 stores every field.
enum PackedPage {
    typealias Version = VersionHistory<Int>.Version

    private static let plain: UInt8 = 0
    private static let line: UInt8 = 1

    /// Whether the page that begins these bytes is a line.
    static func isLine(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.first == line }

    /// The version before a page.
    struct Last: Sendable {
        var id: Int
        var depth: Int32

        static let none = Last(id: -1, depth: -1)

        init(id: Int, depth: Int32) {
            self.id = id
            self.depth = depth
        }

        init(_ version: Version) {
            self.init(id: version.id, depth: version.depth)
        }
    }

    static func write(
        _ versions: some Collection<Version>, first: Int, after last: Last,
        to writer: inout ByteWriter
    ) {
        let counts = lineCounts(versions, first: first)
        writer.byte(counts == nil ? plain : line)
        guard let opening = versions.first else { return }
        writer.number(opening.id - last.id - 1)
        writer.signed(Int(opening.depth) - Int(last.depth) - 1)
        if let counts {
            for (count, skipped) in counts {
                writer.number((count - 1) << 1 | (skipped > 0 ? 1 : 0))
                if skipped > 0 { writer.number(skipped) }
            }
            return
        }
        var before = opening
        for (offset, version) in versions.enumerated() {
            let place = first + offset
            writer.number(version.id - before.id)
            writer.signed(Int(version.depth - before.depth))
            writer.number(place - Int(version.parent))
            writer.number(version.redo < 0 ? 0 : Int(version.redo) - place)
            writer.steps(version.steps.list, of: version.id)
            before = version
        }
    }

    /// Of each version, how many changes it has and how many there are until the next; `nil` if the
    /// page is not such a line.
    private static func lineCounts(
        _ versions: some Collection<Version>, first: Int
    ) -> [(count: Int, skipped: Int)]? {
        var counts: [(count: Int, skipped: Int)] = []
        counts.reserveCapacity(versions.count)
        var depth = versions.first.map { Int($0.depth) } ?? 0
        var end: Int?
        for (offset, version) in versions.enumerated() {
            let place = first + offset
            guard Int(version.parent) == place - 1, Int(version.redo) == place + 1,
                Int(version.depth) == depth, place > 0
            else { return nil }
            depth += 1
            if let end {
                guard version.id >= end else { return nil }
                counts[offset - 1].skipped = version.id - end
            }
            guard let count = version.lineCount, count <= lineCountMax else { return nil }
            end = version.id + count
            counts.append((count, 0))
        }
        return counts
    }

    static func read(
        _ reader: inout ByteReader, first: Int, count: Int, after last: Last
    ) throws(ByteReader.Malformed) -> [Version] {
        var versions: [Version] = []
        versions.reserveCapacity(count)
        let form = try reader.byte()
        guard count > 0 else { return [] }
        var id = last.id &+ 1 &+ (try reader.number())
        var depth = Int32(clamping: Int(last.depth) &+ 1 &+ (try reader.signed()))
        for place in first..<(first + count) {
            guard form == line else {
                versions.append(try plainVersion(&reader, place, &id, &depth))
                continue
            }
            let (changes, skipped) = try lineCount(&reader)
            versions.append(
                Version(
                    id: id, parent: Int32(clamping: place &- 1), redo: Int32(clamping: place &+ 1),
                    depth: depth,
                    steps: changes == 1 ? .one(id) : Steps(Array(id..<(id + changes)))))
            id += changes + skipped
            depth &+= 1
        }
        return versions
    }

    private static func lineCount(
        _ reader: inout ByteReader
    ) throws(ByteReader.Malformed) -> (changes: Int, skipped: Int) {
        let code = try reader.number()
        let skipped = code & 1 == 0 ? 0 : try reader.number()
        // So that nothing overflows, and no page claims more than memory has.
        guard code >> 1 < lineCountMax, skipped <= Int(Int32.max) else {
            throw ByteReader.Malformed()
        }
        return ((code >> 1) + 1, skipped)
    }

    /// Versions of more changes are written one by one, so that few bytes never claim much memory.
    private static let lineCountMax = 1 << 16

    private static func plainVersion(
        _ reader: inout ByteReader, _ place: Int, _ id: inout Int, _ depth: inout Int32
    ) throws(ByteReader.Malformed) -> Version {
        id = id &+ (try reader.number())
        depth = Int32(clamping: Int(depth) &+ (try reader.signed()))
        let parent = place &- (try reader.number())
        let redo = try reader.number()
        return Version(
            id: id, parent: Int32(clamping: parent),
            redo: redo == 0 ? -1 : Int32(clamping: place &+ redo), depth: depth,
            steps: try reader.steps(of: id))
    }

    /// Scans a whole page and returns its last version. Throws unless it can be the next page of a
    /// history of `total` versions.
    static func check(
        _ reader: inout ByteReader, first: Int, after last: Last, total: Int
    ) throws(ByteReader.Malformed) -> Last {
        let start = reader
        guard try reader.byte() == line else {
            reader = start
            return try checkPlain(&reader, first: first, after: last, total: total)
        }
        let pageCount = PackedVersions.pageCount
        var id = last.id &+ 1 &+ (try reader.number())
        let depth = Int(last.depth) &+ 1 &+ (try reader.signed())
        guard first > 0, id > last.id, id <= Int(Int32.max), depth >= 0, depth <= total,
            first + pageCount < total
        else { throw ByteReader.Malformed() }
        var lastID = id
        for _ in 0..<pageCount {
            lastID = id
            let (changes, skipped) = try lineCount(&reader)
            id += changes + skipped
        }
        return Last(id: lastID, depth: Int32(clamping: depth + pageCount - 1))
    }

    private static func checkPlain(
        _ reader: inout ByteReader, first: Int, after last: Last, total: Int
    ) throws(ByteReader.Malformed) -> Last {
        var last = last
        let versions = try read(
            &reader, first: first, count: PackedVersions.pageCount, after: last)
        for (place, version) in zip(first..., versions) {
            let isParentEarlier = version.parent < place && version.parent >= (place == 0 ? -1 : 0)
            guard isParentEarlier, version.id > last.id, version.redo < total, version.depth >= 0
            else { throw ByteReader.Malformed() }
            last = Last(version)
        }
        return last
    }
}

extension VersionHistory<Int>.Version {
    /// How many changes it has, if these are the ones from its id on, without a gap.
    fileprivate var lineCount: Int? {
        switch steps {
        case .none: return nil
        case .one(let step): return step == id ? 1 : nil
        case .many(let steps):
            let isLine = steps.enumerated().allSatisfy { $0.element == id + $0.offset }
            return isLine ? steps.count : nil
        }
    }
}

extension ByteWriter {
    fileprivate mutating func steps(_ steps: [Int], of id: Int) {
        number(steps.count)
        var last = id
        for step in steps {
            // A step of a popped scope is older than the version that it became a part of.
            number(step >= last ? (step - last) << 1 : (last - step) << 1 | 1)
            last = step
        }
    }
}

extension ByteReader {
    /// The steps of a version.
    mutating func steps(of id: Int) throws(ByteReader.Malformed) -> Steps<Int> {
        var list: [Int] = []
        var last = id
        for _ in 0..<(try number()) {
            let code = try number()
            last = code & 1 == 0 ? last &+ (code >> 1) : last &- (code >> 1)
            list.append(last)
        }
        return Steps(list)
    }
}
