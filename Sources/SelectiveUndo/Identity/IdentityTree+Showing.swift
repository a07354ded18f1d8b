import JSONTree

extension IdentityTree {
    /// Leads the shown tree to the fold, and returns the patch that does it.
    ///
    /// `tree` is the shown tree as JSON. Moved values move, text is spliced, and what is in parts
    /// that come or go is shown with them. `typed`: the texts that were edited inside; others are
    /// shown as replaced. O(what differs · depth · log n).
    mutating func show(
        on tree: inout JSON, typed: Set<ID>? = nil
    ) throws(Diverged) -> ReversiblePatch {
        if pending.isEmpty { return .empty }
        var showing = Showing(identity: self, tree: tree, typed: typed)
        // Only one reference each, so that both are changed in place.
        tree = .null
        self = IdentityTree(.null)
        let result = Result { () throws(Diverged) in try showing.run() }
        self = showing.identity
        tree = showing.tree
        try result.get()
        return ReversiblePatch(showing.edits).compacted
    }

    /// The texts that writers in effect edited inside.
    var typedTexts: Set<ID> {
        Set(
            texts.indices.filter { text in
                texts[text].typedBy.contains { writers[$0].isInEffect }
            }.map { ID($0) })
    }

    /// Takes the fold as shown, without a patch.
    mutating func showSilently() {
        for place in pending.places { showOccupant(of: place, places[place].occupant) }
        for box in pending.boxes { boxes[box].shownContent = content(of: box) }
        for (content, runs) in pending.runs {
            guard case .text(let text) = contents[content].kind else { continue }
            for run in runs { texts[text].runs.setVisible(run, isThere(run, in: text)) }
        }
        if pending.hasTangle {
            for box in tangle.boxes { boxes[box].shownMove = boxes[box].movedBy }
        }
        pending = Pending()
    }
}

/// One way from what is shown to the fold, edit by edit.
///
/// The order keeps every edit possible: removals, then moves, then new contents of elements, the
/// moves of those to members, then what is added, from the outside in, then text. A move that is
/// not possible when its turn comes (two members change places) is a removal, and an addition
/// later.
private struct Showing {
    var identity: IdentityTree
    var tree: JSON
    var edits: [JSONEdit] = []
    private let typed: Set<IdentityTree.ID>?

    private struct Move {
        let box: IdentityTree.ID
        let from: IdentityTree.ID
        let to: IdentityTree.ID
    }

    init(identity: IdentityTree, tree: JSON, typed: Set<IdentityTree.ID>?) {
        self.identity = identity
        self.tree = tree
        self.typed = typed
    }

    mutating func run() throws(IdentityTree.Diverged) {
        let changed = Set(identity.pending.places).filter {
            identity.places[$0].occupant != identity.places[$0].shown
                && identity.isShown(place: $0) && identity.isVisible(place: $0)
        }
        var moves: [Move] = []
        var removed: [IdentityTree.ID] = []
        for place in changed.sorted() {
            let box = identity.places[place].shown
            guard box != IdentityTree.none else { continue }
            let target = identity.boxes[box].place
            if target != place, changed.contains(target), identity.places[target].occupant == box {
                moves.append(Move(box: box, from: place, to: target))
            } else if !isReplaced(place) {
                removed.append(place)
            }
        }
        for place in removed { try remove(place) }
        let later = Set(moves.filter(isRewrittenBefore).map(\.box))
        try move(moves.filter { !later.contains($0.box) })
        for box in Set(identity.pending.boxes).sorted() { try rewrite(box) }
        try move(moves.filter { later.contains($0.box) })
        let added = changed.map { ($0, identity.depth(of: $0)) }.sorted {
            ($0.1, $0.0) < ($1.1, $1.0)
        }
        for (place, _) in added { try fill(place) }
        for (content, runs) in identity.pending.runs.sorted(by: { $0.key < $1.key }) {
            try splice(content, runs)
        }
        identity.showSilently()
    }

    /// Whether a moved element gets its new content before the move. A value moved onto a member
    /// would be another value for readers of the patch, or of its inverse.
    private func isRewrittenBefore(_ move: Move) -> Bool {
        guard case .element = identity.places[move.from].slot,
            case .member = identity.places[move.to].slot
        else { return false }
        return identity.boxes[move.box].shownContent != identity.content(of: move.box)
            && identity.isShown(place: move.to)
    }

    /// Whether another value comes to a member at once, so that nothing is removed first.
    private func isReplaced(_ place: IdentityTree.ID) -> Bool {
        let box = identity.places[place].occupant
        if box == IdentityTree.none { return false }
        // A box that is still shown elsewhere may come by a move, to a free place.
        return !identity.isShown(box: box)
    }

    private mutating func perform(_ edit: JSONEdit) throws(IdentityTree.Diverged) {
        do { try tree.apply(edit) } catch { throw IdentityTree.Diverged() }
        edits.append(edit)
    }

    private func value(at pointer: JSONPointer) throws(IdentityTree.Diverged) -> JSON {
        guard let value = tree[pointer] else { throw IdentityTree.Diverged() }
        return value
    }

    private mutating func remove(_ place: IdentityTree.ID) throws(IdentityTree.Diverged) {
        guard identity.isShown(place: place), identity.places[place].shown != IdentityTree.none
        else { return }
        let pointer = identity.pointer(to: place)
        try perform(.remove(pointer, try value(at: pointer)))
        identity.showOccupant(of: place, IdentityTree.none)
    }

    private mutating func move(_ moves: [Move]) throws(IdentityTree.Diverged) {
        var waiting = moves
        var hasMoved = true
        while hasMoved, !waiting.isEmpty {
            hasMoved = false
            var next: [Move] = []
            for move in waiting {
                if try perform(move) { hasMoved = true } else { next.append(move) }
            }
            waiting = next
        }
        for move in waiting { try remove(move.from) }
    }

    private mutating func perform(_ move: Move) throws(IdentityTree.Diverged) -> Bool {
        guard identity.isShown(box: move.box), identity.boxes[move.box].shownPlace == move.from
        else { return true }
        let from = identity.pointer(to: move.from)
        identity.showOccupant(of: move.from, IdentityTree.none)
        let isFree = identity.places[move.to].shown == IdentityTree.none
        guard isFree, identity.isShown(place: move.to) else {
            identity.showOccupant(of: move.from, move.box)
            return false
        }
        let to = identity.pointer(to: move.to)
        try perform(.move(from: from, to: to))
        identity.showOccupant(of: move.to, move.box)
        return true
    }

    /// Gives an element the content that it has by the fold.
    private mutating func rewrite(_ box: IdentityTree.ID) throws(IdentityTree.Diverged) {
        guard identity.boxes[box].shownContent != identity.content(of: box),
            identity.isShown(box: box)
        else { return }
        try put(box, at: identity.boxes[box].shownPlace)
    }

    /// Shows what is at a place by the fold.
    private mutating func fill(_ place: IdentityTree.ID) throws(IdentityTree.Diverged) {
        let box = identity.places[place].occupant
        guard box != identity.places[place].shown, identity.isShown(place: place) else { return }
        if box == IdentityTree.none { return try remove(place) }
        if identity.places[place].shown != IdentityTree.none { return try put(box, at: place) }
        let pointer = identity.pointer(to: place)
        let value = try identity.render(box)
        try perform(.add(pointer, value))
        identity.showOccupant(of: place, box)
    }

    /// Replaces the shown value by a box.
    private mutating func put(
        _ box: IdentityTree.ID, at place: IdentityTree.ID
    ) throws(IdentityTree.Diverged) {
        let pointer = identity.pointer(to: place)
        let old = try value(at: pointer)
        let new = try identity.render(box)
        if old != new { try perform(.replacing(pointer, old, new)) }
        identity.showOccupant(of: place, box)
    }

    private mutating func splice(
        _ content: IdentityTree.ID, _ runs: [IdentityTree.ID]
    ) throws(IdentityTree.Diverged) {
        let owner = identity.contents[content].owner
        guard case .text(let text) = identity.contents[content].kind,
            identity.boxes[owner].shownContent == content, identity.isShown(box: owner)
        else { return }
        let pointer = identity.pointer(to: identity.boxes[owner].shownPlace)
        let isValue = typed.map { !$0.contains(text) } ?? false
        for run in identity.texts[text].runs.sorted(runs) {
            let isThere = identity.isThere(run, in: text)
            guard identity.texts[text].runs.runs[run].isVisible != isThere else { continue }
            let position = identity.texts[text].runs.position(of: run)
            let bytes = try identity.bytes(of: run, in: text)
            try perform(
                .splice(
                    pointer, at: position, removed: isThere ? [] : bytes,
                    inserted: isThere ? bytes : [], isValue: isValue))
            identity.texts[text].runs.setVisible(run, isThere)
        }
    }
}
