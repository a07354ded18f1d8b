package import JSONTree
package import Naming

// The maker of edits that lead from one state of a line to another.

/// A change that made something.
package struct EditMaker: Hashable, Sendable {
    package let revision: Int
    /// The author of that edit, if the change stores one for each of its edits.
    package let author: Name?
}

/// The makers of an edit of a net edit.
package struct EditMakers: Sendable {
    /// The maker of the value that it leaves, or of the move or removal; `nil` if unknown.
    package var maker: EditMaker?
    /// The parts of that value with other makers, in order, by places in the state after it. Of an
    /// edit inside a text, the text.
    package var inside: [Authorship] = []
    /// The actors that removed letters of a text.
    package var removers: Set<EditMaker> = []
}

extension EffectHistory {
    /// The line with some of its changes in effect alone, of those that are. `tree` is what all of
    /// them make, and becomes what these make. O(what the changes touched).
    package func only(
        _ isChosen: (Int) -> Bool, on tree: inout JSON
    ) throws(Diverged) -> EffectHistory {
        var line = self
        try line.identity.hide(writersInEffect.filter { !self.isChosen($0, isChosen) }, on: &tree)
        return line
    }
}

/// Finds who made the edits that lead from one state of a line to another, in which more is in
/// effect.
package struct MakerSearch {
    private let before: AuthorshipSearch
    private let after: AuthorshipSearch
    /// All places with their makers, in order.
    private let made: [Authorship]
    private var places = PlaceTrie()
    private let removals: [IdentityTree.ID: IdentityTree.ID]

    /// `authors` gives the authors in changes that store one for each of their edits.
    package init(
        from start: EffectHistory, to end: EffectHistory, authors: Authorship.Authors
    ) {
        before = AuthorshipSearch(line: start, oldest: nil, authors: authors)
        after = AuthorshipSearch(line: end, oldest: nil, authors: authors)
        removals = after.removals
        made = end.authorship(under: .root, oldest: nil, authors: authors) ?? []
        for (number, one) in made.enumerated() { places.add(number, at: one.place.tokens) }
    }

    /// The makers of an edit. `ends` are its places: of a removed or moved value, the place in the
    /// state before all edits; of a value that it leaves, the place in the state after them.
    package func makers(of edit: JSONEdit, at ends: [JSONPointer]) -> EditMakers {
        guard let place = ends.first else { return EditMakers() }
        switch edit {
        case .remove:
            return EditMakers(
                maker: before.box(at: place).flatMap { after.remover(of: $0, removals) })
        case .move: return EditMakers(maker: before.box(at: place).flatMap { after.mover(of: $0) })
        case .splice:
            var makers = madeThings(at: place)
            makers.inside = makers.inside.filter { $0.place == place }
            makers.removers = after.removersOfLetters(at: place, thereBefore: before)
            return makers
        case .add, .replace:
            var makers = madeThings(at: place)
            // A value of the old state has returned: by a move, or by an undo.
            if makers.maker == nil {
                makers.maker = after.box(at: place).flatMap { after.placer(of: $0) }
            }
            return makers
        }
    }

    /// The maker of a place, from it or from the places around it, and the makers of the places
    /// inside it.
    private func madeThings(at place: JSONPointer) -> EditMakers {
        var makers = EditMakers()
        for number in places.numbers(meeting: place.tokens).sorted() {
            let one = made[number]
            if one.place.count <= place.count {
                makers.maker = one.revision.map { EditMaker(revision: $0, author: one.author) }
            }
            if one.place.count >= place.count { makers.inside.append(one) }
        }
        return makers
    }
}

extension AuthorshipSearch {
    /// The box at a place.
    fileprivate func box(at place: JSONPointer) -> IdentityTree.ID? {
        guard case .box(let box, _) = start(place) else { return nil }
        return box
    }

    /// The maker of a step.
    private func editMaker(of step: IdentityTree.ID) -> EditMaker? {
        guard step != IdentityTree.none else { return nil }
        let maker = maker(of: step)
        return revision(of: maker.writer).map { EditMaker(revision: $0, author: maker.author) }
    }

    /// The actor that removed a missing box: the author of the last step at its place, unless that
    /// step moved the box there, and so removed it elsewhere.
    fileprivate func remover(
        of box: IdentityTree.ID, _ removals: [IdentityTree.ID: IdentityTree.ID]
    ) -> EditMaker? {
        let place = identity.boxes[box].place
        let last =
            place == IdentityTree.none ? IdentityTree.none : identity.places[place].step
        if last == IdentityTree.none || identity.steps[last].brings(box) {
            return removals[box].flatMap { editMaker(of: $0) }
        }
        return editMaker(of: last)
    }

    /// By box, the last step in effect that removed it.
    fileprivate var removals: [IdentityTree.ID: IdentityTree.ID] {
        var removals: [IdentityTree.ID: IdentityTree.ID] = [:]
        for (number, step) in identity.steps.enumerated() {
            let id = IdentityTree.ID(number)
            if case .remove(let box, _) = step.action, identity.isInEffect(id) {
                removals[box] = id
            }
        }
        return removals
    }

    /// The actor that moved a box.
    fileprivate func mover(of box: IdentityTree.ID) -> EditMaker? {
        editMaker(of: identity.boxes[box].movedBy) ?? placer(of: box)
    }

    /// Whose step was the last one at the place where a box is.
    fileprivate func placer(of box: IdentityTree.ID) -> EditMaker? {
        let place = identity.boxes[box].place
        return place == IdentityTree.none ? nil : editMaker(of: identity.places[place].step)
    }

    /// The actors that removed letters of a text of the old state.
    fileprivate func removersOfLetters(
        at place: JSONPointer, thereBefore before: AuthorshipSearch
    ) -> Set<EditMaker> {
        guard let box = box(at: place),
            case .text(let text) = identity.contents[identity.content(of: box)].kind
        else { return [] }
        var steps: Set<IdentityTree.ID> = []
        for run in identity.texts[text].runs.inOrder
        where before.identity.isThere(run, in: text) && !identity.isThere(run, in: text) {
            steps.formUnion(
                identity.texts[text].pieces[run].deletedBy.filter { identity.isInEffect($0) })
        }
        return Set(steps.compactMap { editMaker(of: $0) })
    }
}

extension IdentityTree.Step {
    /// Whether it puts a box somewhere.
    fileprivate func brings(_ box: IdentityTree.ID) -> Bool {
        switch action {
        case .create(box, _), .move(box, _), .restore(box, _): true
        default: false
        }
    }
}
