import DocumentCore
import Journaling
import JSONTree
import Naming
import SelectiveUndo
public import Sentences
import VersioningKit

/// The changes of a version, in words.
public struct VersionTelling: Sendable {
    /// The sentence, without who did it: that the version says itself.
    public let sentence: Sentence
    /// Short values that it replaced, up to a limit: the old and the new one.
    public let values: [(old: String, new: String)]
    /// How many places it changed.
    public let count: Int

    init(sentence: Sentence, values: [(old: String, new: String)], count: Int) {
        (self.sentence, self.values, self.count) = (sentence, values, count)
    }

    /// The differences between two values.
    init(from before: JSON, to after: JSON, _ identity: [String]) {
        let told = Telling(from: before, to: after, identity: identity)
        self.init(sentence: told.sentence, values: told.values, count: told.count)
    }
}

extension DocumentPast {
    /// The limit on changes between the newest state and a version up to which one goes back over
    /// them; older states are replayed from the checkpoint before them.
    private static let backMax = 4_096
    /// Changes that are read at once.
    private static let pageSize = 256

    /// The changes of some versions of a document in words, by their ids. Versions whose changes or
    /// states are forgotten are left out. O(changes between the newest and the oldest of them, and
    /// from there to the newest state or the nearest checkpoint).
    public func tellings(
        of records: [VersionRecord], _ document: Document
    ) throws(ChangeError) -> [Int: VersionTelling] {
        let known = records.filter {
            $0.beginning != nil && $0.revisions.lowerBound > document.oldestRevision
        }
        var told: [Int: VersionTelling] = [:]
        for record in records where record.beginning.map({ $0.kind == .create }) == true {
            told[record.listed.id] = VersionTelling(
                sentence: "made the document", values: [], count: 1)
        }
        let wanted = known.filter { told[$0.listed.id] == nil }
        let walk = try walk(over: wanted.map(\.revisions), document)
        for record in wanted {
            told[record.listed.id] = walk.telling(
                of: record, document.settings.identityNames)
        }
        return told
    }

    private func walk(
        over ranges: [ClosedRange<Int>], _ document: Document
    ) throws(ChangeError) -> StateWalk {
        guard let low = ranges.map(\.lowerBound).min(), let high = ranges.map(\.upperBound).max()
        else { return StateWalk(ranges) }
        return document.revision - low < DocumentPast.backMax
            ? try walkBack(from: document, to: low - 1, StateWalk(ranges))
            : try walkForward(from: low - 1, to: high, StateWalk(ranges))
    }

    private func walkBack(
        from document: Document, to low: Int, _ walk: StateWalk
    ) throws(ChangeError) -> StateWalk {
        var (tree, walk) = (document.tree, walk)
        var revision = document.revision
        walk.note(tree, at: revision)
        while revision > low {
            let limit = min(DocumentPast.pageSize, revision - low)
            let page = try changes(upTo: revision, limit: limit)
            guard page.last?.revision == revision else { break }
            for change in page.reversed() {
                walk.note(change)
                // Erased changes cannot be reverted; older ones stay without a description.
                guard let former = try? tree.applying(change.edits.inverse) else { return walk }
                (tree, revision) = (former, change.revision - 1)
                walk.note(tree, at: revision)
            }
        }
        return walk
    }

    private func walkForward(
        from low: Int, to high: Int, _ walk: StateWalk
    ) throws(ChangeError) -> StateWalk {
        var (tree, walk) = (try document(at: low).tree, walk)
        var revision = low
        walk.note(tree, at: low)
        while revision < high {
            let limit = min(DocumentPast.pageSize, high - revision)
            let page = try changes(from: revision + 1, limit: limit)
            guard !page.isEmpty else { break }
            for change in page {
                guard let next = try? tree.applying(change.edits) else { return walk }
                (tree, revision) = (next, change.revision)
                walk.note(change)
                walk.note(tree, at: revision)
            }
        }
        return walk
    }
}

/// The data collected on a way over changes: the states around wanted versions, and the change of a
/// version with only one.
private struct StateWalk {
    private let states: Set<Int>
    private let changes: Set<Int>
    private var trees: [Int: JSON] = [:]
    private var patches: [Int: ReversiblePatch] = [:]

    init(_ ranges: [ClosedRange<Int>]) {
        states = Set(ranges.flatMap { [$0.lowerBound - 1, $0.upperBound] })
        changes = Set(ranges.filter { $0.count == 1 }.map(\.lowerBound))
    }

    mutating func note(_ tree: JSON, at revision: Int) {
        if states.contains(revision) { trees[revision] = tree }
    }

    mutating func note(_ change: Change) {
        if changes.contains(change.revision) { patches[change.revision] = change.edits }
    }

    /// `nil` if its states were not met.
    func telling(of record: VersionRecord, _ identity: [String]) -> VersionTelling? {
        let range = record.revisions
        guard let before = trees[range.lowerBound - 1], let after = trees[range.upperBound]
        else { return nil }
        // A single change is described by its own patch; several, by their net effect.
        let patch = range.count == 1 ? patches[range.lowerBound] : nil
        let told =
            patch.map { Telling($0, on: before, identity: identity) }
            ?? Telling(from: before, to: after, identity: identity)
        let sentence = record.sentence(told) {
            patch.map { Telling($0.inverse, on: after, identity: identity) }
                ?? Telling(from: after, to: before, identity: identity)
        }
        return VersionTelling(sentence: sentence, values: told.values, count: told.count)
    }
}

extension VersionRecord {
    /// `undone` describes the edits that led to the undone state.
    fileprivate func sentence(_ told: Telling, _ undone: () -> Telling) -> Sentence {
        guard let change = beginning else { return told.sentence }
        switch change.kind {
        case .revert(let reversal):
            return reversal.undone.isEmpty
                ? "redid " + change.whose(reversal, told)
                : "undid " + change.whose(reversal, undone())
        case .restore(let key):
            return Sentence(.words("restored "), .object(key.text), .words(": ")) + told.sentence
        case .update:
            return Sentence(.words("updated from "), .object(change.draft?.origin.name ?? ""))
                + Sentence(.words(": ")) + told.sentence
        case .append where change.merged != nil:
            return Sentence(.words("merged "), .object(change.merged?.draft.name ?? ""))
                + Sentence(.words(": ")) + told.sentence
        case .popScope: return "closed a scope: " + told.sentence
        case .discardScope: return "discarded a scope: " + undone().sentence
        default: return told.sentence
        }
    }
}

extension Change {
    /// Whose changes were reversed, how many, and of one what it did.
    fileprivate func whose(_ reversal: Reversal, _ told: Telling) -> Sentence {
        let count = reversal.visible.count
        let other = reversal.actor.flatMap { $0 == actor || $0 == .nobody ? nil : $0.text }
        if count == 0 { return "a change with no visible effect" }
        guard count == 1 else {
            let number = Sentence(.object("\(count) changes"))
            return other.map { number + Sentence(.words(" of "), .person($0)) } ?? number
        }
        let whose =
            other.map { Sentence(.person($0), .words("’s change: ")) } ?? "a change: "
        return whose + told.sentence
    }
}
