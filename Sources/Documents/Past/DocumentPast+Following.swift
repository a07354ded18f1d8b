import DocumentCore
public import JSONTree
import Naming
import SelectiveUndo
import VersioningKit

// Where places of an old state are now.

extension DocumentPast {
    /// Places of the state at an address, `then`, followed to a newer state. Blocks.
    ///
    /// Of a snapshot, those that it holds.
    public func followed(
        _ pointers: [JSONPointer], from address: StateAddress, _ then: Document, to head: Document
    ) throws(ChangeError) -> FollowedPlaces {
        switch address {
        case .snapshot(let key):
            guard let snapshot = head.snapshots[key] else { throw .unknownSnapshot(key) }
            return try followed(pointers, of: snapshot, to: head)
        case .origin: return try head.compared(pointers, in: then.tree)
        case .head, .revision, .version, .tag, .time:
            return try follow(head.places(pointers, in: then.tree, at: then.revision), to: head)
        }
    }

    private func followed(
        _ pointers: [JSONPointer], of snapshot: Snapshot, to head: Document
    ) throws(ChangeError) -> FollowedPlaces {
        let isAll = pointers == [.root]
        if snapshot.isWhole {
            let whole = snapshot.places[0].value ?? .null
            if isAll || snapshot.revision >= head.oldestRevision {
                return try follow(
                    head.places(pointers, in: whole, at: snapshot.revision), to: head)
            }
            return try head.named(pointers, in: whole)
        }
        let held = try followed(snapshot, to: head)
        return isAll ? held : try head.places(pointers, amidst: held)
    }

    /// The places that a snapshot holds.
    private func followed(
        _ snapshot: Snapshot, to head: Document
    ) throws(ChangeError) -> FollowedPlaces {
        guard snapshot.revision >= head.oldestRevision else { return try head.named(snapshot) }
        let then = try document(at: snapshot.revision).tree
        let pointers = snapshot.places.map(\.pointer)
        return try follow(head.places(pointers, in: then, at: snapshot.revision), to: head)
    }

    private static let pageSize = 1_000

    /// Follows places through the changes up to a newer state. Segments of the journal whose edits
    /// shift and change none of them are not decoded.
    private func follow(
        _ found: FollowedPlaces, to head: Document
    ) throws(ChangeError) -> FollowedPlaces {
        var places = found
        if places.isWhole || places.revision >= head.revision { return places }
        var passing = Passing()
        while places.revision < head.revision {
            if try pass(&places, upTo: head.revision, &passing) { continue }
            if passing.isBehind {
                places.pass(
                    to: places.revision, in: try document(at: places.revision).tree)
                passing.hasReturned()
            }
            let next = places.revision + 1
            let end = min(head.revision + 1, passing.end(after: next) ?? .max)
            let page = try changes(from: next, limit: min(DocumentPast.pageSize, end - next))
            guard page.first?.revision == next else { throw .unknownRevision(next) }
            for change in page { try places.follow(change) }
            passing.count += page.count
        }
        // It shares its parts with the newest state.
        places.pass(to: head.revision, in: head.tree)
        return places
    }

    /// Passes the rest of a segment unread, if nothing in it concerns the places.
    private func pass(
        _ places: inout FollowedPlaces, upTo end: Int, _ passing: inout Passing
    ) throws(ChangeError) -> Bool {
        let next = places.revision + 1
        guard !passing.segment.contains(next), passing.isPaid(of: places.tree),
            let segment = try outline(holding: next)
        else { return false }
        passing.segment = segment.revisions
        guard segment.places.allSatisfy({ places.isApart(from: $0) }) else { return false }
        let last = min(end, segment.revisions.upperBound - 1)
        passing.count += last - places.revision
        passing.isBehind = true
        places.pass(to: last, in: places.tree)
        return true
    }

    /// The changes that were skipped unread.
    private struct Passing {
        /// The segment of the last scan: the rest of it has to be read.
        var segment = 0..<0
        /// The changes that were read or passed.
        var count = 0
        /// Whether the tree is an older one.
        var isBehind = false
        private var returns = 0

        /// Reading one change takes as long as making this number of bytes of a tree.
        private static let bytesInsteadOfOne = 512
        /// A tree is made of a checkpoint and about this number of changes after it.
        private static let changesOfTree = 256

        mutating func hasReturned() {
            isBehind = false
            returns += 1
        }

        /// Whether the trees that were made behind passed segments cost no more than the changes:
        /// so all of it takes twice as long as reading, at most.
        func isPaid(of tree: JSON) -> Bool {
            isBehind
                || returns * (tree.byteCount / Passing.bytesInsteadOfOne + Passing.changesOfTree)
                    <= count
        }

        /// Where the segment ends of which a revision has to be read.
        func end(after revision: Int) -> Int? {
            segment.contains(revision) ? segment.upperBound : nil
        }
    }
}

extension Document {
    /// The document as it would be if the snapshot were restored. Blocks.
    func restored(from key: Name, _ past: DocumentPast) throws(ChangeError) -> Document {
        let places = try past.followed([.root], from: .snapshot(key), self, to: self)
        var copy = self
        if let whole = places.whole {
            copy.tree = whole
            return copy
        }
        let patch = try places.restored().patch
        do { copy.tree = try tree.applying(patch) } catch { throw .mismatch(version: revision) }
        return copy
    }
}
