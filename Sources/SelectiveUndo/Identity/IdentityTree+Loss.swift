import JSONTree

/// The loss of visible values when a writer is flipped.
extension IdentityTree {
    /// Later work that a flip would hide, or set back.
    struct Loss: Sendable {
        /// Where it is in the shown tree.
        var places: Set<JSONPointer> = []
        /// Whose work it is.
        var writers: Set<ID> = []

        var isEmpty: Bool { writers.isEmpty }

        mutating func add(_ other: Loss) {
            places.formUnion(other.places)
            writers.formUnion(other.writers)
        }

        mutating func add(_ place: JSONPointer, _ writer: ID) {
            places.insert(place)
            writers.insert(writer)
        }
    }

    /// Something that a writer made and that can be seen.
    private enum Thing {
        case box(ID)
        case content(ID, of: ID)
        case move(ID, of: ID)
        case run(ID, text: ID, content: ID)
    }

    private struct Found {
        let thing: Thing
        let writer: ID
    }

    /// Something that may disappear, with everything in it.
    private enum Root {
        case box(ID, movedBy: ID)
        case content(_ content: ID, of: ID)
    }

    /// Flips a writer and says what of the shown tree is lost by it that counts.
    ///
    /// Lost is what others made since (`counts`), or what comes to lie behind something that they
    /// made since. Nothing of the writer itself is lost. O(what the flip touches).
    mutating func flip(
        _ writer: ID, to isInEffect: Bool, counts: (ID) -> Bool
    ) -> Loss {
        let roots = roots(of: writer).filter { isVisible($0) }
        flip(writer, to: isInEffect)
        let vanished = roots.filter { !isVisible($0) }
        var loss = Loss()
        if !vanished.isEmpty {
            flip(writer, to: !isInEffect)
            var found: [Found] = []
            for root in vanished { collect(root, writer, counts, &found) }
            flip(writer, to: isInEffect)
            for one in found where wasShown(one.thing) && !isVisible(one.thing) {
                loss.add(pointer(to: one.thing), one.writer)
            }
            note(hidersOf: vanished, counts, &loss)
        }
        noteMoves(since: roots, writer, counts, &loss)
        return loss
    }

    /// The boxes that can disappear when a writer is flipped.
    private func roots(of writer: ID) -> [Root] {
        var roots: [Root] = []
        for step in writers[writer].steps {
            switch steps[step].action {
            case .create(_, let place), .remove(_, let place), .move(_, let place),
                .restore(_, let place):
                let box = places[place].occupant
                if !places[place].isTangled, box != IdentityTree.none {
                    roots.append(.box(box, movedBy: IdentityTree.none))
                }
            case .write(let box, _):
                let content = self.content(of: box)
                roots.append(Root.content(content, of: box))
            case .setAside, .insert, .delete: break
            }
        }
        if tangle.writers.contains(writer) {
            roots += tangle.boxes.map { .box($0, movedBy: boxes[$0].movedBy) }
        }
        return roots
    }

    private func isVisible(_ root: Root) -> Bool {
        switch root {
        case .box(let box, _): isVisible(box: box)
        case .content(let content, let box): self.content(of: box) == content && isVisible(box: box)
        }
    }

    private func isVisible(_ thing: Thing) -> Bool {
        switch thing {
        case .box(let box): isVisible(box: box)
        case .content(let content, let box): self.content(of: box) == content && isVisible(box: box)
        case .move(let step, let box): boxes[box].movedBy == step && isVisible(box: box)
        case .run(let run, let text, let content):
            isThere(run, in: text)
                && isVisible(Thing.content(content, of: contents[content].owner))
        }
    }

    /// Whether it is in the tree that the client has: what only appears between two flips of one
    /// press cannot be lost by it.
    private func wasShown(_ thing: Thing) -> Bool {
        switch thing {
        case .box(let box): isShown(box: box)
        case .content(let content, let box):
            boxes[box].shownContent == content && isShown(box: box)
        case .move(let step, let box): boxes[box].shownMove == step && isShown(box: box)
        case .run(let run, let text, let content):
            texts[text].runs.runs[run].isVisible
                && wasShown(Thing.content(content, of: contents[content].owner))
        }
    }

    private func pointer(to thing: Thing) -> JSONPointer {
        switch thing {
        case .box(let box), .content(_, let box), .move(_, let box):
            pointer(to: boxes[box].shownPlace)
        case .run(_, _, let content): pointer(to: boxes[contents[content].owner].shownPlace)
        }
    }

    private func collect(
        _ root: Root, _ writer: ID, _ counts: (ID) -> Bool, _ found: inout [Found]
    ) {
        switch root {
        case .box(let box, _): collect(box: box, writer, counts, &found)
        case .content(let content, let box):
            collect(content: content, of: box, writer, counts, &found)
        }
    }

    private func collect(
        box: ID, _ writer: ID, _ counts: (ID) -> Bool, _ found: inout [Found]
    ) {
        if counts(boxes[box].writer) {
            found.append(Found(thing: .box(box), writer: boxes[box].writer))
        }
        let move = boxes[box].movedBy
        if move != IdentityTree.none, counts(steps[move].writer), !makesOrRemoves(writer, box) {
            found.append(Found(thing: .move(move, of: box), writer: steps[move].writer))
        }
        collect(content: content(of: box), of: box, writer, counts, &found)
    }

    private func collect(
        content: ID, of box: ID, _ writer: ID, _ counts: (ID) -> Bool, _ found: inout [Found]
    ) {
        let maker = contents[content].writer
        if content != boxes[box].birthContent, counts(maker) {
            found.append(Found(thing: .content(content, of: box), writer: maker))
        }
        var inner: [ID] = []
        switch contents[content].kind {
        case .plain: break
        case .object(let object): inner = Array(objects[object].places.values)
        case .array(let array): inner = arrays[array].places.filter { $0 != IdentityTree.none }
        case .text(let text): collect(text: text, content, counts, &found)
        }
        for place in inner where places[place].occupant != IdentityTree.none {
            collect(box: places[place].occupant, writer, counts, &found)
        }
    }

    private func collect(
        text: ID, _ content: ID, _ counts: (ID) -> Bool, _ found: inout [Found]
    ) {
        for index in texts[text].pieces.indices {
            let (run, step) = (ID(index), texts[text].pieces[index].insertedBy)
            guard step != IdentityTree.none, counts(steps[step].writer), isThere(run, in: text)
            else { continue }
            found.append(
                Found(
                    thing: .run(run, text: text, content: content), writer: steps[step].writer))
        }
    }

    private func makesOrRemoves(_ writer: ID, _ box: ID) -> Bool {
        if boxes[box].writer == writer { return true }
        return writers[writer].steps.contains { step in
            switch steps[step].action {
            case .remove(box, _), .restore(box, _): true
            default: false
            }
        }
    }

    /// Moves of others that no longer take effect, though what they moved is still there.
    private func noteMoves(
        since roots: [Root], _ writer: ID, _ counts: (ID) -> Bool, _ loss: inout Loss
    ) {
        for case .box(let box, let move) in roots
        where move != IdentityTree.none && boxes[box].movedBy != move {
            guard counts(steps[move].writer), !makesOrRemoves(writer, box),
                wasShown(.move(move, of: box)), isVisible(box: box)
            else { continue }
            loss.add(pointer(to: .move(move, of: box)), steps[move].writer)
        }
    }

    /// A box that disappears behind a counted one is also lost: a value that would return to the
    /// place of another one.
    private func note(
        hidersOf vanished: [Root], _ counts: (ID) -> Bool, _ loss: inout Loss
    ) {
        for case .box(let box, _) in vanished where isShown(box: box) {
            for hider in hiders(of: box) where counts(hider) {
                loss.add(pointer(to: .box(box)), hider)
            }
        }
    }

    /// The writers that removed a box since it was last restored.
    private func removers(of box: ID) -> Set<ID> {
        let around = boxes[box].isTangled ? tangle.steps : places[boxes[box].birthplace].steps
        var removers: Set<ID> = []
        for step in around where isInEffect(step) {
            switch steps[step].action {
            case .remove(box, _): removers.insert(steps[step].writer)
            case .restore(box, _): removers = []
            default: break
            }
        }
        return removers
    }

    /// Whose steps hide a box that exists: the nearest ones around it.
    private func hiders(of box: ID) -> Set<ID> {
        guard exists(box) else { return [] }
        let removers = removers(of: box)
        if !removers.isEmpty { return removers }
        let place = boxes[box].place
        guard place != IdentityTree.none else { return [] }
        if places[place].occupant != box {
            let step = places[place].step
            return step == IdentityTree.none ? [] : [steps[step].writer]
        }
        let content = places[place].container
        guard content != IdentityTree.none else { return [] }
        let owner = contents[content].owner
        if self.content(of: owner) != content { return [contents[self.content(of: owner)].writer] }
        return hiders(of: owner)
    }
}
