package import JSONTree
package import Naming

// Who made the edits that lead from one state of a line to another.

/// A change that made something.
package struct EditMaker: Hashable, Sendable {
    package let revision: Int
    /// Who made that edit, where the change says so of each of its edits.
    package let author: Name?
}

/// Who made an edit of a net edit.
package struct EditMakers: Sendable {
    /// Who made the value that it leaves, or moved or removed one; `nil` if that is not known.
    package var maker: EditMaker?
    /// What others made in that value, in order, by places in the state after it. Of an edit inside
    /// a text, the text.
    package var inside: [Authorship] = []
    /// Who removed letters of a text.
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
    /// All that somebody made, in order; and where it is.
    private let made: [Authorship]
    private var places = PlaceTrie()
    private let removals: [IdentityTree.ID: IdentityTree.ID]

    /// `authors` tells of changes that say of each of their edits who made it.
    package init(
        from start: EffectHistory, to end: EffectHistory, authors: Authorship.Authors
    ) {
        before = AuthorshipSearch(line: start, oldest: nil, authors: authors)
        after = AuthorshipSearch(line: end, oldest: nil, authors: authors)
        removals = after.removals
        made = end.authorship(under: .root, oldest: nil, authors: authors) ?? []
        for (number, one) in made.enumerated() { places.add(number, at: one.place.tokens) }
    }

    /// Who made an edit. `ends` are its places: of what it removed or moved the one in the state
    /// before all edits, of what it left the one in the state after them.
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
            // What was there before is there again: by a move, or by an undo.
            if makers.maker == nil {
                makers.maker = after.box(at: place).flatMap { after.placer(of: $0) }
            }
            return makers
        }
    }

    /// What was made at a place, or around it, and what others made inside it.
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

    /// Who made a step.
    private func editMaker(of step: IdentityTree.ID) -> EditMaker? {
        guard step != IdentityTree.none else { return nil }
        let maker = maker(of: step)
        return revision(of: maker.writer).map { EditMaker(revision: $0, author: maker.author) }
    }

    /// Who removed a box that is not there: whose step is the last one at its place, unless that
    /// brought it there, and so removed it elsewhere.
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

    /// Who moved a box.
    fileprivate func mover(of box: IdentityTree.ID) -> EditMaker? {
        editMaker(of: identity.boxes[box].movedBy) ?? placer(of: box)
    }

    /// Whose step was the last one at the place where a box is.
    fileprivate func placer(of box: IdentityTree.ID) -> EditMaker? {
        let place = identity.boxes[box].place
        return place == IdentityTree.none ? nil : editMaker(of: identity.places[place].step)
    }

    /// Who removed letters of a text that were there before.
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
