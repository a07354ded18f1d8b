import DocumentCore
import JSONTree
public import Naming
public import VersioningKit

/// A version with what is known of the changes that made it.
public struct VersionRecord: Sendable {
    public let listed: VersionHistory<Int>.ListedVersion
    /// The change that began it: an edit, an own undo, a scope that was closed. `nil` if it is
    /// forgotten.
    public let beginning: Change?
    /// Its edits, oldest first; of very many the first and the last ones.
    public let edits: [Change]
    /// Whether own undo has left something of it in effect; `nil` if too much came after it to say.
    public let isInEffect: Bool?
    /// The snapshots that were taken of it, in the order of their bytes.
    public let snapshots: [Name]

    /// The first and the last revision that made it.
    public var revisions: ClosedRange<Int> {
        let first = min(listed.steps.first ?? listed.id, listed.id)
        return first...max(listed.steps.last ?? listed.id, listed.id)
    }

    /// All its changes, oldest first.
    public var changes: [Change] {
        let isEdit = beginning.map { one in edits.contains { $0.revision == one.revision } }
        return isEdit == false ? edits + [beginning].compactMap { $0 } : edits
    }
}

extension DocumentPast {
    /// Changes that came after the oldest version of a page, up to which all of them are read.
    private static let spanMax = 4_096
    /// Of a version with more edits than twice this many, only the first and last ones are read.
    private static let editsShown = 128

    /// Versions with ids below `id`, or all, the newest first; up to `limit`.
    public func versions(
        of document: Document, before id: Int? = nil, limit: Int
    ) throws(ChangeError) -> [VersionRecord] {
        let listed = document.history.list(before: id, limit: limit)
        let known = try changes(of: listed, document)
        let snapshots = try snapshots(of: document)
        return listed.map { version in
            VersionRecord(
                listed: version, beginning: known.byRevision[version.id],
                edits: DocumentPast.shown(version.steps).compactMap { known.byRevision[$0] },
                isInEffect: known.effects.map { effects in
                    version.steps.isEmpty || version.steps.contains { effects.isInEffect($0) }
                },
                snapshots: snapshots[version.id]?.sorted() ?? [])
        }
    }

    private typealias Known = (byRevision: [Int: Change], effects: BackwardEffectScan?)

    private static func shown(_ steps: [Int]) -> [Int] {
        guard steps.count > 2 * editsShown else { return steps }
        return Array(steps.prefix(editsShown) + steps.suffix(editsShown))
    }

    /// The changes of versions. Of new ones all changes since are read: what own undo has done to
    /// them is among those.
    private func changes(
        of versions: [VersionHistory<Int>.ListedVersion], _ document: Document
    ) throws(ChangeError) -> Known {
        let wanted = versions.flatMap { DocumentPast.shown($0.steps) + [$0.id] }
            .filter { $0 >= document.oldestRevision }
        guard let low = wanted.min() else { return ([:], BackwardEffectScan()) }
        guard document.revision - low < DocumentPast.spanMax else {
            return (try changes(at: wanted.sorted()), nil)
        }
        let all = try changes(in: low...document.revision)
        // An own undo that was itself undone, or left aside, counts no more.
        let line = Set(document.history.stepsBack.prefix { $0 >= low })
        var effects = BackwardEffectScan()
        for change in all.reversed() where line.contains(change.revision) {
            if let reversal = change.reversal { effects.note(reversal) }
        }
        return (Dictionary(all.map { ($0.revision, $0) }) { $1 }, effects)
    }

    /// Changes at some revisions, in order: neighbours are read together.
    private func changes(at revisions: [Int]) throws(ChangeError) -> [Int: Change] {
        var found: [Int: Change] = [:]
        var rest = revisions[...]
        while let first = rest.first {
            let run = rest.prefix { $0 < first + DocumentPast.runMax }
            for change in try changes(in: first...(run.last ?? first)) {
                found[change.revision] = change
            }
            rest = rest.dropFirst(run.count)
        }
        return found
    }

    /// The size of a run that is read at once, even if only a few of its changes are wanted.
    private static let runMax = 128

    private func changes(in range: ClosedRange<Int>) throws(ChangeError) -> [Change] {
        var found: [Change] = []
        var next = range.lowerBound
        while next <= range.upperBound {
            let page = try changes(from: next, limit: range.upperBound + 1 - next)
            guard let last = page.last else { break }
            // The values would be most of it: a page of them at a time is enough.
            found += page.map { $0.outlined() }
            next = last.revision + 1
        }
        return found
    }

    /// The snapshots of each version: the one that was current when they were taken.
    private func snapshots(of document: Document) throws(ChangeError) -> [Int: [Name]] {
        var found: [Int: [Name]] = [:]
        for (key, snapshot) in document.snapshots {
            let before = try changes(upTo: snapshot.revision, limit: DocumentPast.changesLookedBack)
            let version = before.reversed().lazy.compactMap { document.history.version(after: $0) }
            if let version = version.first { found[version, default: []].append(key) }
        }
        return found
    }

    /// The number of changes scanned back for the version of a snapshot.
    private static let changesLookedBack = 16
}

extension Document {
    /// The version that a change made, joined or went to; `nil` if it did none of these, or that
    /// version is not known any more.
    public func version(of change: Change) -> Int? {
        history.version(after: change)
    }
}

extension VersionHistory<Int> {
    /// The version that a document is at after a change that leads to one.
    fileprivate func version(after change: Change) -> Int? {
        switch change.kind {
        case .create: version(change.revision)?.id
        case .move(let target, _): version(target)?.id
        case .popScope(isChanged: true, _): version(change.revision)?.id
        default: change.makesVersion ? version(ofStep: change.revision) : nil
        }
    }
}
