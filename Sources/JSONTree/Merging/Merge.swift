/// An edit that was made against an old state, and what others have done since.
///
/// Transforms each of my edits over each of theirs, in their order: so an implementation in any
/// language that does the same has the same result. Skips pairs that cannot meet.
struct Merge: Sendable {
    /// Mine, on the tree with theirs.
    private(set) var mine: [MergeEdit] = []
    /// Theirs, on the tree with mine.
    var theirs: [MergeEdit] { others.all }
    private var others: IndexedEdits
    /// Each once.
    private(set) var conflicts: [Conflict] = []
    /// Those of edits of which it was said who gives way.
    private(set) var settled: [Conflict] = []
    private var known: Set<Conflict> = []
    /// Whether something of mine had to give way.
    private(set) var hasLoss = false
    /// Whether something that mine relied on was touched, and mine must give way.
    private(set) var hasBrokenCondition = false
    private let policy: ConflictPolicy
    /// The policies for conflicts of single edits of mine, as they were sent.
    private let exceptions: [Int: ConflictPolicy]
    /// Places where mine always wins, without a conflict.
    private let isIgnored: @Sendable (Place) -> Bool
    /// Pairs that may still be passed.
    private(set) var pairsLeft: Int
    private let pairsMax: Int
    /// Pairs that may still be found to have nothing to do with each other.
    private var apartLeft: Int
    /// The pairs that met, if they are recorded.
    private(set) var pairs: [EditPair] = []
    private let recordsPairs: Bool

    /// So many pairs that have nothing to do with each other take as long as one that has.
    static let apartCost = 16

    /// The cost of a pair with a move, in ordinary pairs.
    static let moveCost = 4

    struct Conflict: Hashable, Sendable {
        /// Which of my edits, as it was sent.
        let mine: Int
        /// Their revision.
        let revision: Int
    }

    init(
        over theirs: [MergeEdit], policy: ConflictPolicy,
        except exceptions: [Int: ConflictPolicy] = [:], pairsMax: Int, recordsPairs: Bool = false,
        isIgnored: @escaping @Sendable (Place) -> Bool = { _ in false }
    ) {
        others = IndexedEdits(theirs)
        self.policy = policy
        self.exceptions = exceptions
        pairsLeft = pairsMax
        self.pairsMax = pairsMax
        self.recordsPairs = recordsPairs
        apartLeft = pairsMax * Merge.apartCost
        self.isIgnored = isIgnored
    }

    /// The cost until now, in pairs.
    var pairsSpent: Int {
        pairsMax - pairsLeft + (pairsMax * Merge.apartCost - apartLeft) / Merge.apartCost
    }

    /// Adds edits of mine, which follow those before them.
    mutating func add(_ edits: [MergeEdit]) throws(MergeBase.Failure) {
        // Taken out while it is changed; a pass that fails is not gone on with.
        var theirs = IndexedEdits([])
        swap(&theirs, &others)
        for edit in edits { mine += try pass(edit, over: &theirs) }
        others = theirs
    }

    /// Adds edits of theirs, which follow those before them.
    mutating func follow(_ edits: [MergeEdit]) throws(MergeBase.Failure) {
        var next = IndexedEdits(edits)
        var passed: [MergeEdit] = []
        for edit in mine { passed += try pass(edit, over: &next) }
        mine = passed
        others.append(next.all)
    }

    /// Passes an edit of mine over those of theirs that it may meet.
    private mutating func pass(
        _ edit: MergeEdit, over others: inout IndexedEdits
    ) throws(MergeBase.Failure) -> [MergeEdit] {
        var left = [edit]
        var slots = others.slots(meeting: left)[...]
        while !left.isEmpty, let slot = slots.popFirst() {
            if left.reversed().allSatisfy({ others.isApart($0, at: slot) }) {
                apartLeft -= 1
                guard apartLeft >= 0 else { throw .tooLong }
                continue
            }
            let (rest, isBeside) = try pass(&left, over: others[slot])
            others[slot] = rest
            if !isBeside { slots = others.slots(meeting: left, after: slot)[...] }
        }
        return left.reversed()
    }

    /// Passes edits of mine, the first of which is the last here, over each of theirs.
    ///
    /// It ends where nothing of theirs is left, and touches nothing of mine behind that: a place
    /// that they have changed often leaves as many edits of mine, of which only the first meets
    /// the next one of theirs.
    private mutating func pass(
        _ mine: inout [MergeEdit], over theirs: [MergeEdit]
    ) throws(MergeBase.Failure) -> (theirs: [MergeEdit], isBeside: Bool) {
        var others = theirs
        var isBeside = true
        var result: [MergeEdit] = []
        while !others.isEmpty, let edit = mine.popLast() {
            let passed = try pass(edit, over: others)
            isBeside = isBeside && passed.mine.allSatisfy { $0.isBeside(edit) }
            result += passed.mine
            others = passed.theirs
        }
        mine += result.reversed()
        return (others, isBeside)
    }

    private mutating func pass(
        _ mine: MergeEdit, over theirs: [MergeEdit]
    ) throws(MergeBase.Failure) -> EditPair.Passed {
        if theirs.count == 1 { return try pass(mine, theirs[0]) }
        var left = [mine]
        var rest: [MergeEdit] = []
        for other in theirs { rest += try pass(&left, over: [other]).theirs }
        return (left.reversed(), rest)
    }

    private mutating func pass(
        _ mine: MergeEdit, _ theirs: MergeEdit
    ) throws(MergeBase.Failure) -> EditPair.Passed {
        guard pairsLeft > 0 else { throw .tooLong }
        pairsLeft -= mine.isMove || theirs.isMove ? Merge.moveCost : 1
        let pair = EditPair(mine: mine, theirs: theirs)
        let relation = pair.relation
        if recordsPairs, relation != .independent || pair.areTouching { pairs.append(pair) }
        switch relation {
        case .independent: return pair.passed
        case .agreed: return pair.passedAgreement
        case .respelling(let side): return pair.passedRespelling(by: side)
        case .removal(let side): return pair.passedRemoval(by: side)
        case .conflict: return settle(pair)
        }
    }

    /// Reverts the edit that loses, so that both orders lead to one tree, whichever side it was.
    private mutating func settle(_ pair: EditPair) -> EditPair.Passed {
        let (mine, theirs) = (pair.mine, pair.theirs)
        let isIgnored = isIgnored(mine.place)
        let exception = exceptions[mine.origin]
        let policy = exception ?? policy
        if !isIgnored {
            let conflict = Conflict(mine: mine.origin, revision: theirs.origin)
            if known.insert(conflict).inserted {
                if exception == nil { conflicts.append(conflict) } else { settled.append(conflict) }
            }
        }
        // A condition undoes nothing: it only reports that another actor touched its place.
        guard let undone = mine.inverse.map({ $0.by(theirs.origin) }),
            let others = theirs.inverse.map({ $0.by(mine.origin) })
        else {
            hasBrokenCondition = hasBrokenCondition || (policy == .theirs && !isIgnored)
            return ([], [theirs])
        }
        if isIgnored || policy != .theirs {
            return (mine.removing(after: theirs).map { [$0] } ?? [others, mine], [])
        }
        hasLoss = true
        return ([], theirs.removing(after: mine).map { [$0] } ?? [undone, theirs])
    }
}

extension MergeEdit {
    /// The same edit with a value in which the other side has changed something: it is another
    /// value then, and no edit in it needs a revert before. `nil` for all others.
    func removing(after other: MergeEdit) -> MergeEdit? {
        guard let removed, let edit = other.edit(inside: removed) else { return nil }
        let patch = ReversiblePatch([edit])
        var result = self
        do {
            switch action {
            case .delete(let old): result.action = .delete(try old.applying(patch))
            case .set(let old?, let new):
                result.action = .set(old: try old.applying(patch), new: new)
            default: return nil
            }
        } catch { return nil }
        return result
    }

    /// As an edit of the value at a place, if it changes that alone.
    private func edit(inside value: Place) -> JSONEdit? {
        var inner = at(place.steps(from: value))
        switch action {
        case .text: guard value.holds(place) else { return nil }
        case .move(let target):
            // The target is seen without what moves, which is inside: so the value is where it was.
            guard value.isAround(place), value.holds(target.above) else { return nil }
            inner.action = .move(to: target.steps(from: value))
        case _ where isRespelling: guard value.holds(place) else { return nil }
        default: guard value.isAround(place) else { return nil }
        }
        return inner.edit
    }

    /// The same edit, for the sake of another one.
    fileprivate func by(_ origin: Int) -> MergeEdit {
        var result = MergeEdit(action, at: place, origin: origin)
        result.isReturn = true
        return result
    }
}
