import JSONTree

/// The fold: what the writers in effect make.
extension IdentityTree {
    func isInEffect(_ step: ID) -> Bool { writers[steps[step].writer].isInEffect }

    /// Takes a writer's steps out of effect, or puts them back. Folds again only what they touch.
    mutating func flip(_ writer: ID, to isInEffect: Bool) {
        guard writers[writer].isInEffect != isInEffect else { return }
        writers[writer].isInEffect = isInEffect
        for id in writers[writer].steps {
            switch steps[id].action {
            case .create(_, let place), .remove(_, let place), .move(_, let place),
                .restore(_, let place):
                let next = newest(of: places[place].steps, places[place].step, flipped: id)
                places[place].step = next
                if !places[place].isTangled { fold(place) }
            case .write(let box, _):
                boxes[box].write = newest(of: boxes[box].writes, boxes[box].write, flipped: id)
                pending.boxes.append(box)
            case .setAside: break
            case .insert(let content), .delete(let content):
                pending.runs[content, default: []] += steps[id].runs
            }
        }
        if tangle.writers.contains(writer) { foldTangle() }
    }

    /// The newest of some steps that is in effect, when one of them was flipped. O(those out of
    /// effect before it): who takes many out, the newest first, passes none of them twice.
    private func newest(of steps: [ID], _ newest: ID, flipped step: ID) -> ID {
        if isInEffect(step) { return max(newest, step) }
        guard step == newest else { return newest }
        let older = steps[..<steps.partitioningIndex { $0 >= step }]
        return older.last { isInEffect($0) } ?? IdentityTree.none
    }

    /// The newest step in effect decides who is at a place that no move has touched.
    private mutating func fold(_ place: ID) {
        let step = places[place].step
        let occupant: ID
        switch step == IdentityTree.none ? nil : steps[step].action {
        case .create(let box, _): occupant = box
        case nil: occupant = places[place].initial
        default: occupant = IdentityTree.none
        }
        guard occupant != places[place].occupant else { return }
        places[place].occupant = occupant
        pending.places.append(place)
    }

    /// The content of a box.
    func content(of box: ID) -> ID {
        let step = boxes[box].write
        guard step != IdentityTree.none, case .write(_, let content) = steps[step].action else {
            return boxes[box].birthContent
        }
        return content
    }

    func exists(_ box: ID) -> Bool { writers[boxes[box].writer].isInEffect }

    /// Whether a character is visible: inserted, and not deleted.
    func isThere(_ run: ID, in text: ID) -> Bool {
        let piece = texts[text].pieces[run]
        let isInserted = piece.insertedBy == IdentityTree.none || isInEffect(piece.insertedBy)
        return isInserted && !piece.deletedBy.contains { isInEffect($0) }
    }

    func isVisible(place: ID) -> Bool {
        let content = places[place].container
        if content == IdentityTree.none { return true }
        let owner = contents[content].owner
        return self.content(of: owner) == content && isVisible(box: owner)
    }

    func isVisible(box: ID) -> Bool {
        let place = boxes[box].place
        return place != IdentityTree.none && exists(box) && places[place].occupant == box
            && isVisible(place: place)
    }
}

/// Moves connect places: which of two moves takes effect may depend on a third. So all places that
/// moves have touched are folded together, in the order of the steps.
extension IdentityTree {
    mutating func tangle(box: ID) {
        guard !boxes[box].isTangled else { return }
        boxes[box].isTangled = true
        tangle.boxes.append(box)
        tangle.writers.insert(boxes[box].writer)
        tangle(place: boxes[box].birthplace)
    }

    mutating func tangle(place: ID) {
        guard !places[place].isTangled else { return }
        places[place].isTangled = true
        tangle.places.append(place)
        if places[place].initial != IdentityTree.none { tangle(box: places[place].initial) }
        guard !places[place].steps.isEmpty else { return }
        for step in places[place].steps {
            tangle.writers.insert(steps[step].writer)
            if case .create(let box, _) = steps[step].action { tangle(box: box) }
        }
        tangle.steps = (tangle.steps + places[place].steps).sorted()
    }

    /// Folds all tangled places from the beginning.
    private mutating func foldTangle() {
        for box in tangle.boxes {
            boxes[box].place = IdentityTree.none
            boxes[box].movedBy = IdentityTree.none
        }
        for place in tangle.places {
            let initial = places[place].initial
            let isThere = initial != IdentityTree.none && exists(initial)
            places[place].occupant = isThere ? initial : IdentityTree.none
            if isThere { boxes[initial].place = place }
        }
        var removed: Set<ID> = []
        for step in tangle.steps where isInEffect(step) { fold(step, &removed) }
        for place in tangle.places where places[place].occupant != places[place].shown {
            pending.places.append(place)
        }
        pending.hasTangle = true
    }

    private mutating func fold(_ step: ID, _ removed: inout Set<ID>) {
        switch steps[step].action {
        case .create(let box, let place):
            boxes[box].place = place
            places[place].occupant = box
        case .remove(let box, let place):
            if exists(box) {
                removed.insert(box)
                leave(box)
            }
            if case .member = places[place].slot { places[place].occupant = IdentityTree.none }
        case .move(let box, let place):
            guard canTake(box, place) else { return }
            leave(box)
            boxes[box].place = place
            boxes[box].movedBy = step
            if !removed.contains(box) { places[place].occupant = box }
        case .restore(let box, let place):
            guard canTake(box, place) else { return }
            leave(box)
            removed.remove(box)
            boxes[box].place = place
            places[place].occupant = box
        case .setAside, .write, .insert, .delete: break
        }
    }

    /// Whether a box can come to a place: both are there, and the place is not inside it.
    private func canTake(_ box: ID, _ place: ID) -> Bool {
        let container = places[place].container
        let isThere =
            container == IdentityTree.none || writers[contents[container].writer].isInEffect
        return exists(box) && isThere && !isInside(place, box)
    }

    private mutating func leave(_ box: ID) {
        let place = boxes[box].place
        guard place != IdentityTree.none, places[place].occupant == box else { return }
        places[place].occupant = IdentityTree.none
    }

    /// Whether a place lies inside what a box holds.
    private func isInside(_ place: ID, _ box: ID) -> Bool {
        var place = place
        while place != IdentityTree.none, places[place].container != IdentityTree.none {
            let owner = contents[places[place].container].owner
            if owner == box { return true }
            place = boxes[owner].place
        }
        return false
    }
}
