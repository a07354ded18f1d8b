public import JSONTree
import Journaling
public import Naming
import SelectiveUndo

/// A comparison of a draft with its origin: their common state, and the edits of each side since.
public struct DraftComparison: Sendable {
    public let draft: Document
    public let origin: Document
    /// The record of the last comparison that is still valid.
    let entry: DraftState.Entry
    public let common: JSON
    /// The draft's edits since the common state.
    public let ahead: DraftSide
    /// The origin's edits since the common state.
    public let behind: DraftSide
    /// The reservation of its memory, held until the response is made.
    package var memory: (any Sendable)?

    package init(
        draft: Document, origin: Document, entry: DraftState.Entry, common: JSON, ahead: DraftSide,
        behind: DraftSide, memory: (any Sendable)? = nil
    ) {
        self.draft = draft
        self.origin = origin
        self.entry = entry
        self.common = common
        self.ahead = ahead
        self.behind = behind
        self.memory = memory
    }

    /// The origin's revision that the common state is about.
    public var originRevision: Int { entry.record.originRevision }

    /// The known authors of the draft's edits.
    public var actors: [Name] { ahead.authors { _ in true }.filter { $0 != .nobody } }

    /// The side that wins where both have changed the same place.
    public struct Decisions: Sendable, Equatable {
        public var policy: ConflictPolicy
        /// The decisions at single places, named as in conflicts: `mine` applies the draft's edit,
        /// `theirs` leaves it out.
        public var places: [JSONPointer: ConflictPolicy]

        public init(_ policy: ConflictPolicy = .reject, places: [JSONPointer: ConflictPolicy] = [:])
        {
            self.policy = policy
            self.places = places
        }

        /// The decisions for single edits, found by their places; the decision for the innermost
        /// place applies.
        func exceptions(_ edits: [[JSONPointer]]) -> [Int: ConflictPolicy] {
            if places.isEmpty { return [:] }
            var exceptions: [Int: ConflictPolicy] = [:]
            for (edit, ends) in edits.enumerated() {
                exceptions[edit] = ends.first?.nearest(in: places)
            }
            return exceptions
        }
    }

    /// Both sides, or a part of the draft, transformed over each other.
    struct Passed {
        /// The chosen edits and the rest.
        let split: NetEdit
        /// The draft's changes that what was chosen is; `nil` if it is not a set of these.
        let revisions: Set<Int>?
        let merged: MergedEdit
    }

    /// Passes the draft's side, or a part of it, over the origin's.
    func passed(
        _ part: DraftPart? = nil, _ decisions: Decisions = Decisions()
    ) throws(ChangeError) -> Passed {
        let (split, revisions) = try split(part)
        let base = try base()
        let places = decisions.places.isEmpty ? [] : self.places(split)
        let merged = try pass(
            split.chosen, over: base, decisions.policy, except: decisions.exceptions(places))
        try check(decisions, against: merged, places) { () throws(ChangeError) in
            try pass(split.chosen, over: base, decisions.policy)
        }
        if decisions.policy == .reject, !merged.conflicts.isEmpty {
            throw .draft(.conflicts(conflicts(merged.conflicts, self.places(split))))
        }
        return Passed(split: split, revisions: revisions, merged: merged)
    }

    /// The chosen edits of the draft and the rest.
    private func split(
        _ part: DraftPart?
    ) throws(ChangeError) -> (edits: NetEdit, revisions: Set<Int>?) {
        switch part {
        case nil: (whole, nil)
        case .paths(let paths): (try ahead.split(at: paths, from: common), nil)
        case .changes(let chosen): (try ahead.split(changes: Set(chosen)), Set(chosen))
        case .state(let revision, let tree): try split(at: tree, of: revision)
        }
    }

    /// The edits that led to a state of the draft, and the edits after it.
    private func split(
        at tree: JSON, of revision: Int
    ) throws(ChangeError) -> (edits: NetEdit, revisions: Set<Int>?) {
        if revision == draft.revision { return (whole, nil) }
        if let split = ahead.split(upTo: revision), (try? common.applying(split.chosen)) == tree {
            return (split, Set(ahead.revisions.filter { $0 <= revision }))
        }
        // The state is not on the way from the common one: values are compared.
        let options = draft.settings.diffOptions
        let isWanted = origin.settings.tracking.covers
        let first = DraftSide(comparing: common, with: tree, options, where: isWanted).patch
        let then = try applied(first, to: common)
        let now = try applied(ahead.patch, to: common)
        return (NetEdit(chosen: first, rest: then.diff(to: now, options: options)), nil)
    }

    /// Where both sides have changed the same.
    public func conflicts() throws(ChangeError) -> [DraftConflict] {
        let found = try self.found()
        return found.isEmpty ? [] : conflicts(found, places(whole))
    }

    /// The places of these conflicts alone, and how many pairs of edits were passed.
    func conflictPlaces(
        pairsMax: Int = EditBase.pairsMax
    ) throws(ChangeError) -> (places: [JSONPointer], cost: Int) {
        let passed = try pass(ahead.patch, over: try base(pairsMax: pairsMax), .mine)
        let found = passed.conflicts
        let places = found.isEmpty ? [] : named(found, places(whole)).map(\.place)
        return (places, passed.pairsSpent)
    }

    /// Where the whole draft and the origin are in conflict.
    private func found() throws(ChangeError) -> [MergedEdit.Conflict] {
        try pass(ahead.patch, over: try base(), .mine).conflicts
    }

    private var whole: NetEdit { NetEdit(chosen: ahead.patch, rest: .empty) }

    /// The origin, but for places that it ignores: there it has what the common state has.
    func behindTree() throws(ChangeError) -> JSON {
        try applied(behind.patch, to: common)
    }

    func applied(_ patch: ReversiblePatch, to tree: JSON) throws(ChangeError) -> JSON {
        do { return try tree.applying(patch) } catch { throw .mismatch(version: originRevision) }
    }

    /// The origin's edits, by their numbers in its patch.
    private func base(pairsMax: Int = EditBase.pairsMax) throws(ChangeError) -> MergeBase {
        let later = behind.patch.edits.enumerated().map { index, edit in
            MergeBase.Later(ReversiblePatch([edit]), revision: index)
        }
        let head = try behindTree()
        let base: MergeBase
        do throws(MergeBase.Failure) {
            base = try MergeBase(before: later, head: head, pairsMax: pairsMax)
        } catch {
            throw failure(error)
        }
        guard base.tree == common else { throw .mismatch(version: originRevision) }
        return base
    }

    private func pass(
        _ patch: ReversiblePatch, over base: MergeBase, _ policy: ConflictPolicy,
        except exceptions: [Int: ConflictPolicy] = [:]
    ) throws(ChangeError) -> MergedEdit {
        do throws(MergeBase.Failure) {
            return try base.merge(RecordedPatch(patch), policy: policy, except: exceptions)
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ failure: MergeBase.Failure) -> ChangeError {
        switch failure {
        case .tooLong: .baseTooOld(base: originRevision, head: origin.revision)
        case .mismatch, .takenBack: .mismatch(version: originRevision)
        }
    }
}

// MARK: Conflicts

/// A place that the draft and its origin have both changed.
public struct DraftConflict: Sendable, Equatable {
    /// A place in the draft as it is; of an edit that the draft removed, in the common state.
    public let place: JSONPointer
    public let common: JSON?
    public let draft: JSON?
    public let origin: JSON?
    /// The draft's changes there, where they are known.
    public let changes: [Int]
    /// The origin's changes there, where they are known.
    public let with: [Int]
}

extension DraftComparison {
    /// Where each of the chosen edits is: of one that moves a value, where that was and is.
    func places(_ split: NetEdit) -> [[JSONPointer]] {
        DraftSide(split, of: ahead).places(from: common, following: split.rest)
    }

    /// Throws if a place was decided that is not in conflict: as everything was decided, or before
    /// anything was.
    private func check(
        _ decisions: Decisions, against merged: MergedEdit, _ places: [[JSONPointer]],
        _ undecided: () throws(ChangeError) -> MergedEdit
    ) throws(ChangeError) {
        if decisions.places.isEmpty { return }
        func named(_ conflicts: [MergedEdit.Conflict]) -> Set<JSONPointer> {
            Set(conflicts.compactMap { places[$0.edit].first })
        }
        var known = named(merged.settled)
        func unknown() -> JSONPointer? {
            var trie = PlaceTrie()
            for place in known { trie.add(0, at: place.tokens) }
            return decisions.places.keys.sorted().first { !trie.hasNumbers(inside: $0.tokens) }
        }
        if unknown() == nil { return }
        known.formUnion(named(try undecided().conflicts))
        known.formUnion(named(merged.conflicts))
        if let place = unknown() { throw .draft(.notInConflict(place, in: known.sorted())) }
    }

    /// Each place of conflicts once, with the first edit there.
    private func named(
        _ conflicts: [MergedEdit.Conflict], _ places: [[JSONPointer]]
    ) -> [(edit: Int, place: JSONPointer)] {
        var seen: Set<JSONPointer> = []
        return conflicts.compactMap { conflict -> (edit: Int, place: JSONPointer)? in
            let place = places[conflict.edit].first ?? .root
            return seen.insert(place).inserted ? (conflict.edit, place) : nil
        }.sorted { $0.place < $1.place }
    }

    private func conflicts(
        _ found: [MergedEdit.Conflict], _ places: [[JSONPointer]]
    ) -> [DraftConflict] {
        let touched = (TouchedPlaces(ahead), TouchedPlaces(behind))
        let shifts = (ahead.patch.shifts, behind.patch.shifts.inverse)
        let byPlace = Dictionary(grouping: found) { places[$0.edit].first ?? .root }
        return named(found, places).map { edit, shown in
            let target = places[edit].last ?? shown
            let before = target.carriedBack(over: shifts.0, in: draft.tree)
            let common = self.common[before] == nil ? shown : before
            let place = common.carriedBack(over: shifts.1, in: self.common)
            let with = byPlace[shown, default: []].flatMap {
                behind.patch.edits[$0.revision].pointers
            }
            return DraftConflict(
                place: shown, common: self.common[common], draft: draft.tree[target],
                origin: origin.tree[place], changes: touched.0.revisions(at: [shown, target]),
                with: touched.1.revisions(at: [place] + with))
        }
    }
}

/// Where a side would be another one without each of its changes.
private struct TouchedPlaces {
    private let revisions: [Int]
    private var trie = PlaceTrie()

    init(_ side: DraftSide) {
        revisions = side.revisions
        guard let line = side.line, let all = try? line.places(ofEach: revisions, on: side.tree)
        else { return }
        for (number, places) in all.enumerated() {
            for place in places { trie.add(number, at: place.tokens) }
        }
    }

    /// The changes that touched what is at, in or around places.
    func revisions(at places: [JSONPointer]) -> [Int] {
        Set(places.flatMap { trie.numbers(meeting: $0.tokens) }).sorted().map { revisions[$0] }
    }
}
