import JSONTree
import VersioningKit

extension EffectReader {
    /// The changes that were skipped unread, since their segments show that they can be left out.
    struct Passed {
        /// Whether some of the last scanned changes were skipped.
        fileprivate(set) var isLast = false
        /// The segment of the last scan: the rest of it has to be read.
        fileprivate var segment = 0..<0
        /// How many there are, of the current line and not.
        fileprivate var count = 0
        /// How often the tree behind them was made.
        fileprivate var returns = 0

        /// A tree of its own is made behind them. One that is larger than this is not worth it.
        fileprivate static let treeBytesMax = 4 << 20
        /// Reading one change takes as long as making this number of bytes of a tree.
        private static let bytesInsteadOfOne = 512
        /// Whether the trees that were made cost no more than `read` changes and those that were
        /// passed: so all of it takes twice as long as reading, at most.
        fileprivate func isPaid(of tree: JSON, read: Int) -> Bool {
            returns * (tree.byteCount / Passed.bytesInsteadOfOne) <= read + count
        }
    }

    /// Passes the changes of a segment from one of them back, if all are left out. Returns those of
    /// them that took others out of effect, or put them back, the oldest first.
    mutating func pass(_ revision: Int) throws(PreparationError) -> [Change]? {
        guard oldest != nil, !passed.segment.contains(revision), isWorthPassing, var narrowing,
            let segment = try preparation.context.known.outline(holding: revision)
        else { return nil }
        passed.segment = segment.revisions
        var rest = path
        guard rest.pass(downTo: segment.revisions.lowerBound), narrowing.leavesOut(segment)
        else { return nil }
        self.narrowing = narrowing
        path = rest
        oldest = segment.revisions.lowerBound
        next = path.next()
        tree = takeRest() ?? tree
        passed.isLast = true
        passed.count += segment.revisions.count
        return segment.reversals
    }

    private var isWorthPassing: Bool {
        guard !passed.isLast else { return true }
        let tree = preparation.document.tree
        return tree.byteCount <= Passed.treeBytesMax && passed.isPaid(of: tree, read: count)
            && held + Document.weight(of: tree) <= preparation.context.undoBytesMax / 2
    }

    /// Goes back past what was passed, to the tree at a revision of the current line.
    mutating func goBack(to revision: Int) throws(PreparationError) {
        guard let before = try preparation.context.known.tree(at: revision) else {
            throw .refused(.mismatch(version: path.version))
        }
        add(.rest(before: before, after: tree, Part.treeBytes + Document.weight(of: before)))
        tree = before
        passed.isLast = false
        passed.returns += 1
    }
}
