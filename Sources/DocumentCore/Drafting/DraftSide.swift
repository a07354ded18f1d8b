public import JSONTree
import Naming
import SelectiveUndo
import VersioningKit

/// What a draft, or its origin, has beyond the state that both have in common.
public struct DraftSide: Sendable {
    /// The document as it is.
    public let tree: JSON
    /// What leads from the common state to it, each thing once.
    public let patch: ReversiblePatch
    /// The changes that led to it; `nil` if the document's line does not come from the common
    /// state, so that only the values were compared.
    let line: EffectHistory?
    /// The changes that led to it, where they are read: those of `line`, or those beside which the
    /// values were compared.
    let story: EffectHistory?
    /// Who made them; several, where it is not known which of them.
    let actors: [Int: [Name]]
    /// Of changes that took over what several authors made, who made each edit.
    let authorsOfEdits: [Int: (patch: ReversiblePatch, authors: [Name?])]
    /// What it took to find out, in pairs of edits.
    private(set) var readingCost = 0

    /// The changes that are in effect, the oldest first; empty where they are not known.
    public var revisions: [Int] { patch.isEmpty ? [] : line?.revisionsInEffect ?? [] }

    /// Who made those of the changes in effect that are wanted, each once.
    func authors(where isWanted: (Int) -> Bool) -> [Name] {
        var known: Set<Name> = []
        return (patch.isEmpty ? [] : story?.revisionsInEffect ?? []).filter(isWanted)
            .flatMap { actors[$0] ?? [] }.filter { known.insert($0).inserted }
    }

    /// Who made everything, if that was one actor.
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
            // What a draft of this draft brought is by those who made it there.
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

    /// What was chosen of a side, alone.
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

    /// By comparing the values, at places where something is wanted. What is known already to lead
    /// there is better than what the values tell. `story`: by the changes, for who made it.
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
            // What it took back is older than the line: here it is an edit.
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

/// What somebody chose of a draft.
public enum DraftPart: Sendable, Equatable {
    /// What was edited at, inside or around these places: as the draft has them, and what it
    /// removed, as the common state had it; around places that the draft has, no removal.
    case paths([JSONPointer])
    /// What these changes of the draft made.
    case changes([Int])
    /// What there was at this revision of the draft.
    case state(Int, JSON)
}

extension DraftSide {
    /// What the changes up to a revision made; `nil` where they are not known.
    func split(upTo revision: Int) -> NetEdit? {
        try? net { $0 <= revision }
    }

    /// What these changes made; throws if it rests on others, or they are not in effect.
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

    /// What was edited at, inside or around places; throws if a move leads elsewhere.
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

    /// Where each edit of the patch is in the tree; of what it removed, where that was in the
    /// common state. `following` leads on from the tree to another one, where they are wanted.
    /// O(edits · edits that shift elements).
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
    /// What is known of this place, or of the nearest one around it.
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
    /// What of it changes the places of others.
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
