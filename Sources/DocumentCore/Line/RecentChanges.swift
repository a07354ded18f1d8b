/// The last changes of a document as they were journaled, so that undo need not read the journal.
package struct RecentChanges {
    /// Together about as much as a small document.
    private static let bytesMax = 256 << 10
    private static let countMax = 1_024

    private var first = 0
    private var bodies: [[UInt8]] = []
    private var bytes = 0

    /// About how many bytes it takes in memory.
    var weight: Int { bytes + bodies.count * 48 }

    /// Adds the change at `revision`, which follows the last one.
    ///
    /// Keeps an uncommitted change of any size: the journal does not have it yet.
    mutating func append(_ body: [UInt8], at revision: Int, firstUncommitted: Int) {
        if revision != first + bodies.count { self = RecentChanges(first: revision) }
        bodies.append(body)
        bytes += body.count
        if bytes > RecentChanges.bytesMax || bodies.count > RecentChanges.countMax {
            trim(before: firstUncommitted)
        }
    }

    /// The changes before a revision are committed now: the large ones are dropped.
    mutating func noteCommitted(before firstUncommitted: Int) {
        if bytes > RecentChanges.bytesMax { trim(before: firstUncommitted) }
    }

    package init(first: Int = 0) {
        self.first = first
    }

    package subscript(revision: Int) -> [UInt8]? {
        bodies.indices.contains(revision - first) ? bodies[revision - first] : nil
    }

    /// Removes the changes from `revision` on: they did not become durable.
    mutating func removeAll(from revision: Int) {
        while first + bodies.count - 1 >= revision, let last = bodies.popLast() {
            bytes -= last.count
        }
    }

    /// Drops the older half, in one go, so that it happens seldom.
    private mutating func trim(before firstUncommitted: Int) {
        var dropped = 0
        while dropped < bodies.count && first + dropped < firstUncommitted
            && (bytes > RecentChanges.bytesMax / 2
                || bodies.count - dropped > RecentChanges.countMax / 2)
        {
            bytes -= bodies[dropped].count
            dropped += 1
        }
        bodies.removeFirst(dropped)
        first += dropped
    }
}
