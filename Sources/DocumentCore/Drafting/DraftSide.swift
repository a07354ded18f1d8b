public import JSONTree
import Naming
import SelectiveUndo
import VersioningKit

/// The edits of a draft, or of its origin, since their common state.
public struct DraftSide: Sendable {
    /// The document as it is.
    public let tree: JSON
    /// The net edits from the common state to this side.
    public let patch: ReversiblePatch
    /// The changes that led to it; `nil` if the document's line does not come from the common
    /// state, so that only the values were compared.
    let line: EffectHistory?
    /// The changes that led to this side, if they were read: those of `line`, or those that a
    /// comparison of values used for authors.
    let story: EffectHistory?
    /// The authors of each change; several if it is unknown which of them made it.
    let actors: [Int: [Name]]
    /// Of changes that took over what several authors made, who made each edit.
    let authorsOfEdits: [Int: (patch: ReversiblePatch, authors: [Name?])]
    /// The cost of the comparison, in pairs of edits.
    private(set) var readingCost = 0

    /// The changes that are in effect, the oldest first; empty where they are not known.
    public var revisions: [Int] { patch.isEmpty ? [] : line?.revisionsInEffect ?? [] }

    /// The authors of the wanted changes in effect, each once.
    func authors(where isWanted: (Int) -> Bool) -> [Name] {
        var known: Set<Name> = []
        return (patch.isEmpty ? [] : story?.revisionsInEffect ?? []).filter(isWanted)
            .flatMap { actors[$0] ?? [] }.filter { known.insert($0).inserted }
    }

    /// The author of all edits, if there is only one.
    var onlyAuthor: Name? {
        let authors = authors { _ in true }
        return authors.count == 1 ? authors[0] : nil
    }

    /// By the changes since a record, which begins with a patch on the common state.
    ///
    /// `nil` if they do not lead from there to the document: the line has gone back beyond it.
    package init?(
        from common: JSON, _ beginning: CreditedPatch, at revision: Int, _ changes: [Change],
        to tree: JSON
    ) {
        var line = EffectHistory(common, first: revision, isWhole: true)
        var shown = common
        do {
            if !beginning.patch.isEmpty {
                try line.append(revision, by: .nobody, group: nil, beginning.patch)
                try shown.apply(beginning.patch)
            }
            for change in changes { try line.add(change, &shown) }
            guard shown == tree else { return nil }
            patch = try line.net(on: tree).chosen
        } catch {
            return nil
        }
        self.tree = tree
        self.line = line
        story = line
        var actors = [revision: beginning.authors]
        var authorsOfEdits: [Int: (patch: ReversiblePatch, authors: [Name?])] = [:]
        authorsOfEdits[revision] = beginning.authorsOfEdits.map { (beginning.patch, $0) }
        for change in changes {
            actors[change.revision] = [change.actor]
            // Edits merged from a draft of this draft keep their authors there.
            guard let merged = change.merged, !merged.authors.isEmpty else { continue }
            actors[change.revision] = merged.authors
            if merged.authors.count == 1 { continue }
            authorsOfEdits[change.revision] = (change.edits, merged.authors(of: change.edits))
        }
        self.actors = actors
        self.authorsOfEdits = authorsOfEdits
        readingCost = DraftWork.cost(
            changes: changes.count,
            bytes: tree.byteCount + changes.reduce(0) { $0 + $1.edits.byteCount })
    }

    /// The chosen edits of a side as a side of their own.
    init(_ split: NetEdit, of side: DraftSide) {
        tree = (try? side.tree.applying(split.rest.inverse)) ?? side.tree
        patch = split.chosen
        (line, story) = (nil, nil)
        (actors, authorsOfEdits) = ([:], [:])
    }

    /// A patch that leads to a tree.
    init(of patch: ReversiblePatch, leadingTo tree: JSON) {
        self.patch = patch
        self.tree = tree
        (line, story) = (nil, nil)
        (actors, authorsOfEdits) = ([:], [:])
    }

    /// Compares the values at the wanted places. Edits that are already known to lead there are
    /// preferred, since values show less. `story` holds the changes, for their authors.
    package init(
        comparing common: JSON, with tree: JSON, known: ReversiblePatch = .empty,
        _ options: DiffOptions, story: DraftSide? = nil, where isWanted: (JSONPointer) -> Bool
    ) {
        self.tree = tree
        line = nil
        self.story = story?.line
        actors = story?.actors ?? [:]
        authorsOfEdits = story?.authorsOfEdits ?? [:]
        let difference = common.diff(to: tree, options: options)
        let wanted = try? common.applying(difference.operations(where: isWanted))
        let candidates = [known, known.narrowed(where: isWanted) ?? known]
        readingCost = DraftWork.cost(changes: 0, bytes: 2 * (common.byteCount + tree.byteCount))
        let kept = candidates.first { (try? common.applying($0)) == wanted?.tree ?? tree }
        patch = kept ?? wanted?.patch ?? difference
    }
}

extension EffectHistory {
    /// Adds a change of a line, which is `shown` before it.
    fileprivate mutating func add(_ change: Change, _ shown: inout JSON) throws {
        guard let reversal = change.reversal, reversal.flipped.allSatisfy({ actor(of: $0) != nil })
        else {
            // The change undoes something older than the line, so here it is an edit.
            try append(
                change.revision, by: change.actor, group: nil, change.edits,
                wonSince: change.wonSince)
            return try shown.apply(change.edits)
        }
        var after = shown
        try after.apply(change.edits)
        try revert(change.revision, reversal, &shown)
        try adjust(from: shown, to: after)
        shown = after
    }
}

// MARK: Parts

/// The part of a draft that a request chooses.
public enum DraftPart: Sendable, Equatable {
    /// Edits at, inside or around these places. Places are addressed in the draft; removed places
    /// in the common state. A removal around a place that the draft has is not chosen.
    case paths([JSONPointer])
    /// The edits of these changes of the draft.
    case changes([Int])
    /// The edits up to this revision of the draft, with its value there.
    case state(Int, JSON)
}

extension DraftSide {
    /// The edits of the changes up to a revision; `nil` if they are unknown.
    func split(upTo revision: Int) -> NetEdit? {
        try? net { $0 <= revision }
    }

    /// The edits of these changes; throws if they depend on others or are not in effect.
    func split(changes chosen: Set<Int>) throws(ChangeError) -> NetEdit {
        let known = Set(revisions)
        if let other = chosen.subtracting(known).min() { throw .notInEffect(revision: other) }
        guard let line else { throw .mismatch(version: 0) }
        for revision in chosen.sorted() {
            let needed: [Int]
            do { needed = try line.needs(of: revision, on: tree) } catch {
                throw .mismatch(version: revision)
            }
            let missing = needed.filter { !chosen.contains($0) }
            if !missing.isEmpty { throw .draft(.needsChanges(missing, of: revision)) }
        }
        return try net { chosen.contains($0) }
    }

    private func net(of isChosen: (Int) -> Bool) throws(ChangeError) -> NetEdit {
        guard let line else { throw .mismatch(version: 0) }
        do { return try line.net(of: isChosen, on: tree) } catch {
            throw .mismatch(version: line.first)
        }
    }

    /// The edits at, inside or around places; throws if a move leads out of them.
    func split(at paths: [JSONPointer], from common: JSON) throws(ChangeError) -> NetEdit {
        var steps = EffectHistory(common, first: 1, isWhole: true)
        var chosen: Set<Int> = []
        do throws(EffectHistory.Diverged) {
            for (index, edit) in patch.edits.enumerated() {
                try steps.append(
                    index + 1, by: .nobody, group: nil, ReversiblePatch([edit]))
            }
        } catch {
            throw .mismatch(version: 0)
        }
        for (index, ends) in places(from: common, following: .empty).enumerated() {
            let meets = zip(ends, patch.edits[index].ends).map { place, end in
                paths.contains { isNamed(place, end, by: $0) }
            }
            guard meets.contains(true) else { continue }
            // A move to or from elsewhere would be half of one.
            if let other = meets.firstIndex(of: false), patch.edits[index].isMove {
                throw .draft(.movedPart(to: ends[other]))
            }
            chosen.insert(index + 1)
        }
        do { return try steps.net(of: { chosen.contains($0) }, on: tree) } catch {
            throw .mismatch(version: 0)
        }
    }

    /// Whether a path of a part names the place of an edit's end. A path to something that the
    /// draft has leads into nothing that was removed or moved away, which may have had its index.
    private func isNamed(
        _ place: JSONPointer, _ end: JSONEdit.End, by path: JSONPointer
    ) -> Bool {
        if case .before = end, tree[path] != nil { return place.inside(path) != nil }
        return path.meets(place)
    }

    /// The place of each edit, as `paths` of a part names it.
    public func places(from common: JSON) -> [JSONPointer] {
        places(from: common, following: .empty).map { $0.first ?? .root }
    }

    /// The place of each edit of the patch in the tree; of a removal, in the common state.
    /// `following` leads from the tree to the one in which the places are wanted. O(edits · edits
    /// that shift elements).
    func places(
        from common: JSON, following next: ReversiblePatch
    ) -> [[JSONPointer]] {
        let onward = next.inverse
        let edits = patch.edits
        var earlier: [JSONEdit] = []
        var later = patch.shifts.edits
        var tree = common
        return edits.map { edit in
            let before = tree
            try? tree.apply(edit)
            if edit.isShift { later.removeFirst() }
            // The way on is the way back over what takes it back.
            let rest = ReversiblePatch(later).inverse
            let ends = edit.ends.map { end in
                switch end {
                case .before(let pointer):
                    pointer.carriedBack(over: ReversiblePatch(earlier), in: before)
                case .after(let pointer):
                    pointer.carriedBack(over: rest, in: tree)
                        .carriedBack(over: onward, in: self.tree)
                }
            }
            if edit.isShift { earlier.append(edit) }
            return ends
        }
    }
}

extension JSONPointer {
    /// The value for this place, or for the nearest place around it.
    func nearest<Value>(in known: [JSONPointer: Value]) -> Value? {
        for count in stride(from: self.count, through: 0, by: -1) {
            if let found = known[JSONPointer(tokens: Array(tokens[..<count]))] { return found }
        }
        return nil
    }

    /// Whether one is at, in or around the other.
    func meets(_ other: JSONPointer) -> Bool {
        inside(other) != nil || other.inside(self) != nil
    }

    /// The place in `tree` before a patch led there.
    func carriedBack(over patch: ReversiblePatch, in tree: JSON) -> JSONPointer {
        if patch.isEmpty { return self }
        var trail = PlaceTrail(self, in: tree)
        _ = trail.goBack(over: patch)
        return trail.hasEnded ? self : trail.pointer
    }
}

extension ReversiblePatch {
    /// The edits that change the places of other edits.
    var shifts: ReversiblePatch { ReversiblePatch(edits.filter(\.isShift)) }
}

extension JSONEdit {
    /// A place that an edit is about.
    fileprivate enum End {
        /// In the tree before it.
        case before(JSONPointer)
        /// In the tree after it.
        case after(JSONPointer)
    }

    fileprivate var ends: [End] {
        switch self {
        case .add(let pointer, _), .replace(let pointer, _, _), .splice(let pointer, _, _, _, _):
            [.after(pointer)]
        case .remove(let pointer, _): [.before(pointer)]
        case .move(let from, let to): [.before(from), .after(to)]
        }
    }

    /// Whether places of others may be other ones after it.
    fileprivate var isShift: Bool {
        switch self {
        case .move: true
        case .add(let pointer, _), .remove(let pointer, _):
            pointer.tokens.last?.index(below: .max) != nil
        case .replace, .splice: false
        }
    }
}
