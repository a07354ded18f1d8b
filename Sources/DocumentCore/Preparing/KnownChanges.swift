import JSONTree
import Journaling

/// The changes that are at hand while a request is prepared: the recent ones in memory, those that
/// were fetched for it, or for others before it, and, where it may take its time, those that a
/// source has.
///
/// A class, because it counts what it looks up; it serves one preparation and one thread.
package final class KnownChanges {
    /// Limit on changes decoded under the lock.
    static let changesMax = 256
    /// The bytes that a change may write and read while other requests wait: about 2 ms.
    private static let bytesMax = 256 << 10
    /// The values that it may read: about 2 ms.
    private static let valuesMax = 10_000

    private let recent: RecentChanges
    private(set) var fetched: FetchedChanges
    private let source: (any OldChanges)?
    private let isUnderLock: Bool
    /// Whether what was read is hardly needed again: then little of it is kept.
    var readsOnce = false
    private var count = 0

    /// `isUnderLock`: others wait, so only a few changes may be looked up.
    package init(
        _ recent: RecentChanges, _ fetched: FetchedChanges = FetchedChanges(), isUnderLock: Bool,
        source: (any OldChanges)? = nil
    ) {
        self.recent = recent
        self.fetched = fetched
        self.source = source
        self.isUnderLock = isUnderLock
    }

    /// Throws if this is too much while others wait.
    func charge(bytes: Int = 0, values: Int = 0) throws(PreparationError) {
        guard isUnderLock else { return }
        if bytes > KnownChanges.bytesMax || values > KnownChanges.valuesMax { throw .takesLong }
    }

    /// Throws if transforming this number of pairs of edits takes too long while other requests
    /// wait.
    func charge(pairs: Int) throws(PreparationError) {
        if isUnderLock && pairs > EditBase.lockedPairsMax { throw .takesLong }
    }

    /// How many steps a check of a schema takes while others wait: about 2 ms.
    static let schemaStepsMax = 10_000
    /// The absolute limit, about a second. A check that takes longer is refused.
    private static let schemaStepsEver = 10_000_000

    /// How many steps a check of a schema may take, and what follows if that is not enough.
    var schemaSteps: (most: Int, overrun: PreparationError) {
        isUnderLock
            ? (KnownChanges.schemaStepsMax, .takesLong)
            : (KnownChanges.schemaStepsEver, .refused(.schemaTooCostly))
    }

    /// Reads a change where it is: it is large to copy.
    func read<Value>(
        _ revision: Int, _ direction: ChangeRange.Direction, count wanted: Int = 0,
        _ body: (Change) throws(PreparationError) -> Value
    ) throws(PreparationError) -> Value {
        count += 1
        if isUnderLock && count > KnownChanges.changesMax { throw .takesLong }
        if let place = fetched.place(of: revision) {
            let page = fetched.pages[place.page]
            // In a span it is read where it is; an array's element would be copied.
            let changes = page.span
            return try body(changes[place.index])
        }
        guard let stored = recent[revision] else {
            if revision < 0 { throw .refused(.unknownRevision(revision)) }
            try fetch(fetched.range(revision, direction, count: wanted))
            return try read(revision, direction, count: wanted, body)
        }
        try charge(bytes: stored.count)
        let change: Change
        do { change = try Change(decoding: stored, revision: revision) } catch {
            throw .refused(.journal(.corrupt("a change in memory cannot be read")))
        }
        return try body(change)
    }

    /// The tree as it was at a revision, if that may be read: by a checkpoint, however many changes
    /// lie between.
    func tree(at revision: Int) throws(PreparationError) -> JSON? {
        if isUnderLock { throw .takesLong }
        guard let source else { return nil }
        do throws(ChangeError) { return try source.document(at: revision).tree } catch {
            // It is not committed yet.
            if case .unknownRevision = error { return nil }
            throw .refused(error)
        }
    }

    /// The outline of the segment that holds a revision; `nil` if its changes are already loaded,
    /// or if an outline is not possible without reading them.
    func outline(holding revision: Int) throws(PreparationError) -> SegmentOutline? {
        guard !isUnderLock, let source, recent[revision] == nil,
            fetched.place(of: revision) == nil
        else { return nil }
        do throws(ChangeError) { return try source.outline(holding: revision) } catch {
            throw .refused(error)
        }
    }

    /// Fetches old changes from the source; without one they are asked for.
    private func fetch(_ range: ChangeRange) throws(PreparationError) {
        guard let source else { throw .needs(range) }
        do throws(ChangeError) { fetched.add(try source.changes(range)) } catch {
            throw .refused(error)
        }
        fetched.letGo(readsOnce: readsOnce)
    }
}

/// An edit that was merged when a document was at an earlier revision.
struct MergeProgress: Sendable {
    let edit: MergedEdit
    /// The revision that it was made on.
    let base: Int
    /// The newest revision when it was merged.
    let head: Int
    /// The tracked part at that time.
    let tracking: Tracking
}

/// Changes that were read from the journal for a request.
///
/// A line keeps them for the next one: who undoes step by step reads them once.
package struct FetchedChanges: Sendable {
    /// Changes that are read at once: the first time, and at most.
    private static let pageSizes = (first: 32, most: EditBase.revisionsMax)
    /// More is not kept while a request is prepared: what is needed again is read again.
    private static let bytesInUseMax = 64 << 20
    /// The same where they are read once, one after the other: the newest page or two.
    private static let bytesReadOnceMax = 8 << 20
    /// More is not kept for the next request.
    private static let bytesMax = 256 << 10
    /// The approximate bytes of a change in memory, without its values.
    private static let changeBytes = 512

    /// Each of consecutive revisions, as it was read.
    private(set) var pages: [[Change]] = []
    private var count = 0
    /// About how many bytes they take in memory.
    package private(set) var weight = 0
    /// The bytes of all values with the overhead of each, estimated rather too high.
    package private(set) var memory = 0

    /// None.
    package init() {}

    package subscript(revision: Int) -> Change? {
        place(of: revision).map { pages[$0.page][$0.index] }
    }

    /// Where a change is. O(pages), which are few: most are as large as all before them.
    func place(of revision: Int) -> (page: Int, index: Int)? {
        for page in pages.indices.reversed() {
            let index = revision - pages[page][0].revision
            if pages[page].indices.contains(index) { return (page, index) }
        }
        return nil
    }

    /// Adds changes of consecutive revisions.
    package mutating func add(_ changes: [Change]) {
        guard !changes.isEmpty else { return }
        pages.append(changes)
        count += changes.count
        weight += FetchedChanges.weight(of: changes)
        memory += FetchedChanges.memory(of: changes)
    }

    private static func weight(of page: [Change]) -> Int {
        var weight = page.count * changeBytes
        for index in page.indices { weight += page[index].edits.byteCount }
        return weight
    }

    private static func memory(of page: [Change]) -> Int {
        var memory = weight(of: page)
        for index in page.indices {
            memory += Document.weight(0, page[index].edits.valueCount)
        }
        return memory
    }

    /// Lets the pages go that were added first, if all of them take too much.
    mutating func letGo(readsOnce: Bool) {
        let most =
            readsOnce ? FetchedChanges.bytesReadOnceMax : FetchedChanges.bytesInUseMax
        while weight > most && pages.count > 1 {
            let page = pages.removeFirst()
            count -= page.count
            weight -= FetchedChanges.weight(of: page)
            memory -= FetchedChanges.memory(of: page)
        }
    }

    /// Lets all pages go.
    package mutating func letGo() { (pages, count, weight, memory) = ([], 0, 0, 0) }

    /// The changes that stay available for the next request.
    var kept: FetchedChanges {
        weight <= FetchedChanges.bytesMax ? self : FetchedChanges()
    }

    /// The changes to read when a revision is missing. Each read doubles their number, up to a
    /// page, so all preparations together cost at most twice the last one. If the needed number is
    /// known, it is read at once.
    func range(
        _ revision: Int, _ direction: ChangeRange.Direction, count: Int
    ) -> ChangeRange {
        let (first, most) = FetchedChanges.pageSizes
        let limit = direction == .alone ? 1 : min(most, max(first, self.count, count))
        return ChangeRange(revision: revision, direction: direction, limit: limit)
    }
}
